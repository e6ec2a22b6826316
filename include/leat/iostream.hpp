// leat's streams as standard ones, for code that wants a std::ostream.
#pragma once

#include <leat/reader.hpp>
#include <leat/writer.hpp>

#include <istream>
#include <ostream>
#include <streambuf>

namespace leat {
inline namespace v0 {

/// A std::ostream over a writer, which must outlive it. It has no buffer of its own, so what goes
/// to either comes out in order. badbit tells that the writer has failed.
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
/// reader's window. While it is in use the reader stands somewhere before it; sync(), a seek and
/// its end bring the reader to where the istream is. badbit tells that a read has failed.
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
