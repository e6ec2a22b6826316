# Homebrew's formula of leat. scripts/recipes fills in the placeholders between @ signs.
class Leat < Formula
  desc "Streams for files: fast, checked and measured"
  homepage "@HOMEPAGE@"
  url "@URL@"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :test
  depends_on "expat"
  depends_on "fmt"
  depends_on "lz4"
  depends_on "openssl@3"
  depends_on "xz"
  depends_on "zstd"

  uses_from_macos "curl"
  uses_from_macos "zlib"

  on_linux do
    depends_on "liburing"
  end

  def install
    args = %w[
      -DBUILD_SHARED_LIBS=ON
      -DLEAT_FORMAT=fmt
      -DLEAT_REMOTE=ON
      -DLEAT_CODECS=ON
      -DLEAT_ISAL=OFF
      -DLEAT_TOOLS=ON
      -DLEAT_TESTS=OFF
      -DLEAT_EXAMPLES=OFF
    ]
    system "cmake", "-S", ".", "-B", "build", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"test.cpp").write <<~CPP
      #include <leat/leat.hpp>
      int main() { leat::println("The answer is {}.", 42); }
    CPP
    flags = shell_output("pkgconf --cflags --libs leat").chomp.split
    system ENV.cxx, "-std=c++20", "test.cpp", "-o", "test", *flags
    assert_equal "The answer is 42.\n", shell_output("./test")
    assert_match "bench", shell_output("#{bin}/leat --help")
  end
end
