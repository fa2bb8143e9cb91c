// A checkpoint's layers on a device, and the activations that go through them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tileglu/tileglu.hpp"

namespace tileglu::cli {

/// The weights of one layer: on the host, for the oracle, and where the device reads them.
struct device_layer {
  mlp_layer layer;
  mlp_weights host;
  gate_up_weights w = gate_up_weights::separate(nullptr, nullptr);
  const void* down = nullptr;
  const void* bias_gate = nullptr;
  const void* bias_up = nullptr;
  const void* bias_down = nullptr;
  std::vector<buffer> memory;  ///< copies on a CUDA device; on the CPU the mapped file is used as it is
  std::size_t bytes = 0;       ///< of all its weights
};

result<device_layer> load_to_device(const checkpoint& model, std::size_t position, const device_facts& device);

/// X [rows, k] of every layer, in host memory.
struct activations {
  std::int64_t rows = 0;
  std::vector<std::shared_ptr<const std::vector<std::uint16_t>>> of_layer;
  std::string origin;  ///< "normal, seed 1", or the file
};

/// Normal numbers of deviation 1, as behind a norm: the same rows for every layer of the same k and type.
activations random_activations(const std::vector<device_layer>& layers, std::int64_t rows);

/// From a safetensors file: its only 2-D tensor for every layer, or of several the one whose name holds the layer's number.
/// Errors: io_error, bad_file (names the tensor, its shape and what is allowed; a NaN or an infinity).
result<activations> read_activations(const std::string& path, const std::vector<device_layer>& layers);

}  // namespace tileglu::cli
