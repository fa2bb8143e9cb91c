// Everything: problem -> plan -> run.
#pragma once

#include "tileglu/baseline.hpp"
#include "tileglu/checkpoint.hpp"
#include "tileglu/device.hpp"
#include "tileglu/info.hpp"
#include "tileglu/memory.hpp"
#include "tileglu/mlp.hpp"
#include "tileglu/names.hpp"
#include "tileglu/pack.hpp"
#include "tileglu/plan.hpp"
#include "tileglu/problem.hpp"
#include "tileglu/reference.hpp"
#include "tileglu/run.hpp"
#include "tileglu/safetensors.hpp"
#include "tileglu/status.hpp"
#include "tileglu/types.hpp"
#include "tileglu/version.hpp"
