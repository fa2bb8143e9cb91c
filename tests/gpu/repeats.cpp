// The same bits on every run: repeated, replayed from a CUDA graph, and from two host threads on two streams at once.
#include <array>
#include <thread>

#include "gpu/checker.hpp"
#include "tileglu/memory.hpp"

namespace tileglu::gpu_check {
namespace {

class repeat_checker {
 public:
  repeat_checker(context& c, const std::string& row, const execution_plan& plan) : c_(c), row_(row), plan_(plan), p_(plan.problem) {
    const matrix_values values{p_.x_type, value_class::normal, p_.k, 5, false};
    w_.fill(values, p_, 0, half_values::random, half_values::random, c.on);
    for (call_memory* memory : {&first_, &second_, &third_}) memory->fill_inputs(values, p_, 0, c.on);
    require(cudaStreamSynchronize(c.on), "filling inputs");
  }

  void run_all() {
    // The graph comes first: its plan has been prepared and never run.
    const bool replayed = replay();
    if (!launch(first_, c_.on)) return;
    if (replayed) compare("graph_replay", second_);
    repeat(c_.of == amount::quick ? 50 : c_.of == amount::tiny ? 3 : 1000);
    two_threads();
  }

 private:
  bool launch(call_memory& memory, cudaStream_t on) {
    memory.clear_outputs(p_, plan_.workspace, 0, on);
    const status s = run(plan_, memory.get(p_, w_, plan_.workspace), on);
    if (!s.ok()) c_.out.fail(label(row_), "repeats", describe(p_) + ": " + s.text());
    return s.ok();
  }

  void compare(const char* check, const call_memory& other) {
    count_differences(first_.y.block(), other.y.block(), first_.y.elements(), differences_.reset(c_.on), c_.on);
    report_differences(check);
  }

  void report_differences(const char* check) {
    if (const auto different = differences_.fetch(c_.on); different > 0)
      c_.out.fail(label(row_), check, describe(p_) + ": " + std::to_string(different) + " outputs have other bits");
    else
      c_.out.pass(label(row_), check);
  }

  bool replay() {
    const auto refuse = [&](const status& s) {
      c_.out.fail(label(row_), "graph_replay", describe(p_) + ": " + s.text());
      return false;
    };
    if (status s = prepare(plan_); !s.ok()) return refuse(s);
    second_.clear_outputs(p_, plan_.workspace, 0, c_.on);
    require(cudaStreamSynchronize(c_.on), "poisoning");
    const auto on = stream::create(c_.device);
    if (!on) return refuse(on.error());
    const tensors t = second_.get(p_, w_, plan_.workspace);
    const auto graph = recorded_work::record(c_.device, *on, [&] { return run(plan_, t, on->handle()); });
    if (!graph) return refuse(graph.error());
    for (int i = 0; i < 3; ++i) {
      second_.y.poison_again(c_.on);
      require(cudaStreamSynchronize(c_.on), "poisoning");
      if (status s = graph->replay(*on); !s.ok()) return refuse(s);
      if (status s = on->synchronize(); !s.ok()) return refuse(s);
    }
    return true;
  }

  void repeat(int times) {
    unsigned long long* counter = differences_.reset(c_.on);
    for (int i = 0; i < times; ++i) {
      if (!launch(third_, c_.on)) return;
      count_differences(first_.y.block(), third_.y.block(), first_.y.elements(), counter, c_.on);
    }
    report_differences("repeats");
  }

  void two_threads() {
    const int runs = c_.of == amount::tiny ? 3 : 50;
    std::array<call_memory*, 2> memories{&second_, &third_};
    std::array<status, 2> outcomes;
    std::array<std::thread, 2> threads;
    for (std::size_t i = 0; i < 2; ++i) {
      memories[i]->clear_outputs(p_, plan_.workspace, 0, c_.on);
      require(cudaStreamSynchronize(c_.on), "poisoning");
      threads[i] = std::thread([&, i, runs] {
        const auto on = stream::create(c_.device);
        if (!on) {
          outcomes[i] = on.error();
          return;
        }
        const tensors t = memories[i]->get(p_, w_, plan_.workspace);
        for (int times = 0; times < runs && outcomes[i].ok(); ++times) outcomes[i] = run(plan_, t, on->handle());
        if (outcomes[i].ok()) outcomes[i] = on->synchronize();
      });
    }
    for (std::thread& t : threads) t.join();
    for (std::size_t i = 0; i < 2; ++i) {
      if (!outcomes[i].ok())
        c_.out.fail(label(row_), "two_threads", describe(p_) + ": " + outcomes[i].text());
      else
        compare("two_threads", *memories[i]);
    }
  }

  context& c_;
  const std::string& row_;
  const execution_plan& plan_;
  const problem& p_;
  placed_weights w_;
  call_memory first_, second_, third_;
  device_counter differences_;
};

}  // namespace

void check_repeats(context& c) {
  for (const std::string& row : c.my_rows)
    for (const numerics mode : {numerics::fp32_through, numerics::match_unfused})
      for (const std::int64_t m : {300, 16, 7, 2, 1}) {
        problem p{.m = m, .n = c.of == amount::tiny ? 200 : 1000, .k = c.of == amount::tiny ? 264 : 904};
        p.layout = weight_layout::stacked_gate_up, p.mode = mode;
        plan_options options;
        options.kernel = row;
        auto chosen = plan(p, c.device, options);
        if (!chosen) {
          p.layout = weight_layout::interleaved;
          chosen = plan(p, c.device, options);
        }
        if (!chosen) continue;
        repeat_checker(c, row, *chosen).run_all();
        if (m > 1 && !row.empty()) break;  // one m says all about a row; the planner's choice is another row for each
      }
}

}  // namespace tileglu::gpu_check
