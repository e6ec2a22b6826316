// The kernels for all machines that the build is for.
#include "search/loops.hpp"

namespace leat {
inline namespace v0 {
namespace search {

constexpr kernels portable_kernels = make_kernels<word>("portable");

#if defined(__SSE2__)
namespace {
constexpr kernels with_vectors = make_kernels<native>("sse2");
}
constexpr const kernels* baseline_kernels = &with_vectors;
#elif defined(__aarch64__) && defined(__ARM_NEON)
namespace {
constexpr kernels with_vectors = make_kernels<native>("neon");
}
constexpr const kernels* baseline_kernels = &with_vectors;
#else
constexpr const kernels* baseline_kernels = nullptr;
#endif

}  // namespace search
}  // namespace v0
}  // namespace leat
