// Y = silu(X Wg^T) * (X Wu^T) in bfloat16, on this machine's best device.
// Build: see CMakeLists.txt beside this file, or: g++ -std=c++20 gated_linear.cpp $(pkg-config --cflags --libs tileglu)
#include <tileglu/tileglu.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

int main() {
  const tileglu::problem p{.m = 16, .n = 1536, .k = 576};  // 16 tokens; SmolLM2-135M's MLP
  std::vector<std::uint16_t> x(p.m * p.k), gate(p.n * p.k), up(p.n * p.k), y(p.m * p.n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = tileglu::from_double(p.x_type, 0.01 * (i % 100));
  for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = up[i] = tileglu::from_double(p.w_type, i % 2 ? 0.05 : -0.04);

  const auto plan = tileglu::plan(p, tileglu::this_cpu());  // pointers of host memory: plan for the CPU
  if (!plan) {
    std::cerr << plan.error().text() << '\n';
    return 1;
  }
  const tileglu::tensors t{.x = x.data(), .w = tileglu::gate_up_weights::separate(gate.data(), up.data()), .y = y.data()};
  if (const auto s = tileglu::run(*plan, t); !s.ok()) {
    std::cerr << s.text() << '\n';
    return 1;
  }
  std::cout << "y[0][0] = " << tileglu::to_double(p.y_type, y[0]) << " by " << plan->row << ", tileglu " << tileglu::version() << '\n';
}
