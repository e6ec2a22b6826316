// Windows has no sidecars: this file has the stubs.
#include "recovery/no_sidecar.hpp"
