// Scenarios of leat.h: C streams.
#include <fcntl.h>
#include <leat/leat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "support/c_options.hpp"
#include "sweep/trial.hpp"

#if defined(__GLIBC__)
#  include <grp.h>
extern "C" group* leat_fgetgrent(leat_file* file);  // of <leat/stdio.h>
#endif

namespace sweep {

namespace {

const std::string text = numbered(9000);
const std::string old_text = "what was there before\n";

void nothing(trial&) {}
void put_text(trial& t) { put_file(t.file(), text); }
void put_old(trial& t) { put_file(t.file(), old_text); }
void put_old_and_killed(trial& t) { put_killed(t, old_text, "more\n"); }

/// Closes its file, unless the body has taken the file by give().
class opened {
 public:
  opened(trial& t, leat_file* file) : file_(file) { t.require(file != nullptr); }
  opened(const opened&) = delete;
  opened& operator=(const opened&) = delete;
  ~opened() {
    if (file_ != nullptr) leat_fclose(file_);
  }
  operator leat_file*() const { return file_; }
  leat_file* give() { return std::exchange(file_, nullptr); }

 private:
  leat_file* file_;
};

void close(trial& t, opened& file) { t.require(leat_fclose(file.give()) == 0); }

void write_text(trial& t, leat_file* to) {
  t.counted = false;
  for (std::size_t at = 0; at < text.size(); at += 100) {
    const std::string_view piece = std::string_view(text).substr(at, 100);
    t.handed += piece.size();
    t.require(leat_fwrite(piece.data(), 1, piece.size(), to) == piece.size());
  }
}

void read_text(trial& t, leat_file* from) {
  char block[1000];
  for (std::size_t n; (n = leat_fread(block, 1, sizeof block, from)) != 0;) t.got.append(block, n);
  t.require(leat_ferror(from) == 0);
}

leat_file* started(trial& t, const std::string& command, const char* mode) {
  leat_file* const file = leat_popen(command.c_str(), mode);
  if (file == nullptr)
    t.check(::waitpid(-1, nullptr, WNOHANG) < 0, "a failed popen leaves no process");
  t.require(file != nullptr);
  return file;
}

void check_text(trial& t) { t.check_got(text); }

template <class Open>
scenario writes(const char* name, Open open, bool appends = false) {
  return {name, appends ? put_old : nothing,
          [open](trial& t) {
            opened out(t, open(t));
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
            opened in(t, leat_fopen(t.file().c_str(), mode));
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
               const leat_options how = leat_test::writing(LEAT_DURABILITY_SYSTEM);
               return leat_open(t.file().c_str(), "w", &how);
             }),
      writes("leat_open w, process",
             [](trial& t) {
               const leat_options how = leat_test::writing(LEAT_DURABILITY_PROCESS);
               return leat_open(t.file().c_str(), "w", &how);
             }),
      writes(
          "leat_open a, process",
          [](trial& t) {
            const leat_options how = leat_test::writing(LEAT_DURABILITY_PROCESS);
            return leat_open(t.file().c_str(), "a", &how);
          },
          true),
      writes("freopen",
             [](trial& t) {
               leat_file* const file = leat_fopen("/dev/null", "w");
               if (file == nullptr) return file;
               leat_file* const again = leat_freopen(t.file().c_str(), "w", file);
               if (again == nullptr) {  // the stream is closed; leat_fclose frees it
                 const int why = errno;
                 leat_fclose(file);
                 errno = why;
               }
               return again;
             }),
      {"leat_open, replace", put_old,
       [](trial& t) {
         const leat_options how = leat_test::writing(LEAT_DURABILITY_NONE, 1);
         opened out(t, leat_open(t.file().c_str(), "w", &how));
         write_text(t, out);
         close(t, out);
       },
       [](trial& t) {
         t.check_either(old_text, text);
         t.check_names("the file ");
       }},
      {"leat_discard", put_old,
       [](trial& t) {
         const leat_options how = leat_test::writing(LEAT_DURABILITY_NONE, 1);
         opened out(t, leat_open(t.file().c_str(), "w", &how));
         write_text(t, out);
         leat_discard(out.give());
       },
       [](trial& t) {
         t.check_file("the file", old_text);
         t.check_names("the file ");
       }},
      {"leat_sync", nothing,
       [](trial& t) {
         opened out(t, leat_fopen(t.file().c_str(), "w"));
         write_text(t, out);
         t.require(leat_sync(out) == 0);
         close(t, out);
       },
       [](trial& t) { t.check_written(text); }},
      {"fprintf", nothing,
       [](trial& t) {
         opened out(t, leat_fopen(t.file().c_str(), "w"));
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
         opened out(t, leat_fopen(t.file().c_str(), "w"));
         t.require(leat_dprintf(leat_fileno(out), "%s", text.c_str()) ==
                   static_cast<int>(text.size()));
         close(t, out);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_file("the file", text);
       }},
      {"fputws", nothing,
       [](trial& t) {
         opened out(t, leat_fopen(t.file().c_str(), "w"));
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
           opened out(t, leat_open_memstream(&memory, &size));
           write_text(t, out);
           close(t, out);
           t.got.assign(memory, size);
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
           opened out(t, leat_open_wmemstream(&memory, &size));
           for (int i = 0; i != 500; ++i) t.require(leat_fputws(L"a line\n", out) >= 0);
           close(t, out);
           t.got = std::to_string(size);
         } catch (...) {
           std::free(memory);
           throw;
         }
         std::free(memory);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_got("3500");
       }},
      {"fmemopen", nothing,
       [](trial& t) {
         std::string memory(10'000, ' ');
         opened out(t, leat_fmemopen(memory.data(), memory.size(), "w"));
         write_text(t, out);
         close(t, out);
         t.got = memory.substr(0, text.size());
       },
       [](trial& t) {
         if (t.succeeded()) t.check_got(text);
       }},
      {"popen w", nothing,
       [](trial& t) {
         const std::string command = "cat >'" + t.file() + '\'';
         leat_file* const out = started(t, command, "w");
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
         t.got.reserve(text.size());
         leat_file* const file = leat_fopencookie(&t.got, "w", functions);
         t.check(!closed, "a failed fopencookie does not close");
         opened out(t, file);
         write_text(t, out);
         close(t, out);
       },
       check_text},
      {"fprintf, long", nothing,
       [](trial& t) {
         opened out(t, leat_fopen(t.file().c_str(), "w"));
         t.require(leat_fprintf(out, "%.3000f %5000d\n", 0.1, 5) == 3002 + 5002);
         close(t, out);
       },
       [](trial& t) {
         if (t.succeeded())
           t.check(content_of(t.file()).size() == 8004, "success: the size is right");
       }},
      {"asprintf", nothing,
       [](trial& t) {
         char* made = nullptr;
         t.require(leat_asprintf(&made, "%s %d", text.c_str(), 5) ==
                   static_cast<int>(text.size()) + 2);
         t.got = made;
         std::free(made);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_got(text + " 5");
       }},
  };
}

std::vector<scenario> c_reading_scenarios() {
  return {
      reads("fread", [](trial& t, leat_file* in) { read_text(t, in); }),
      reads("fgets",
            [](trial& t, leat_file* in) {
              char line[60];
              while (leat_fgets(line, sizeof line, in) != nullptr) t.got += line;
              t.require(leat_ferror(in) == 0);
            }),
      reads("getline",
            [](trial& t, leat_file* in) {
              t.got.reserve(text.size());  // so that append does not throw
              char* line = nullptr;
              std::size_t size = 0;
              for (ssize_t n; (n = leat_getline(&line, &size, in)) > 0;)
                t.got.append(line, static_cast<std::size_t>(n));
              const bool ended = leat_feof(in) != 0 && leat_ferror(in) == 0;
              std::free(line);
              t.require(ended);
            }),
      reads("getc",
            [](trial& t, leat_file* in) {
              for (int byte; (byte = leat_fgetc(in)) >= 0;) t.got += static_cast<char>(byte);
              t.require(leat_ferror(in) == 0);
            }),
      reads("leat_next_line",
            [](trial& t, leat_file* in) {
              std::size_t size = 0;
              while (const char* line = leat_next_line(in, &size)) {
                if (!t.got.empty()) t.got += '\n';
                t.got.append(line, size);
                // After EINTR or EAGAIN the call returns the part of a line that has arrived, like
                // getline.
                t.require(leat_ferror(in) == 0);
              }
              t.require(leat_ferror(in) == 0);
            }),
      reads("fscanf",
            [](trial& t, leat_file* in) {
              // The end of the text may cut the last number, so the loop stops before it.
              for (int i = 0, number = 0; t.got.size() + 8 < text.size(); ++i) {
                const int got = leat_fscanf(in, "%d", &number);
                t.require(leat_ferror(in) == 0);
                if (got != 1 || number != i) return t.check(false, "a number is right");
                t.got += std::to_string(i) + (i % 8 == 7 ? '\n' : ' ');
              }
              t.got = text;
            }),
      reads("fseek",
            [](trial& t, leat_file* in) {
              std::string first(4000, ' ');
              t.require(leat_fseek(in, 5000, 0) == 0);
              t.require(leat_fread(first.data(), 1, 4000, in) == 4000);
              t.require(leat_fseek(in, 0, 0) == 0);
              read_text(t, in);
              t.check(first == text.substr(5000), "what was read is right");
            }),
      reads("fgetws",
            [](trial& t, leat_file* in) {
              wchar_t line[200];
              while (leat_fgetws(line, 200, in) != nullptr)
                for (const wchar_t* c = line; *c != 0; ++c) t.got += static_cast<char>(*c);
              t.require(leat_ferror(in) == 0);
            }),
      reads("getdelim",
            [](trial& t, leat_file* in) {
              t.got.reserve(text.size());
              char* word = nullptr;
              std::size_t size = 0;
              for (ssize_t n; (n = leat_getdelim(&word, &size, ' ', in)) > 0;)
                t.got.append(word, static_cast<std::size_t>(n));
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
         if (file == nullptr)
           t.check(::close(descriptor) == 0 || errno != EBADF,
                   "a failed fdopen leaves the descriptor open");
         opened in(t, file);
         read_text(t, in);
         close(t, in);
       },
       check_text},
#if defined(__GLIBC__)
      {"fgetgrent", [](trial& t) { put_file(t.file(), "name:x:17:one,two\n"); },
       [](trial& t) {
         opened in(t, leat_fopen(t.file().c_str(), "r"));
         const group* const entry = leat_fgetgrent(in);
         t.require(entry != nullptr && leat_ferror(in) == 0);
         t.got = entry->gr_name;
         close(t, in);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_got("name");
       }},
#endif
      {"leat_find", put_text,
       [](trial& t) {
         opened in(t, leat_fopen(t.file().c_str(), "r"));
         leat_off_t at = 0;
         const int found = leat_find(in, "1500 ", 5, &at);
         t.require(found >= 0);
         t.got = std::to_string(at);
         close(t, in);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_got(std::to_string(text.find("1500 ")));
       }},
      {"popen", put_text,
       [](trial& t) {
         const std::string command = "cat '" + t.file() + '\'';
         leat_file* const in = started(t, command, "r");
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

std::vector<scenario> c_changing_scenarios() {
  const auto changed = [] {
    std::string all = text;
    return all.replace(4000, 3, "NEW");
  };
  return {
      {"fopen r+", put_text,
       [](trial& t) {
         opened on(t, leat_fopen(t.file().c_str(), "r+"));
         read_text(t, on);
         t.require(leat_fseek(on, 4000, 0) == 0);
         t.require(leat_fputs("NEW", on) >= 0);
         close(t, on);
       },
       [changed](trial& t) {
         t.check_got(text);
         t.check_either(text, changed());
       }},
      {"tmpfile", nothing,
       [](trial& t) {
         opened on(t, leat_tmpfile());
         write_text(t, on);
         t.require(leat_fseek(on, 0, 0) == 0);  // rewind would hide a failed write
         read_text(t, on);
         close(t, on);
       },
       [](trial& t) {
         t.check_got(text);
         if (!t.may_leave_files) t.check_names("");
       }},
      {"leat_gather", put_text,
       [](trial& t) {
         opened on(t, leat_fopen(t.file().c_str(), "r"));
         const std::uint64_t positions[]{5, 800, 7, 5};
         t.got.resize(40);
         if (leat_gather(on, 10, positions, 4, t.got.data()) != 0) {
           t.got.clear();
           t.require(false);
         }
         close(t, on);
       },
       [](trial& t) {
         t.check_got(text.substr(50, 10) + text.substr(8000, 10) + text.substr(70, 10) +
                     text.substr(50, 10));
       }},
      {"leat_scatter", put_text,
       [](trial& t) {
         opened on(t, leat_fopen(t.file().c_str(), "r+"));
         const std::uint64_t positions[]{5, 800};
         t.require(leat_scatter(on, 10, positions, 2, "aaaaaaaaaabbbbbbbbbb") == 0);
         close(t, on);
       },
       [](trial& t) {
         std::string all = text;
         all.replace(50, 10, "aaaaaaaaaa").replace(8000, 10, "bbbbbbbbbb");
         if (t.succeeded()) t.check_file("the file", all);
       }},
      {"leat_update", put_text,
       [](trial& t) {
         opened on(t, leat_fopen(t.file().c_str(), "r+"));
         const std::uint64_t positions[]{5, 800};
         const auto change = [](void* record, std::size_t, void*) {
           std::memset(record, 'c', 10);
           return 0;
         };
         t.require(leat_update(on, 10, positions, 2, change, nullptr) == 0);
         close(t, on);
       },
       [](trial& t) {
         std::string all = text;
         all.replace(50, 10, "cccccccccc").replace(8000, 10, "cccccccccc");
         if (t.succeeded()) t.check_file("the file", all);
       }},
      {"leat_read_ranges", put_text,
       [](trial& t) {
         opened on(t, leat_fopen(t.file().c_str(), "r"));
         const leat_range ranges[]{{7000, 100}, {3, 10}};
         t.got.resize(110);
         if (leat_read_ranges(on, ranges, 2, t.got.data()) != 0) {
           t.got.clear();
           t.require(false);
         }
         close(t, on);
       },
       [](trial& t) { t.check_got(text.substr(7000, 100) + text.substr(3, 10)); }},
      {"leat_rename and leat_remove", put_text,
       [](trial& t) {
         t.require(leat_rename(t.file().c_str(), (t / "other").c_str()) == 0);
         t.require(leat_remove((t / "other").c_str()) == 0);
       },
       [](trial& t) {
         if (t.succeeded()) t.check_names("");
       }},
  };
}

/// The C versions of the scenarios in sidecars.cpp.
std::vector<scenario> c_recovery_scenarios() {
  const auto append = [](enum leat_durability durability) {
    return [durability](trial& t) {
      const leat_options how = leat_test::writing(durability);
      opened out(t, leat_open(t.file().c_str(), "a", &how));
      write_text(t, out);
      close(t, out);
    };
  };
  const auto check = [](trial& t) {
    leat::recover(t.file());
    t.check_written(text, old_text + "more\n");
    t.check_names("the file ");
  };
  return {
      {"leat_recover", put_old_and_killed,
       [](trial& t) {
         const leat_off_t n = leat_recover(t.file().c_str());
         t.require(n >= 0);
         t.check(n == 5, "all pending bytes are recovered");
       },
       [](trial& t) {
         leat::recover(t.file());
         t.check_file("the file", old_text + "more\n");
       }},
      {"leat_open a, after a kill", put_old_and_killed, append(LEAT_DURABILITY_NONE), check},
      {"leat_open a, process, after a kill", put_old_and_killed, append(LEAT_DURABILITY_PROCESS),
       check},
      {"leat_open w, after a kill", put_old_and_killed,
       [](trial& t) {
         opened out(t, leat_open(t.file().c_str(), "w", nullptr));
         write_text(t, out);
         close(t, out);
       },
       [](trial& t) {
         if (!t.succeeded()) return;
         t.check_file("the file", text);
         t.check_names("the file ");
       }},
      {"leat_open r, live, after a kill", put_old_and_killed,
       [](trial& t) {
         leat_options how{};
         how.live = 1;
         opened in(t, leat_open(t.file().c_str(), "r", &how));
         read_text(t, in);
         close(t, in);
       },
       [](trial& t) { t.check_got(old_text + "more\n"); }},
  };
}

}  // namespace

std::vector<scenario> c_scenarios() {
  std::vector<scenario> all;
  for (auto& some : {c_writing_scenarios(), c_recovery_scenarios(), c_reading_scenarios(),
                     c_changing_scenarios()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace sweep
