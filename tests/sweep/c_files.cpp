// Scenarios of leat.h: updates, batches, renames and temporary files, and files of killed
// processes.
#include <leat/leat.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/c_options.hpp"
#include "sweep/c_streams.hpp"
#include "sweep/trial.hpp"

namespace sweep {

namespace {

using namespace c;

std::vector<scenario> changing_scenarios() {
  const auto changed = [] {
    std::string all = text;
    return all.replace(4000, 3, "NEW");
  };
  return {
      {"fopen r+", put_text,
       [](trial& t) {
         open_stream stream(t, leat_fopen(t.file().c_str(), "r+"));
         read_text(t, stream);
         t.require(leat_fseek(stream, 4000, 0) == 0);
         t.require(leat_fputs("NEW", stream) >= 0);
         close(t, stream);
       },
       [changed](trial& t) {
         t.check_read(text);
         t.check_old_or_new(text, changed());
       }},
      {"tmpfile", nothing,
       [](trial& t) {
         open_stream stream(t, leat_tmpfile());
         write_text(t, stream);
         t.require(leat_fseek(stream, 0, 0) == 0);  // rewind would hide a failed write
         read_text(t, stream);
         close(t, stream);
       },
       [](trial& t) {
         t.check_read(text);
         if (!t.may_leave_files) t.check_names("");
       }},
      {"leat_gather", put_text,
       [](trial& t) {
         open_stream stream(t, leat_fopen(t.file().c_str(), "r"));
         const std::uint64_t positions[]{5, 800, 7, 5};
         t.text_read.resize(40);
         if (leat_gather(stream, 10, positions, 4, t.text_read.data()) != 0) {
           t.text_read.clear();
           t.require(false);
         }
         close(t, stream);
       },
       [](trial& t) {
         t.check_read(text.substr(50, 10) + text.substr(8000, 10) + text.substr(70, 10) +
                      text.substr(50, 10));
       }},
      {"leat_scatter", put_text,
       [](trial& t) {
         open_stream stream(t, leat_fopen(t.file().c_str(), "r+"));
         const std::uint64_t positions[]{5, 800};
         t.require(leat_scatter(stream, 10, positions, 2, "aaaaaaaaaabbbbbbbbbb") == 0);
         close(t, stream);
       },
       [](trial& t) {
         std::string all = text;
         all.replace(50, 10, "aaaaaaaaaa").replace(8000, 10, "bbbbbbbbbb");
         if (t.succeeded()) t.check_file("the file", all);
       }},
      {"leat_update", put_text,
       [](trial& t) {
         open_stream stream(t, leat_fopen(t.file().c_str(), "r+"));
         const std::uint64_t positions[]{5, 800};
         const auto change = [](void* record, std::size_t, void*) {
           std::memset(record, 'c', 10);
           return 0;
         };
         t.require(leat_update(stream, 10, positions, 2, change, nullptr) == 0);
         close(t, stream);
       },
       [](trial& t) {
         std::string all = text;
         all.replace(50, 10, "cccccccccc").replace(8000, 10, "cccccccccc");
         if (t.succeeded()) t.check_file("the file", all);
       }},
      {"leat_read_ranges", put_text,
       [](trial& t) {
         open_stream stream(t, leat_fopen(t.file().c_str(), "r"));
         const leat_range ranges[]{{7000, 100}, {3, 10}};
         t.text_read.resize(110);
         if (leat_read_ranges(stream, ranges, 2, t.text_read.data()) != 0) {
           t.text_read.clear();
           t.require(false);
         }
         close(t, stream);
       },
       [](trial& t) { t.check_read(text.substr(7000, 100) + text.substr(3, 10)); }},
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

/// Returns C versions of some scenarios in sidecars.cpp.
std::vector<scenario> recovery_scenarios() {
  const auto append = [](enum leat_durability durability) {
    return [durability](trial& t) {
      const leat_options options = leat_test::options_with(durability);
      open_stream out(t, leat_open(t.file().c_str(), "a", &options));
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
      {"leat_recover", put_old_and_pending,
       [](trial& t) {
         const leat_off_t n = leat_recover(t.file().c_str());
         t.require(n >= 0);
         t.check(n == 5, "all pending bytes are recovered");
       },
       [](trial& t) {
         leat::recover(t.file());
         t.check_file("the file", old_text + "more\n");
       }},
      {"leat_open a, after a kill", put_old_and_pending, append(LEAT_DURABILITY_NONE), check},
      {"leat_open a, process, after a kill", put_old_and_pending, append(LEAT_DURABILITY_PROCESS),
       check},
      {"leat_open w, after a kill", put_old_and_pending,
       [](trial& t) {
         open_stream out(t, leat_open(t.file().c_str(), "w", nullptr));
         write_text(t, out);
         close(t, out);
       },
       [](trial& t) {
         if (!t.succeeded()) return;
         t.check_file("the file", text);
         t.check_names("the file ");
       }},
      {"leat_open r, live, after a kill", put_old_and_pending,
       [](trial& t) {
         leat_options options{};
         options.live = 1;
         open_stream in(t, leat_open(t.file().c_str(), "r", &options));
         read_text(t, in);
         close(t, in);
       },
       [](trial& t) { t.check_read(old_text + "more\n"); }},
  };
}

}  // namespace

std::vector<scenario> c_file_scenarios() {
  std::vector<scenario> all = recovery_scenarios();
  const auto changing = changing_scenarios();
  all.insert(all.end(), changing.begin(), changing.end());
  return all;
}

}  // namespace sweep
