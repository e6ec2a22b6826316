#include "device/no_sidecar.hpp"
