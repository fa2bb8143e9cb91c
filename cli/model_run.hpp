// Every chosen layer of a checkpoint, for several M: verified against the float64 oracle and raced against the unfused path.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model_data.hpp"
#include "tileglu/tileglu.hpp"

namespace tileglu::cli {

struct model_request {
  device_facts device;
  plan_options choice;
  std::vector<std::int64_t> ms;
  double seconds = 1;            ///< of timing for each race, both sides together
  std::int64_t oracle_rows = 0;  ///< rows of each result that the oracle computes; 0: as many as 4e8 products allow, 1 to 16
};

/// A relative error in the Frobenius norm, against float64, beside that of a float32 product of the same inputs rounded once.
struct measured_error {
  double error = 0, earned = 0, allowed = 0;
  std::string fault;  ///< a NaN, a write past the end; empty where there is none
};

struct layer_outcome {
  int index = 0;
  measured_error ours, baseline;
  double us = 0, baseline_us = 0;  ///< medians; 0 on CUDA, where the layers of a pass are one graph
  bool verified = false;
};

/// One M, and either the gated product or the whole MLP.
struct race_outcome {
  std::int64_t m = 0;
  bool whole_mlp = false;
  std::string row, backend, baseline_row;  ///< baseline_row is empty where there is none to race against
  std::int64_t oracle_rows = 0;
  int rounds = 0;
  double us = 0, baseline_us = 0;  ///< a layer's share of a pass over all layers; the median of the rounds
  double speedup = 0;              ///< baseline_us / us
  std::vector<layer_outcome> layers;
};

bool verified(const race_outcome& race);

/// `step` is told what has been done, `steps_of` times. Errors of planning and running; a wrong result is no error.
result<std::vector<race_outcome>> run_model(const std::vector<device_layer>& layers, const activations& x, const model_request& request,
                                            const std::function<void(std::string_view)>& step);
std::size_t steps_of(const std::vector<device_layer>& layers, const model_request& request);

}  // namespace tileglu::cli
