// Windows has no sidecars: this file includes the stubs.
#include "recovery/no_sidecar.hpp"
