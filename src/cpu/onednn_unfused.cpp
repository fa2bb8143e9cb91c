// The baseline as a framework computes it: two whole products by oneDNN, on all threads, from plain weights, then the activation.
#include "cpu/onednn.hpp"

#include <algorithm>

#include "cpu/onednn_call.hpp"
#include "cpu/reuse_pool.hpp"

namespace tileglu::cpu {
namespace {

using dnnl::memory;

struct call_memory {
  dnnl::stream stream{cpu_engine()};
  memory x, w, bias, to, scratchpad;
  std::unique_ptr<aligned_bytes> scratchpad_bytes;
};

class onednn_unfused final : public unfused {
 public:
  onednn_unfused(const product_shape& shape, const kernel_set& kernels, bool bias) : shape_(shape), kernels_(kernels), bias_(bias) {
    const auto type = memory::data_type::bf16;
    x_ = rows_of(shape.m, shape.k, type, shape.ldx);
    w_ = memory::desc({shape.k, shape.n}, type, memory::dims{1, shape.ldw});
    to_ = rows_of(shape.m, shape.n, type, shape.n);
    bias_desc_ = bias ? rows_of(1, shape.n, type, shape.n) : memory::desc();
    const made_for_threads all(shape.threads);
    const auto description = describe_product(x_, w_, to_, bias_desc_);
    scratchpad_ = description.scratchpad_desc();
    multiply_ = dnnl::matmul(description);
    pool_.prepare([this] {
      auto made = std::make_unique<call_memory>();
      made->scratchpad_bytes = std::make_unique<aligned_bytes>(std::max<std::size_t>(scratchpad_.get_size(), 64));
      made->x = memory(x_, cpu_engine(), nullptr), made->w = memory(w_, cpu_engine(), nullptr), made->to = memory(to_, cpu_engine(), nullptr);
      if (bias_) made->bias = memory(bias_desc_, cpu_engine(), nullptr);
      made->scratchpad = memory(scratchpad_, cpu_engine(), made->scratchpad_bytes->data());
      return made;
    });
  }

  status run(const product_tensors& t, std::uint16_t* workspace) const noexcept override {
    auto mine = pool_.take();
    if (mine == nullptr) return {status_code::out_of_memory, {}};
    std::uint16_t* up = workspace + shape_.m * shape_.n;
    const bool done = multiply(*mine, t.x, t.w.gate, t.bias_gate, workspace) && multiply(*mine, t.x, t.w.up, t.bias_up, up);
    pool_.give(std::move(mine));
    if (!done) return {status_code::internal, {}};
    activate(shape_, kernels_, workspace, up, t.y);
    return {};
  }

 private:
  bool multiply(call_memory& mine, const std::uint16_t* x, const std::uint16_t* w, const std::uint16_t* bias, std::uint16_t* to) const noexcept {
    const auto point = [](memory& at, const void* data) { return dnnl_memory_set_data_handle(at.get(), const_cast<void*>(data)) == dnnl_success; };
    if (!point(mine.x, x) || !point(mine.w, w) || !point(mine.to, to) || (bias_ && !point(mine.bias, bias))) return false;
    const dnnl_exec_arg_t from{DNNL_ARG_SRC, mine.x.get()}, weights{DNNL_ARG_WEIGHTS, mine.w.get()}, result{DNNL_ARG_DST, mine.to.get()};
    const dnnl_exec_arg_t scratchpad{DNNL_ARG_SCRATCHPAD, mine.scratchpad.get()};
    if (bias_) return execute(multiply_, mine.stream, {from, weights, {DNNL_ARG_BIAS, mine.bias.get()}, result, scratchpad});
    return execute(multiply_, mine.stream, {from, weights, result, scratchpad});
  }

  product_shape shape_;
  const kernel_set& kernels_;
  bool bias_;
  memory::desc x_, w_, to_, bias_desc_, scratchpad_;
  dnnl::matmul multiply_;
  mutable reuse_pool<call_memory> pool_;
};

}  // namespace

std::shared_ptr<unfused> make_onednn_unfused(const product_shape& shape, const kernel_set& kernels, bool bias) try {
  if (shape.k == 0 || shape.type != dtype::bf16) return nullptr;
  return std::make_shared<onednn_unfused>(shape, kernels, bias);
} catch (const dnnl::error& error) {
  if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
  return nullptr;  // no product of bf16 on this machine
}

}  // namespace tileglu::cpu
