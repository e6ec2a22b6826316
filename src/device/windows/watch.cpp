#include "device/watch.hpp"

namespace leat {
inline namespace v0 {

// The system tells late of what is written to a file that stays open, so it is looked at often.
std::unique_ptr<file_watch> watch_folder(const std::string&, std::stop_token stop) {
  return std::make_unique<blind_watch>(std::move(stop), std::chrono::milliseconds(30));
}

}  // namespace v0
}  // namespace leat
