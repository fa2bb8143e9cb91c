#include "gpu/checker.hpp"

#include <cmath>

#include "gpu/reference.cuh"

namespace tileglu::gpu_check {

void* guarded_matrix::reserve(std::int64_t rows, std::int64_t stride, int misaligned, cudaStream_t on) {
  begin_ = guard + misaligned;
  elements_ = begin_ + rows * stride + guard;
  block_.reserve(static_cast<std::size_t>(elements_) * 2);
  poison_again(on);
  return data();
}

void placed_weights::fill(const matrix_values& of, const problem& p, int misaligned, half_values gate, half_values up, cudaStream_t on) {
  layout = p.layout;
  const std::int64_t stride = row_stride_w(p);
  if (layout == weight_layout::separate) {
    fill_weights(of, false, gate, first.reserve(p.n, stride, misaligned, on), p.n, stride, on);
    fill_weights(of, true, up, second.reserve(p.n, stride, misaligned, on), p.n, stride, on);
    return;
  }
  auto* one = static_cast<std::uint16_t*>(first.reserve(2 * p.n, stride, misaligned, on));
  const bool interleaved = layout == weight_layout::interleaved, gate_first = layout == weight_layout::stacked_gate_up;
  const std::int64_t half = interleaved ? stride : p.n * stride, step = interleaved ? 2 * stride : stride;
  fill_weights(of, false, gate, one + (interleaved || gate_first ? 0 : half), p.n, step, on);
  fill_weights(of, true, up, one + (interleaved || gate_first ? half : 0), p.n, step, on);
}

gate_up_weights placed_weights::get() const {
  switch (layout) {
    case weight_layout::separate: return gate_up_weights::separate(first.data(), second.data());
    case weight_layout::stacked_gate_up: return gate_up_weights::stacked_gate_up(first.data());
    case weight_layout::stacked_up_gate: return gate_up_weights::stacked_up_gate(first.data());
    default: return gate_up_weights::interleaved(first.data());
  }
}

void call_memory::fill_inputs(const matrix_values& of, const problem& p, int misaligned, cudaStream_t on) {
  fill_x(of, x.reserve(p.m, row_stride_x(p), misaligned, on), p.m, row_stride_x(p), on);
  fill_bias(of, false, bias_gate.reserve(1, p.n, misaligned, on), p.n, on);
  fill_bias(of, true, bias_up.reserve(1, p.n, misaligned, on), p.n, on);
}

void call_memory::clear_outputs(const problem& p, std::size_t workspace_bytes, int misaligned, cudaStream_t on) {
  y.reserve(p.m, row_stride_y(p), misaligned, on);
  if (workspace_bytes == 0) return;
  workspace.reserve(workspace_bytes + after_workspace);
  poison(workspace.data<char>(), workspace_bytes + after_workspace, on);
}

tensors call_memory::get(const problem& p, const placed_weights& w, std::size_t workspace_bytes) const {
  tensors t{x.data(), w.get()};
  t.y = y.data();
  if (p.bias) t.bias_gate = bias_gate.data(), t.bias_up = bias_up.data();
  if (workspace_bytes > 0) t.workspace = workspace.data<void>(), t.workspace_bytes = workspace_bytes;
  return t;
}

void reference_products::weights(const matrix_values& of, std::int64_t n, cudaStream_t on) {
  const auto elements = static_cast<std::size_t>(n * of.k);
  fill_weights(of, false, half_values::random, gate_.as<std::uint16_t>(elements + 1), n, of.k, on);
  fill_weights(of, true, half_values::random, up_.as<std::uint16_t>(elements + 1), n, of.k, on);
}

void reference_products::rows(const matrix_values& of, std::int64_t m, std::int64_t n, cudaStream_t on) {
  const auto elements = static_cast<std::size_t>(m * n) + 1;
  fill_x(of, x_.as<std::uint16_t>(static_cast<std::size_t>(m * of.k) + 1), m, of.k, on);
  product_float64(of.type, x_.data<void>(), gate_.data<void>(), gate64_.as<double>(elements), m, n, of.k, on);
  product_float64(of.type, x_.data<void>(), up_.data<void>(), up64_.as<double>(elements), m, n, of.k, on);
  product_float32(of.type, x_.data<void>(), gate_.data<void>(), gate32_.as<float>(elements), m, n, of.k, on);
  product_float32(of.type, x_.data<void>(), up_.data<void>(), up32_.as<float>(elements), m, n, of.k, on);
}

verdict* device_verdict::reset(cudaStream_t on) {
  verdict* v = const_cast<device_block&>(block_).as<verdict>(1);
  require(cudaMemsetAsync(v, 0, sizeof(verdict), on), "clearing a verdict");
  return v;
}

verdict device_verdict::fetch(cudaStream_t on) const {
  verdict v;
  require(cudaMemcpyAsync(&v, block_.data<verdict>(), sizeof v, cudaMemcpyDeviceToHost, on), "fetching a verdict");
  require(cudaStreamSynchronize(on), "a kernel");
  return v;
}

unsigned long long* device_counter::reset(cudaStream_t on) {
  auto* counter = block_.as<unsigned long long>(1);
  require(cudaMemsetAsync(counter, 0, sizeof(unsigned long long), on), "clearing a counter");
  return counter;
}

unsigned long long device_counter::fetch(cudaStream_t on) const {
  unsigned long long value = 0;
  require(cudaMemcpyAsync(&value, block_.data<unsigned long long>(), sizeof value, cudaMemcpyDeviceToHost, on), "fetching a counter");
  require(cudaStreamSynchronize(on), "a kernel");
  return value;
}

std::vector<execution_plan> plan_row(context& c, const std::string& row, const std::string& check, const problem& p) {
  plan_options options;
  options.kernel = row;
  auto chosen = plan(p, c.device, options);
  if (chosen.ok()) return {*std::move(chosen)};
  if (row.empty()) {
    c.out.fail(label(row), check, describe(p) + ": nothing computes it: " + chosen.error().text());
  } else if (chosen.error().code() == status_code::unsupported && !chosen.error().text().empty()) {
    c.out.refuse(label(row), check);
  } else {
    c.out.fail(label(row), check, describe(p) + ": a refusal without a reason: " + chosen.error().text());
  }
  return {};
}

bool compute_row(context& c, const std::string& row, const std::string& check, const problem& p, call_memory& memory, const placed_weights& w) {
  for (const execution_plan& plan : plan_row(c, row, check, p)) {
    memory.clear_outputs(p, plan.workspace, 0, c.on);
    const status s = run(plan, memory.get(p, w, plan.workspace), c.on);
    if (s.ok()) return true;
    c.out.fail(label(row), check, describe(p) + ": " + s.text());
  }
  return false;
}

std::string judge_words(const verdict& v, dtype type, value_class values, double outputs, double& ratio) {
  ratio = 0;
  if (v.not_written) return std::to_string(v.not_written) + " outputs were not written";
  if (v.outside) return std::to_string(v.outside) + " elements outside the output were written";
  if (v.after_workspace) return "bytes after the workspace were written";
  if (v.not_finite) return std::to_string(v.not_finite) + " outputs are not finite where float32 is, or the other way round";
  const double size = std::sqrt(v.reference2), error = std::sqrt(v.error2), honest = std::sqrt(v.honest2),
               allowed = allowed_error_ratio(values, outputs);
  if (error <= negligible_error(type) * size) return {};
  const double found = error / honest;
  if (!(found <= allowed))
    return "error " + std::to_string(error / size) + " is " + std::to_string(found) + " times that of float32 rounded once, " +
           std::to_string(honest / size) + "; allowed is " + std::to_string(allowed);
  if (outputs >= 4096 && values != value_class::cancelling) ratio = found;
  return {};
}

void judged_runs::add(const std::string& row, const std::string& check, const execution_plan& plan, call_memory& memory, const placed_weights& w,
                      const reference_products& reference, value_class values, int misaligned) {
  const problem& p = plan.problem;
  const auto what = [plan, values, misaligned] {
    return describe(plan.problem) + " " + std::string(name(values)) + (misaligned ? " misaligned" : "") + " by " + plan.row;
  };
  memory.clear_outputs(p, plan.workspace, misaligned, c_.on);
  const tensors t = memory.get(p, w, plan.workspace);
  const status s = run(plan, t, c_.on);
  if (!s.ok()) return c_.out.fail(label(row), check, what() + ": " + std::string(name(s.code())) + ": " + s.text());
  verdict* mine = verdicts_.add([this, row, check, what, type = p.y_type, values, outputs = static_cast<double>(p.m * p.n)](const verdict& v) {
    double ratio = 0;
    if (const std::string words = judge_words(v, type, values, outputs, ratio); !words.empty())
      c_.out.fail(label(row), check, what() + ": " + words);
    else
      c_.out.pass(label(row), check, ratio);
  });
  judge(p, reference.get(), t.bias_gate, t.bias_up, memory.output(p), mine, c_.on);
  if (plan.workspace > 0)
    count_written(memory.workspace.data<char>() + plan.workspace, call_memory::after_workspace, &mine->after_workspace, c_.on);
}

}  // namespace tileglu::gpu_check
