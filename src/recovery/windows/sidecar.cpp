#include "recovery/no_sidecar.hpp"
