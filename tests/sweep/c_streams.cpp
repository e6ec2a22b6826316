// Scenarios of leat.h: C streams that write, print, read and seek, also on pipes and on memory.
#include <fcntl.h>
#include <leat/leat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "support/c_options.hpp"
#include "sweep/c_streams.hpp"
#include "sweep/trial.hpp"

#if defined(__GLIBC__)
#  include <grp.h>
extern "C" group* leat_fgetgrent(leat_file* file);  // of <leat/stdio.h>
#endif

namespace sweep {

namespace {

using namespace c;

leat_file* open_pipe(trial& t, const std::string& command, const char* mode) {
  leat_file* const file = leat_popen(command.c_str(), mode);
  if (file == nullptr)
    t.check(::waitpid(-1, nullptr, WNOHANG) < 0, "a failed popen leaves no process");
  t.require(file != nullptr);
  return file;
}

/// Closes the descriptor, which a failed function must not have closed.
void check_open(trial& t, int descriptor) {
  t.check(::close(descriptor) == 0 || errno != EBADF, "a failure leaves the descriptor open");
}

template <class Open>
scenario writes(const char* name, Open open, bool appends = false) {
  return {name, appends ? put_old : nothing,
          [open](trial& t) {
            open_stream out(t, open(t));
            write_text(t, out);
            close(t, out);
          },
          [appends](trial& t) {
            t.check_written(text, appends ? old_text : "");
            t.check_names("the file ");
          }};
}

template <class Body>
scenario reads(const char* name, Body body, const char* mode = "r") {
  return {name, put_text,
          [body, mode](trial& t) {
            open_stream in(t, leat_fopen(t.file().c_str(), mode));
            body(t, in);
            close(t, in);
          },
          check_text};
}

std::vector<scenario> c_writing_scenarios() {
  return {
      writes("fopen w", [](trial& t) { return leat_fopen(t.file().c_str(), "w"); }),
      writes("fopen wx", [](trial& t) { return leat_fopen(t.file().c_str(), "wx"); }),
      writes(
          "fopen a", [](trial& t) { return leat_fopen(t.file().c_str(), "a"); }, true),
      writes("setvbuf",
             [](trial& t) {
               leat_file* const file = leat_fopen(t.file().c_str(), "w");
               if (file != nullptr) leat_setvbuf(file, nullptr, 0 /* _IOFBF */, 1000);
               return file;
             }),
      writes("leat_open, durable",
             [](trial& t) {
               const leat_options options = leat_test::options_with(LEAT_DURABILITY_SYSTEM);
               return leat_open(t.file().c_str(), "w", &options);
             }),
      writes("leat_open w, process",
             [](trial& t) {
               const leat_options options = leat_test::options_with(LEAT_DURABILITY_PROCESS);
               return leat_open(t.file().c_str(), "w", &options);
             }),
      writes(
          "leat_open a, process",
          [](trial& t) {
            const leat_options options = leat_test::options_with(LEAT_DURABILITY_PROCESS);
            return leat_open(t.file().c_str(), "a", &options);
          },
          true),
      writes("freopen",
             [](trial& t) {
               leat_file* const file = leat_fopen("/dev/null", "w");
               if (file == nullptr) return file;
               leat_file* const reopened = leat_freopen(t.file().c_str(), "w", file);
               if (reopened == nullptr) {  // the stream is closed; leat_fclose frees it
                 const int why = errno;
                 leat_fclose(file);
                 errno = why;
               }
               return reopened;
             }),
      {"leat_open, replace", put_old,
       [](trial& t) {
         const leat_options options = leat_test::options_with(LEAT_DURABILITY_NONE, 1);
         open_stream out(t, leat_open(t.file().c_str(), "w", &options));
         write_text(t, out);
         close(t, out);
       },
       [](trial& t) {
         t.check_old_or_new(old_text, text);
         t.check_names("the file ");
       }},
      {"leat_discard", put_old,
       [](trial& t) {
         const leat_options options = leat_test::options_with(LEAT_DURABILITY_NONE, 1);
         open_stream out(t, leat_open(t.file().c_str(), "w", &options));
         write_text(t, out);
         leat_discard(out.release());
       },
       [](trial& t) {
         t.check_file("the file", old_text);
         t.check_names("the file ");
       }},
      {"leat_sync", nothing,
       [](trial& t) {
         open_stream out(t, leat_fopen(t.file().c_str(), "w"));
         write_text(t, out);
         t.require(leat_sync(out) == 0);
         close(t, out);
       },
       [](trial& t) { t.check_written(text); }},
      {"fprintf", nothing,
       [](trial& t) {
         open_stream out(t, leat_fopen(t.file().c_str(), "w"));
         t.require(leat_fprintf(out, "%d %s %.3f\n", 1, "two", 3.0) == 12);
         t.require(leat_fputs("line\n", out) >= 0);
         t.require(leat_fputc('x', out) == 'x');
         t.require(leat_fflush(out) == 0);
         close(t, out);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_file("the file", "1 two 3.000\nline\nx");
       }},
      {"dprintf", nothing,
       [](trial& t) {
         open_stream out(t, leat_fopen(t.file().c_str(), "w"));
         t.require(leat_dprintf(leat_fileno(out), "%s", text.c_str()) ==
                   static_cast<int>(text.size()));
         close(t, out);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_file("the file", text);
       }},
      {"fputws", nothing,
       [](trial& t) {
         open_stream out(t, leat_fopen(t.file().c_str(), "w"));
         t.require(leat_fputws(L"wide\n", out) >= 0);
         close(t, out);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_file("the file", "wide\n");
       }},
      {"open_memstream", nothing,
       [](trial& t) {
         char* memory = nullptr;
         std::size_t size = 0;
         try {
           open_stream out(t, leat_open_memstream(&memory, &size));
           write_text(t, out);
           close(t, out);
           t.text_read.assign(memory, size);
         } catch (...) {
           std::free(memory);
           throw;
         }
         std::free(memory);
       },
       check_text},
      {"open_wmemstream", nothing,
       [](trial& t) {
         wchar_t* memory = nullptr;
         std::size_t size = 0;
         try {
           open_stream out(t, leat_open_wmemstream(&memory, &size));
           for (int i = 0; i != 500; ++i) t.require(leat_fputws(L"a line\n", out) >= 0);
           close(t, out);
           t.text_read = std::to_string(size);
         } catch (...) {
           std::free(memory);
           throw;
         }
         std::free(memory);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_read("3500");
       }},
      {"fmemopen", nothing,
       [](trial& t) {
         std::string memory(10'000, ' ');
         open_stream out(t, leat_fmemopen(memory.data(), memory.size(), "w"));
         write_text(t, out);
         close(t, out);
         t.text_read = memory.substr(0, text.size());
       },
       [](trial& t) {
         if (t.succeeded()) t.check_read(text);
       }},
      {"popen w", nothing,
       [](trial& t) {
         const std::string command = "cat >'" + t.file() + '\'';
         leat_file* const out = open_pipe(t, command, "w");
         try {
           write_text(t, out);
         } catch (...) {
           leat_pclose(out);
           throw;
         }
         t.require(leat_pclose(out) == 0);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_file("the file", text);
       }},
      {"fopencookie", nothing,
       [](trial& t) {
         static bool closed;
         closed = false;
         const leat_cookie_functions functions{nullptr,
                                               [](void* to, const char* from, std::size_t size) {
                                                 static_cast<std::string*>(to)->append(from, size);
                                                 return static_cast<ssize_t>(size);
                                               },
                                               nullptr, [](void*) { return closed = true, 0; }};
         t.text_read.reserve(text.size());
         leat_file* const file = leat_fopencookie(&t.text_read, "w", functions);
         t.check(!closed, "a failed fopencookie does not close the cookie");
         open_stream out(t, file);
         write_text(t, out);
         close(t, out);
       },
       check_text},
      {"fprintf, long", nothing,
       [](trial& t) {
         open_stream out(t, leat_fopen(t.file().c_str(), "w"));
         t.require(leat_fprintf(out, "%.3000f %5000d\n", 0.1, 5) == 3002 + 5002);
         close(t, out);
       },
       [](trial& t) {
         if (t.succeeded())
           t.check(content_of(t.file()).size() == 8004, "success: the size is right");
       }},
      {"asprintf", nothing,
       [](trial& t) {
         char* printed = nullptr;
         t.require(leat_asprintf(&printed, "%s %d", text.c_str(), 5) ==
                   static_cast<int>(text.size()) + 2);
         t.text_read = printed;
         std::free(printed);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_read(text + " 5");
       }},
  };
}

std::vector<scenario> c_reading_scenarios() {
  return {
      reads("fread", [](trial& t, leat_file* in) { read_text(t, in); }),
      reads("fgets",
            [](trial& t, leat_file* in) {
              char line[60];
              while (leat_fgets(line, sizeof line, in) != nullptr) t.text_read += line;
              t.require(leat_ferror(in) == 0);
            }),
      reads("getline",
            [](trial& t, leat_file* in) {
              t.text_read.reserve(text.size());  // so that append does not throw
              char* line = nullptr;
              std::size_t size = 0;
              for (ssize_t n; (n = leat_getline(&line, &size, in)) > 0;)
                t.text_read.append(line, static_cast<std::size_t>(n));
              const bool ended = leat_feof(in) != 0 && leat_ferror(in) == 0;
              std::free(line);
              t.require(ended);
            }),
      reads("getc",
            [](trial& t, leat_file* in) {
              for (int byte; (byte = leat_fgetc(in)) >= 0;) t.text_read += static_cast<char>(byte);
              t.require(leat_ferror(in) == 0);
            }),
      reads("leat_next_line",
            [](trial& t, leat_file* in) {
              std::size_t size = 0;
              while (const char* line = leat_next_line(in, &size)) {
                if (!t.text_read.empty()) t.text_read += '\n';
                t.text_read.append(line, size);
                // After EINTR or EAGAIN the call returns the part of a line that has arrived, like
                // getline.
                t.require(leat_ferror(in) == 0);
              }
              t.require(leat_ferror(in) == 0);
            }),
      reads("fscanf",
            [](trial& t, leat_file* in) {
              // The end of the text may cut the last number, so the loop stops before it.
              for (int i = 0, number = 0; t.text_read.size() + 8 < text.size(); ++i) {
                const int got = leat_fscanf(in, "%d", &number);
                t.require(leat_ferror(in) == 0);
                if (got != 1 || number != i) return t.check(false, "the numbers read are right");
                t.text_read += std::to_string(i) + (i % 8 == 7 ? '\n' : ' ');
              }
              t.text_read = text;
            }),
      reads("fseek",
            [](trial& t, leat_file* in) {
              std::string first(4000, ' ');
              t.require(leat_fseek(in, 5000, 0) == 0);
              t.require(leat_fread(first.data(), 1, 4000, in) == 4000);
              t.require(leat_fseek(in, 0, 0) == 0);
              read_text(t, in);
              t.check(first == text.substr(5000), "the bytes read are right");
            }),
      reads("fgetws",
            [](trial& t, leat_file* in) {
              wchar_t line[200];
              while (leat_fgetws(line, 200, in) != nullptr)
                for (const wchar_t* c = line; *c != 0; ++c) t.text_read += static_cast<char>(*c);
              t.require(leat_ferror(in) == 0);
            }),
      reads("getdelim",
            [](trial& t, leat_file* in) {
              t.text_read.reserve(text.size());
              char* word = nullptr;
              std::size_t size = 0;
              for (ssize_t n; (n = leat_getdelim(&word, &size, ' ', in)) > 0;)
                t.text_read.append(word, static_cast<std::size_t>(n));
              const bool ended = leat_feof(in) != 0 && leat_ferror(in) == 0;
              std::free(word);
              t.require(ended);
            }),
      reads("ungetc",
            [](trial& t, leat_file* in) {
              const int first = leat_fgetc(in);
              t.require(first >= 0);
              t.require(leat_ungetc(first, in) == first);
              read_text(t, in);
            }),
      {"fdopen", put_text,
       [](trial& t) {
         const int descriptor = ::open(t.file().c_str(), O_RDONLY | O_CLOEXEC);
         t.require(descriptor >= 0);
         leat_file* const file = leat_fdopen(descriptor, "r");
         if (file == nullptr) check_open(t, descriptor);
         open_stream in(t, file);
         read_text(t, in);
         close(t, in);
       },
       check_text},
      {"leat_device_adopt", put_text,
       [](trial& t) {
         const int descriptor = ::open(t.file().c_str(), O_RDONLY | O_CLOEXEC);
         t.require(descriptor >= 0);
         leat_device* const device = leat_device_adopt(descriptor);
         t.require(device != nullptr);  // a failure closes the descriptor
         char block[100];
         const ssize_t n = leat_device_read_at(device, 0, block, sizeof block);
         leat_device_free(device);
         t.require(n >= 0);
         t.check(text.starts_with(std::string_view(block, static_cast<std::size_t>(n))),
                 "the bytes read are those of the file");
       },
       nothing},
#if defined(__GLIBC__)
      {"fgetgrent", [](trial& t) { put_file(t.file(), "name:x:17:one,two\n"); },
       [](trial& t) {
         open_stream in(t, leat_fopen(t.file().c_str(), "r"));
         const group* const entry = leat_fgetgrent(in);
         t.require(entry != nullptr && leat_ferror(in) == 0);
         t.text_read = entry->gr_name;
         close(t, in);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_read("name");
       }},
#endif
      {"leat_find", put_text,
       [](trial& t) {
         open_stream in(t, leat_fopen(t.file().c_str(), "r"));
         leat_off_t at = 0;
         const int found = leat_find(in, "1500 ", 5, &at);
         t.require(found >= 0);
         t.text_read = std::to_string(at);
         close(t, in);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_read(std::to_string(text.find("1500 ")));
       }},
      {"popen", put_text,
       [](trial& t) {
         const std::string command = "cat '" + t.file() + '\'';
         leat_file* const in = open_pipe(t, command, "r");
         try {
           read_text(t, in);
         } catch (...) {
           leat_pclose(in);
           throw;
         }
         t.require(leat_pclose(in) == 0);
       },
       check_text},
  };
}

}  // namespace

std::vector<scenario> c_scenarios() {
  std::vector<scenario> all = c_writing_scenarios();
  const auto reading = c_reading_scenarios();
  all.insert(all.end(), reading.begin(), reading.end());
  return all;
}

}  // namespace sweep
