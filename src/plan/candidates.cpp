#include "plan/candidates.hpp"

#include <limits>
#include <utility>

#include "base/number_words.hpp"
#include "plan/config/interleaved_shape.hpp"

namespace tileglu::plan_detail {
namespace {

std::string not_multiple(const char* argument, std::int64_t value, int of, const char* why) {
  if (value % of == 0) return {};
  return std::string(argument) + " is " + std::to_string(value) + "; allowed are multiples of " + std::to_string(of) + " (" + why + ")";
}

std::string refuse_cuda_device(const device_facts& device, int least) {
  if (device.kind != device_kind::cuda)
    return "device is " + device.name + "; allowed is a CUDA device of compute capability " + base::capability(least) + " or more";
  if (device.compute_capability < least)
    return "device " + device.name + " has compute capability " + base::capability(device.compute_capability) + "; allowed is " +
           base::capability(least) + (least == 90 ? "" : " or more");
  return {};
}

/// Kernel-2's rules: W_fused, 2n columns counted in int, and no more than plain silu where the accumulators leave no registers.
std::string refuse_interleaved(const interleaved_config& config, const problem& p) {
#ifdef TILEGLU_WITHOUT_CUTLASS
  return "this build of tileglu holds no interleaved kernel: CUTLASS's headers were not found (TILEGLU_CUTLASS_DIR)";
#endif
  if (p.layout != weight_layout::interleaved) return "layout is " + std::string(name(p.layout)) + "; allowed is interleaved: pack() makes it";
  if (p.n > INT32_MAX / 2) return "n is " + std::to_string(p.n) + "; allowed are at most 2^30 - 1: the kernel counts 2n columns";
  if (covers_general(config)) return {};
  const std::string why = ": " + std::to_string(accumulators(config)) + " accumulators a thread leave no registers for more";
  if (p.act.kind != activation_kind::silu) return "act.kind is " + std::string(name(p.act.kind)) + "; allowed is silu" + why;
  if (p.act.limit != std::numeric_limits<float>::infinity()) return "act.limit is " + base::shortest(p.act.limit) + "; allowed is infinity" + why;
  if (p.bias) return "bias is true; allowed is false" + why;
  if (p.mode != numerics::fp32_through) return "mode is " + std::string(name(p.mode)) + "; allowed is fp32_through" + why;
  return {};
}

std::string refuse_sm90(const kernel_row& row, const problem& p, const device_facts& device) {
  if (auto why = refuse_cuda_device(device, 90); !why.empty()) return why;
  if (device.compute_capability != 90)
    return "device " + device.name + " has compute capability " + base::capability(device.compute_capability) +
           "; allowed is 9.0: sm_90a code runs nowhere else";
  if (!device.sm90_kernels_built) return "this build of tileglu holds no sm_90a code; build it with nvcc 13.0 or newer";
  if (device.driver_version < 13000)
    return "driver_version is " + std::to_string(device.driver_version) + "; allowed are 13000 (CUDA 13.0) and newer";
  if (p.k == 0) return "k is 0; allowed are multiples of 8 from 8 up";
  constexpr const char* rule = "16-byte rows, which TMA needs";
  for (const auto& why : {not_multiple("n", p.n, 8, rule), not_multiple("k", p.k, 8, rule), not_multiple("ldx", row_stride_x(p), 8, rule),
                          not_multiple("ldw", row_stride_w(p), 8, rule), not_multiple("ldy", row_stride_y(p), 8, rule)})
    if (!why.empty()) return why;
  // A row stride of TMA is below 2^40 bytes; gate rows in the interleaved layout are two strides apart.
  constexpr std::int64_t longest_row = std::int64_t{1} << 37;
  for (const auto& [argument, stride] : {std::pair{"ldx", row_stride_x(p)}, {"ldw", row_stride_w(p)}, {"ldy", row_stride_y(p)}})
    if (stride > longest_row)
      return std::string(argument) + " is " + std::to_string(stride) + "; allowed are at most 2^37, which TMA's row strides hold";
  if (p.m > INT32_MAX || p.n > INT32_MAX || p.k > INT32_MAX) return "m, n or k is above 2^31 - 1, which the fused kernels don't index";
  if (const auto* decode = std::get_if<decode_config>(&row.config); decode && p.m > 8 * decode->token_tiles)
    return "m is " + std::to_string(p.m) + "; allowed are 1 to " + std::to_string(8 * decode->token_tiles);
  if (const auto* interleaved = std::get_if<interleaved_config>(&row.config)) return refuse_interleaved(*interleaved, p);
  return {};
}

std::string refuse_cpu(const device_facts& device) {
  if (device.kind != device_kind::cpu) return "device is " + device.name + "; allowed is a CPU: the tensors lie in GPU memory";
  return {};
}

}  // namespace

std::string refusal(const kernel_row& row, const problem& p, const device_facts& device, const plan_options& options) {
  if (options.backend != backend_id::automatic && options.backend != row.backend)
    return "options.backend is " + std::string(name(options.backend)) + ", and this row belongs to " + std::string(name(row.backend));
  if (!options.kernel.empty() && options.kernel != row.name && options.kernel != name(row.family)) return "options.kernel is " + options.kernel;
  switch (row.backend) {
    case backend_id::sm90: return refuse_sm90(row, p, device);
    case backend_id::cuda_portable: return refuse_cuda_device(device, 80);
    case backend_id::oracle:
      if (options.backend != backend_id::oracle && options.kernel.empty()) return "the reference is slow; ask for it by options.backend";
      return refuse_cpu(device);
    default: break;
  }
  if (auto why = refuse_cpu(device); !why.empty()) return why;
  if (row.family == kernel_family::cpu_stream && p.m > 4)
    return "m is " + std::to_string(p.m) + "; allowed are 1 to 4: more rows are bound by arithmetic";
  if (row.family == kernel_family::cpu_onednn && !device.onednn)
    return "this build of tileglu has no oneDNN; build it with TILEGLU_ONEDNN=ON (Debian: libdnnl-dev)";
  if (row.family == kernel_family::cpu_onednn && p.k == 0) return "k is 0; allowed are 1 and more: oneDNN has no empty products";
  if (row.family == kernel_family::cpu_unfused && options.kernel.empty())
    return "the baseline stores gate and up whole; ask for it by options.kernel";
  if (row.family == kernel_family::cpu_unfused && p.mode != numerics::match_unfused)
    return "mode is " + std::string(name(p.mode)) + "; allowed is match_unfused: this row stores gate and up in the element type";
  return {};
}

}  // namespace tileglu::plan_detail
