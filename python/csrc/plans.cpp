#include "plans.hpp"

#include <array>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "tileglu/device.hpp"
#include "tileglu/run.hpp"

namespace tileglu::torch_extension {
namespace {

struct key_hash {
  std::size_t operator()(const plan_key& k) const noexcept {
    std::size_t h = std::hash<std::string>{}(k.options.kernel);
    const problem& p = k.problem;
    for (std::int64_t part : {p.m, p.n, p.k, p.ldx, p.ldw, p.ldy, std::int64_t(p.x_type), std::int64_t(p.layout), std::int64_t(p.act.kind),
                              std::int64_t(p.bias), std::int64_t(p.mode), std::int64_t(k.device_index)})
      h = (h ^ static_cast<std::size_t>(part)) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
  }
};

result<device_facts> facts_for(const plan_key& key) {
  if (key.cuda) return this_cuda_device(key.device_index);
  return this_cpu();
}

std::shared_ptr<const cached_plan> make(const plan_key& key) {
  auto made = std::make_shared<cached_plan>();
  made->key = key;
  auto facts = facts_for(key);
  if (!facts) {
    made->outcome = facts.error();
    return made;
  }
  auto planned = plan(key.problem, *facts, key.options);
  if (!planned) {
    made->outcome = planned.error();
    return made;
  }
  made->plan = std::move(*planned);
  made->plan.considered.clear();  // kilobytes of text that only explain() reads, and it plans anew
  made->plan.considered.shrink_to_fit();
  made->outcome = prepare(made->plan);
  return made;
}

}  // namespace

std::shared_ptr<const cached_plan> find_plan(const plan_key& key) {
  // The last few problems of this thread, without a lock: a model's layers ask for the same one over and over.
  thread_local std::array<std::shared_ptr<const cached_plan>, 4> recent;
  thread_local std::size_t oldest = 0;
  for (const auto& known : recent)
    if (known != nullptr && known->key == key) return known;

  static std::shared_mutex mutex;
  // Never destroyed: at the end of the process the CUDA driver may be gone before the handles that plans hold.
  static auto& plans = *new std::unordered_map<plan_key, std::shared_ptr<const cached_plan>, key_hash>;
  constexpr std::size_t most_plans = 4096;  // a server with changing batch sizes meets thousands; about 1 KB each
  std::shared_ptr<const cached_plan> found;
  {
    const std::shared_lock lock(mutex);
    if (auto at = plans.find(key); at != plans.end()) found = at->second;
  }
  if (found == nullptr) {
    found = make(key);
    const std::unique_lock lock(mutex);
    if (plans.size() >= most_plans) plans.clear();
    found = plans.try_emplace(key, found).first->second;
  }
  recent[oldest] = found;
  oldest = (oldest + 1) % recent.size();
  return found;
}

}  // namespace tileglu::torch_extension
