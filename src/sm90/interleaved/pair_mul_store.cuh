// PairMulStore, the node of CUTLASS's epilogue visitor tree that makes the paper's Kernel-2 of a stock product:
//
//   D[m, n] = act(acc[m, 2n] + bias_gate[n]) * (acc[m, 2n + 1] + bias_up[n])
//
// In registers: one subtile's accumulators, 64 rows x 64 columns per warpgroup. In shared memory: `Stages` subtiles of half that
// width. In global memory: D [M, N] alone, written by TMA; the collective's own D is void. The collective drives it: visit() does a
// subtile's arithmetic, and only then is the TMA store of the subtile before it committed and waited for (DelayTmaStore), so
// that arithmetic and asynchronous stores run side by side.
#pragma once

#include <cute/tensor.hpp>
#include <cutlass/epilogue/fusion/sm90_visitor_tma_warpspecialized.hpp>

#include "sm90/device/general_epilogue.cuh"
#include "sm90/interleaved/pair_map.hpp"
#include "sm90/ptx/stmatrix.cuh"

namespace tileglu::sm90::interleaved {

namespace fusion = cutlass::epilogue::fusion;

/// CUTLASS's names for the element types, and CUDA's.
template <class Element>
struct cutlass_element;
template <>
struct cutlass_element<__nv_bfloat16> {
  using type = cutlass::bfloat16_t;
};
template <>
struct cutlass_element<__half> {
  using type = cutlass::half_t;
};

template <class Element, class EpilogueTile, int Stages, bool General>
struct PairMulStore {
  using ElementAux = typename cutlass_element<Element>::type;
  using Stride = cute::Stride<std::int64_t, cute::_1, std::int64_t>;  // of D [M, N, 1]
  static constexpr int rows = cute::size<0>(EpilogueTile{});
  static_assert(cute::size<1>(EpilogueTile{}) == pair_map::subtile_columns && rows % 64 == 0, "pair_map describes subtiles of 64 columns");

  using OutputTile = cute::Shape<cute::Int<rows>, cute::Int<pair_map::subtile_outputs>>;
  using SmemLayoutTma = decltype(cute::tile_to_shape(cute::GMMA::Layout_K_SW64_Atom<ElementAux>{}, OutputTile{}));  // (EPI_M, EPI_N / 2)
  using SmemLayout = decltype(cute::tile_to_shape(SmemLayoutTma{},
                                                  cute::make_shape(cute::Int<rows>{}, cute::Int<pair_map::subtile_outputs>{}, cute::Int<Stages>{})));
  static constexpr int stage_bytes = rows * pair_map::row_bytes;

  struct SharedStorage {
    alignas(1024) cute::array_aligned<ElementAux, cute::cosize_v<SmemLayout>> outputs;
  };

  struct Arguments {
    ElementAux* d = nullptr;
    Stride stride = {};
    cuda::epilogue_params epilogue = {};
  };

  struct Params {
    using Tma = decltype(cute::make_tma_copy(
        cute::SM90_TMA_STORE{}, cute::make_tensor(static_cast<ElementAux*>(nullptr), cute::repeat_like(Stride{}, std::int32_t(0)), Stride{}),
        SmemLayoutTma{}));
    Tma store;
    cuda::epilogue_params epilogue;
    int n;  ///< columns of D
  };

  template <class ProblemShape>
  static Params to_underlying_arguments(const ProblemShape& shape, const Arguments& arguments, void*) {
    const auto [m, two_n, k, l] = cute::append<4>(shape, 1);
    const auto d = cute::make_tensor(arguments.d, cute::make_layout(cute::make_shape(m, two_n / 2, l), arguments.stride));  // (M, N, L)
    return {cute::make_tma_copy(cute::SM90_TMA_STORE{}, d, SmemLayoutTma{}), arguments.epilogue, two_n / 2};
  }
  template <class ProblemShape>
  static bool can_implement(const ProblemShape&, const Arguments&) {
    return true;
  }
  template <class ProblemShape>
  static std::size_t get_workspace_size(const ProblemShape&, const Arguments&) {
    return 0;
  }
  template <class ProblemShape>
  static cutlass::Status initialize_workspace(const ProblemShape&, const Arguments&, void*, cudaStream_t, cutlass::CudaHostAdapter* = nullptr) {
    return cutlass::Status::kSuccess;
  }

  CUTLASS_HOST_DEVICE PairMulStore() {}
  CUTLASS_HOST_DEVICE PairMulStore(const Params& p, const SharedStorage& storage)
      : params(&p), outputs(const_cast<ElementAux*>(storage.outputs.data())) {}

  const Params* params;
  ElementAux* outputs;

  CUTLASS_DEVICE bool is_producer_load_needed() const { return false; }
  CUTLASS_DEVICE bool is_C_load_needed() const { return false; }
  template <class... Args>
  CUTLASS_DEVICE auto get_producer_load_callbacks(const fusion::ProducerLoadArgs<Args...>&) {
    return fusion::EmptyProducerLoadCallbacks{};
  }

  template <class SmemTensor, class GmemTensor>
  struct ConsumerStoreCallbacks : fusion::EmptyConsumerStoreCallbacks {
    CUTLASS_DEVICE ConsumerStoreCallbacks(const Params* p, std::uint32_t stage0, int thread_index, int first_column, SmemTensor&& from,
                                          GmemTensor&& to)
        : params(p),
          stages(stage0),
          thread(thread_index),
          column(first_column),
          smem(cute::forward<SmemTensor>(from)),
          gmem(cute::forward<GmemTensor>(to)) {}

    const Params* params;
    std::uint32_t stages;                                 // shared-memory address of stage 0
    int thread;                                           // of the warpgroups that share the tile
    int column;                                           // of D: the tile's first
    SmemTensor smem;                                      // (TMA, TMA_M, TMA_N, STAGE)
    GmemTensor gmem;                                      // (TMA, TMA_M, TMA_N, EPI_M, EPI_N)
    unsigned words[pair_map::subtile_registers / 16][4];  // of the subtile at hand: what stmatrix.x4 takes, 2 chunks of 8 outputs x rows 0-7, 8-15

    /// Trade group `t` of 8 outputs within a quad. `first`, `second` of pair_map: rows r and r + 8 of one column, packed.
    CUTLASS_DEVICE void trade(int t, unsigned first, unsigned second) {
      const int q = thread % 4, quad = thread % 32 & ~3;
      const bool first_in_0 = pair_map::sends_first(q, 0);
      const unsigned round0 = __shfl_sync(0xffffffffu, first_in_0 ? first : second, quad + pair_map::source(q, 0));
      const unsigned round1 = __shfl_sync(0xffffffffu, first_in_0 ? second : first, quad + pair_map::source(q, 1));
      const bool low_in_0 = pair_map::round_of_low(q) == 0;
      words[t / 2][t % 2 * 2] = __byte_perm(round0, round1, low_in_0 ? 0x5410u : 0x1054u);      // row r
      words[t / 2][t % 2 * 2 + 1] = __byte_perm(round0, round1, low_in_0 ? 0x7632u : 0x3276u);  // row r + 8
    }

    /// Multiply the pairs of a subtile and trade columns within quads.
    template <class Accumulator, class Input, int Size>
    CUTLASS_DEVICE auto visit(const cutlass::Array<Accumulator, Size>&, int, int, int epi_n, const cutlass::Array<Input, Size>& acc) {
      static_assert(Size == pair_map::subtile_registers, "a fragment is a whole subtile");
      constexpr int groups = pair_map::subtile_outputs / 8;
      if constexpr (General) {
        const int first_column = column + epi_n * pair_map::subtile_outputs + thread % 4;
        unsigned first = 0;
#pragma unroll 1
        for (int b = 0; b < 2 * groups; ++b) {  // blocks of 8 product columns: of one output column, gate and up of row r, then of row r + 8
          float upper[2], lower[2];
          take_two<0, Size / 2>(acc, 2 * b, upper);
          take_two<0, Size / 2>(acc, 2 * b + 1, lower);
          const int n = first_column + 4 * b;
          const unsigned second = finish_two<Element>({upper[0], lower[0]}, {upper[1], lower[1]}, params->epilogue, {n, n}, params->n);
          CUTLASS_PRAGMA_UNROLL
          for (int t = 0; t < groups; ++t)  // constant indices of words
            if (b == 2 * t + 1) trade(t, first, second);
          first = second;
        }
      } else {
        CUTLASS_PRAGMA_UNROLL
        for (int t = 0; t < groups; ++t) {
          const auto pack = [&](int i) {
            return cuda::pack_two<Element>(cuda::finish_silu(acc[i], acc[i + 1]), cuda::finish_silu(acc[i + 2], acc[i + 3]));
          };
          trade(t, pack(8 * t), pack(8 * t + 4));
        }
      }
      return acc;
    }

    /// Write the subtile into its stage.
    CUTLASS_DEVICE void postreduce(int, int, int iteration, bool) {
      const std::uint32_t stage = stages + static_cast<std::uint32_t>(iteration % Stages * stage_bytes);
      CUTLASS_PRAGMA_UNROLL
      for (int half = 0; half < pair_map::subtile_registers / 16; ++half) {
        const pair_map::position at = pair_map::stmatrix_address(thread % 32, half);
        ptx::stmatrix_x4(stage + pair_map::chunk_offset(thread / 32 * 16 + at.row, at.column), words[half]);
      }
    }

    /// One thread sends the stage on its way; the collective has fenced and synchronised before, and commits after.
    CUTLASS_DEVICE void tma_store(int epi_m, int epi_n, int iteration, bool issue) {
      if (issue) cute::copy(params->store, smem(cute::_, cute::_, cute::_, iteration % Stages), gmem(cute::_, cute::_, cute::_, epi_m, epi_n));
    }
  };

  template <bool ReferenceSrc, class... Args>
  CUTLASS_DEVICE auto get_consumer_store_callbacks(const fusion::ConsumerStoreArgs<Args...>& args) {
    using namespace cute;
    static_assert(registers_agree<cute::remove_cvref_t<decltype(args.tCcD)>>(std::make_integer_sequence<int, pair_map::subtile_registers>{}),
                  "a fragment's order is not pair_map's");
    const auto [m, n, k, l] = args.tile_coord_mnkl;
    const auto [M, two_n, K, L] = args.problem_shape_mnkl;
    const auto half_tile = make_shape(size<0>(args.tile_shape_mnk), size<1>(args.tile_shape_mnk) / Int<2>{});
    Tensor d = params->store.get_tma_tensor(make_shape(M, two_n / 2, L));  // (M, N, L)
    Tensor tile = local_tile(d, half_tile, make_coord(m, n, l));           // (CTA_M, CTA_N / 2)
    Tensor subtiles = flat_divide(tile, OutputTile{});                     // (EPI_M, EPI_N / 2, tiles m, tiles n)
    Tensor stages = as_position_independent_swizzle_tensor(make_tensor(make_smem_ptr(outputs), SmemLayout{}));  // (EPI_M, EPI_N / 2, STAGE)
    const auto block = params->store.get_slice(_0{});
    auto from = block.partition_S(stages);
    auto to = block.partition_D(subtiles);
    return ConsumerStoreCallbacks<decltype(from), decltype(to)>(params, cast_smem_ptr_to_uint(outputs), args.thread_idx,
                                                                static_cast<int>(n) * static_cast<int>(size<1>(half_tile)), cute::move(from),
                                                                cute::move(to));
  }

 private:
  /// Whether the collective's own coordinates of a fragment are pair_map's, register by register.
  template <class Coordinates, int... I>
  static constexpr bool registers_agree(std::integer_sequence<int, I...>) {
    using first = decltype(std::declval<Coordinates>()(cute::_0{}));
    return (... && (pair_map::of_register(0, I) ==
                    pair_map::position{decltype(cute::get<0>(std::declval<Coordinates>()(cute::Int<I>{}) - first{}))::value,
                                       decltype(cute::get<1>(std::declval<Coordinates>()(cute::Int<I>{}) - first{}))::value}));
  }
};

}  // namespace tileglu::sm90::interleaved
