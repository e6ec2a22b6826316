// The kernels with AVX2, which kernels.cpp chooses. If the compiler has the options -mavx2 -mbmi
// -mpopcnt, this file is compiled with these options (see CMakeLists.txt). Otherwise avx2_kernels
// is null.
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
