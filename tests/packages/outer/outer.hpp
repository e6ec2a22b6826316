// A library that uses leat.
#pragma once

#include <leat/leat.hpp>

void answer(leat::writer& out, int number);
