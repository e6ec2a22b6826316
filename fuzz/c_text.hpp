// view_of() converts a leat_text, which C's functions return, to a std::string_view. For the
// drivers of leat.h.
#pragma once

#include <leat/leat.h>

#include <string_view>

namespace fuzz {

inline std::string_view view_of(leat_text text) { return {text.bytes, text.size}; }

}  // namespace fuzz
