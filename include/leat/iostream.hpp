// std::ostream and std::istream over leat's streams, for code that needs the standard types.
#pragma once

#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <istream>
#include <ostream>
#include <streambuf>

namespace leat {
inline namespace v0 {

/// A std::ostream over a writer, which must outlive it. It has no buffer of its own, so bytes
/// written to the writer and to the ostream keep their order. badbit is set once the writer has
/// failed.
///
///     auto file = leat::create("points.txt");
///     leat::ostream(file) << point << '\n';
class LEAT_API ostream final : public std::ostream {
 public:
  explicit ostream(writer& target);
  ~ostream() override;

 private:
  class LEAT_API buffer final : public std::streambuf {
   public:
    explicit buffer(writer& target) : target_(&target) {}

   protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;
    pos_type seekoff(off_type offset, std::ios_base::seekdir from,
                     std::ios_base::openmode which) override;
    pos_type seekpos(pos_type position, std::ios_base::openmode which) override;

   private:
    bool failed() const noexcept;

    writer* target_;
  };

  buffer buffer_;
};

/// A std::istream over a reader, which must outlive it. It has no buffer of its own: it reads the
/// reader's window. While the istream is in use, the reader's position may be smaller than the
/// istream's. sync(), a seek and the destructor move the reader to the istream's position. badbit
/// is set after a failed read.
///
///     auto file = leat::open("points.txt");
///     leat::istream in(file);
///     in >> point;
class LEAT_API istream final : public std::istream {
 public:
  explicit istream(reader& from);
  ~istream() override;

 private:
  class LEAT_API buffer final : public std::streambuf {
   public:
    explicit buffer(reader& from) : from_(&from) {}
    ~buffer() override { give_back(); }

   protected:
    int_type underflow() override;
    int_type pbackfail(int_type c) override;
    std::streamsize xsgetn(char* into, std::streamsize size) override;
    std::streamsize showmanyc() override;
    int sync() override;
    pos_type seekoff(off_type offset, std::ios_base::seekdir from,
                     std::ios_base::openmode which) override;
    pos_type seekpos(pos_type position, std::ios_base::openmode which) override;

   private:
    void give_back() noexcept;

    reader* from_;
  };

  buffer buffer_;
};

}  // namespace v0
}  // namespace leat
