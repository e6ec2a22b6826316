// The portable kernels, and the kernels for the vector instructions that every target machine has.
// kernels.cpp chooses one of them.
#include "search/loops.hpp"

namespace leat {
inline namespace v0 {
namespace search {

constexpr kernels portable_kernels = loops::make_kernels<simd::word>("portable");

#if defined(__SSE2__)
namespace {
constexpr kernels with_vectors = loops::make_kernels<simd::native>("sse2");
}
constexpr const kernels* baseline_kernels = &with_vectors;
#elif defined(__aarch64__) && defined(__ARM_NEON)
namespace {
constexpr kernels with_vectors = loops::make_kernels<simd::native>("neon");
}
constexpr const kernels* baseline_kernels = &with_vectors;
#else
constexpr const kernels* baseline_kernels = nullptr;
#endif

}  // namespace search
}  // namespace v0
}  // namespace leat
