// The kernels with AVX2. Compiled with -mavx2 -mbmi -mpopcnt if the compiler has these options (see
// CMakeLists.txt), otherwise empty.
#include "search/loops.hpp"

namespace leat {
inline namespace v0 {
namespace search {

#if defined(__AVX2__) && defined(__BMI__) && defined(__POPCNT__)
namespace {
constexpr kernels with_avx2 = loops::make_kernels<simd::avx2>("avx2");
}
constexpr const kernels* avx2_kernels = &with_avx2;
#else
constexpr const kernels* avx2_kernels = nullptr;
#endif

}  // namespace search
}  // namespace v0
}  // namespace leat
