// Converts a leat_text, which C's functions return, to a std::string_view.
#pragma once

#include <leat/leat.h>

#include <string_view>

namespace fuzz {

inline std::string_view view_of(leat_text text) { return {text.bytes, text.size}; }

}  // namespace fuzz
