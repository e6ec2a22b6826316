// Scenarios of streams that read.
#include "sweep/trial.hpp"
namespace sweep {
std::vector<scenario> reading_scenarios() { return {}; }
std::vector<scenario> random_scenarios() { return {}; }
std::vector<scenario> c_scenarios() { return {}; }
}  // namespace sweep
