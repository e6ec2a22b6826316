// Implements watch.hpp on Windows: wait() only pauses.
#include "logs/watch.hpp"

namespace leat {
inline namespace v0 {

// The system reports writes to an open file late, so the caller has to look often.
std::unique_ptr<file_watch> watch_folder(path_ref, std::stop_token stop) {
  return std::make_unique<polling_watch>(std::move(stop), std::chrono::milliseconds(30));
}

}  // namespace v0
}  // namespace leat
