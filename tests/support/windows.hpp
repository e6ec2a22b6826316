// <windows.h> without its macros that are words of English.
#pragma once

#include <windows.h>

#undef far
#undef near
#undef small
