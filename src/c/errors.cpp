// leat_last_error, leat_set_loss_handler and leat_set_loss_status of leat.h.
#include "c/errors.hpp"

#include <atomic>
#include <string>

#include "base/loss.hpp"

namespace leat {
inline namespace v0 {
namespace c {

namespace {

std::atomic<leat_loss_handler*> loss_handler{nullptr};

leat_reason reason_of(const std::error_code& ec) noexcept {
  static_assert(LEAT_REASON_NO_CODECS == static_cast<int>(errc::no_codecs));
  return ec.category() == error_category() ? static_cast<leat_reason>(ec.value())
                                           : LEAT_REASON_NONE;
}

/// Converts a failure to a leat_error without its message.
leat_error to_c(const failure& cause, int number, const char* path) noexcept {
  return {number,       reason_of(cause.code), cause.operation, path,
          cause.offset, cause.unwritten,       cause.unread,    ""};
}

void report_in_c(const io_error& loss) noexcept {
  leat_loss_handler* const handler = loss_handler.load();
  if (handler == nullptr) return;
  leat_error error = to_c({.code = loss.code(),
                           .operation = loss.operation(),
                           .offset = loss.offset(),
                           .unwritten = loss.unwritten(),
                           .unread = loss.unread()},
                          errno_of(loss.code()), loss.path().c_str());
  error.message = loss.what();
  handler(&error);
}

}  // namespace

}  // namespace c
}  // namespace v0
}  // namespace leat

using namespace leat::c;

const leat_error* leat_last_error(void) {
  static thread_local constinit leat_error result{};
  leat::failure_record& last = leat::last_error_of_thread();
  result = to_c(last.cause, last.number, last.path);
  if (last.number == 0) return result.operation = "", &result;
  const int before = errno;
  if (!last.has_text) try {
      leat::record_message(leat::last_error().what());
    } catch (const std::bad_alloc&) {
      leat::record_message("no memory for the message");
    }
  errno = before;
  result.message = last.text;
  return &result;
}

leat_loss_handler* leat_set_loss_handler(leat_loss_handler* handler) {
  leat_loss_handler* const before = loss_handler.exchange(handler);
  leat::set_loss_handler(handler != nullptr ? report_in_c : nullptr);
  return before;
}

int leat_set_loss_status(int status) { return leat::set_loss_status(status); }
