// <windows.h> without its macros that are English words.
#pragma once

#include <windows.h>

#undef far
#undef near
#undef small
