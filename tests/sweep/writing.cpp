// Scenarios of writing: create, append, replace and update, pipes, memory, folders, copies and
// renames.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>

#include "sweep/trial.hpp"

namespace sweep {

namespace {

using namespace std::chrono_literals;

const std::string text = numbered_lines(3000);
const std::string long_text = numbered_lines(200'000);
const std::string old_text = "what was there before\n";

void nothing(trial&) {}
void put_old(trial& t) { put_file(t.file(), old_text); }

/// Returns a scenario that writes `content` to the stream that `open` returns, and closes the
/// stream. `content` must outlive the scenario.
template <class Open>
scenario writes(const char* name, Open open, const std::string& content = text) {
  return {name, nothing,
          [open, &content](trial& t) {
            auto out = open(t);
            t.write(out, content);
            out.close();
          },
          [&content](trial& t) {
            t.check_written(content);
            t.check_names("the file ");
          }};
}

template <class Open>
scenario appends(const char* name, Open open) {
  return {name, put_old,
          [open](trial& t) {
            auto out = open(t);
            t.write(out, text);
            out.close();
          },
          [](trial& t) { t.check_written(text, old_text); }};
}

template <class Open>
scenario replaces(const char* name, Open open, bool exists = true) {
  return {name, exists ? put_old : nothing,
          [open](trial& t) {
            auto out = open(t);
            t.write(out, text);
            out.close();
          },
          [exists](trial& t) {
            t.check_old_or_new(exists ? old_text : "", text);
            t.check_names("the file ");
          }};
}

std::vector<scenario> create_scenarios() {
  using leat::durability;
  return {
      writes("create", [](trial& t) { return leat::create(t.file()); }),
      writes("create, small buffers",
             [](trial& t) { return leat::create(t.file(), {.buffer_size = 1000}); }),
      writes(
          "create, long", [](trial& t) { return leat::create(t.file()); }, long_text),
      writes("create, exclusive and durable",
             [](trial& t) {
               return leat::create(t.file(), {.durability = durability::system, .exclusive = true});
             }),
      writes("create, process",
             [](trial& t) { return leat::create(t.file(), {.durability = durability::process}); }),
      writes("create, each line",
             [](trial& t) { return leat::create(t.file(), {.flush = leat::flush_when::line}); }),
      writes("create, preallocated",
             [](trial& t) { return leat::create(t.file(), {.preallocate = 5000}); }),
      writes("create, background",
             [](trial& t) {
               return leat::create(t.file(), {.buffer_size = 1000, .background = true});
             }),
      writes("create, by interval",
             [](trial& t) { return leat::create(t.file(), {.flush_interval = 1h}); }),
      writes(
          "create, direct",
          [](trial& t) {
            return leat::create(t.file(), {.buffer_size = 8192, .caching = leat::caching::direct});
          },
          long_text),
      writes("synchronized", [](trial& t) { return leat::synchronized(leat::create(t.file())); }),
      {"create, with codes", nothing,
       [](trial& t) {
         std::error_code ec;
         auto out = leat::create(t.file(), {.buffer_size = 1000}, ec);
         t.require(ec);
         t.write(out, text);
         out.flush(ec);
         t.require(ec, out.lost());
         out.sync(ec);
         t.require(ec, out.lost());
         out.close(ec);
         t.require(ec, out.lost());
       },
       [](trial& t) { t.check_written(text); }},
      {"destructor", nothing,
       [](trial& t) {
         auto out = leat::create(t.file());
         t.write(out, text);
       },
       [](trial& t) {  // a loss is reported only to the handler
         if (t.succeeded() && t.reported != 0) t.outcome = ending::failure;
         t.check_written(text);
       }},
      {"print", nothing,
       [](trial& t) {
         auto out = leat::create(t.file());
         out.print("{} {}\n", 1, "two");
         t.attempted_bytes = 6;
         out.close();
       },
       [](trial& t) { t.check_written("1 two\n"); }},
      {"patch and seek", nothing,
       [](trial& t) {
         auto out = leat::create(t.file(), {.buffer_size = 1000});
         out.write(std::string_view("????"));
         out.write(std::string_view(text).substr(4));
         out.patch(0, std::string_view(text).substr(0, 4));
         out.seek(10);
         out.write(std::string_view(text).substr(10, 10));
         out.close();
       },
       [](trial& t) {
         if (t.succeeded()) t.check_file("the file", text);
       }},
      {"clear_error", nothing,
       [](trial& t) {
         auto out = leat::create(t.file(), {.buffer_size = 1000});
         std::error_code ec;
         t.write(out, text);
         out.flush(ec);
         if (ec) {
           out.clear_error();
           out.write(
               std::string_view(text).substr(text.size() - static_cast<std::size_t>(out.lost())));
         }
         out.close();
       },
       [](trial& t) {
         if (t.succeeded()) t.check_file("the file", text);
       }},
      {"write_file", nothing, [](trial& t) { leat::write_file(t.file(), text); },
       [](trial& t) {
         if (t.succeeded()) t.check_file("the file", text);
         t.check_names("the file ");
       }},
      {"ostream", nothing,
       [](trial& t) {
         auto below = leat::create(t.file());
         leat::ostream out(below);
         out << text << std::flush;
         t.attempted_bytes = text.size();
         below.close();
       },
       [](trial& t) { t.check_written(text); }},
      {"create_or_stdout", nothing,
       [](trial& t) {
         auto out = leat::create_or_stdout(t.file());
         t.write(out, text);
         out.close();
       },
       [](trial& t) { t.check_written(text); }},
      {"sync", nothing,
       [](trial& t) {
         auto out = leat::create(t.file());
         t.write(out, text);
         out.sync();
         out.close();
       },
       [](trial& t) { t.check_written(text); }},
      {"release", nothing,
       [](trial& t) {
         auto out = leat::create(t.file());
         t.write(out, text);
         leat::file_writer again(leat::adopt(out.release()), {}, t.file());
         t.write(again, text);
         again.close();
       },
       [](trial& t) { t.check_written(text + text); }},
  };
}

/// Returns a scenario that writes to a pipe. The check reads the other end of the pipe.
std::vector<scenario> pipe_scenarios() {
  static int ends[2];
  return {{"a pipe",
           [](trial&) {
             if (::pipe2(ends, O_CLOEXEC) != 0) ::_exit(97);
           },
           [](trial& t) {
             const int copy = ::fcntl(ends[1], F_DUPFD_CLOEXEC, 10);
             if (copy < 0) t.require(false);
             leat::file_writer out(leat::adopt(copy), {.buffer_size = 1000}, "<pipe>");
             t.write(out, text);
             out.close();
           },
           [](trial& t) {
             ::close(ends[1]);
             char block[16384];
             std::string all;
             for (ssize_t n = 0; (n = ::read(ends[0], block, sizeof block)) > 0;)
               all.append(block, static_cast<std::size_t>(n));
             put_file(t.file(), all);
             t.check_written(text);
           }}};
}

/// Returns scenarios in which only allocations can fail.
std::vector<scenario> memory_scenarios() {
  return {{"string_writer", nothing,
           [](trial& t) {
             leat::string_writer out;
             t.write(out, long_text);
             out.close();
             t.text_read = out.view();
           },
           [](trial& t) { t.check_read(long_text); }},
          {"format", nothing,
           [](trial& t) { t.text_read = leat::format("{:>2000}|{}|{:.800f}", "text", 5, 0.1); },
           [](trial& t) {
             if (t.succeeded())
               t.check(t.text_read.size() == 2000 + 3 + 802, "success: the text is right");
           }}};
}

std::vector<scenario> append_scenarios() {
  return {
      appends("append", [](trial& t) { return leat::append(t.file()); }),
      appends("append, small buffers",
              [](trial& t) { return leat::append(t.file(), {.buffer_size = 1000}); }),
      appends("append, durable",
              [](trial& t) {
                return leat::append(t.file(), {.durability = leat::durability::system});
              }),
      appends("append, process",
              [](trial& t) {
                return leat::append(t.file(), {.durability = leat::durability::process});
              }),
      appends("append, background",
              [](trial& t) {
                return leat::append(t.file(), {.buffer_size = 1000, .background = true});
              }),
      appends("append, preallocated",
              [](trial& t) { return leat::append(t.file(), {.preallocate = 5000}); }),
      {"append, locked", put_old,
       [](trial& t) {
         auto out = leat::append(t.file());
         leat::file_lock guard(out, leat::lock_mode::exclusive);
         t.write(out, text);
         out.flush();
         guard.unlock();
         leat::file_lock again(out, leat::lock_mode::shared, std::try_to_lock);
         out.close();
       },
       [](trial& t) {
         if (t.succeeded()) t.check_file("the file", old_text + text);
       }},
  };
}

std::vector<scenario> replace_scenarios() {
  return {
      replaces("replace", [](trial& t) { return leat::replace(t.file()); }),
      replaces("replace, small buffers",
               [](trial& t) { return leat::replace(t.file(), {.buffer_size = 1000}); }),
      replaces("replace, durable",
               [](trial& t) {
                 return leat::replace(t.file(), {.durability = leat::durability::system});
               }),
      replaces(
          "replace, new", [](trial& t) { return leat::replace(t.file()); }, false),
      replaces("replace, preallocated",
               [](trial& t) { return leat::replace(t.file(), {.preallocate = 5000}); }),
      replaces(
          "replace, direct",
          [](trial& t) { return leat::replace(t.file(), {.caching = leat::caching::direct}); }),
      {"replace, discarded", put_old,
       [](trial& t) {
         auto out = leat::replace(t.file());
         out.write(text);
         out.discard();
       },
       [](trial& t) {
         t.check_file("the file", old_text);
         t.check_names("the file ");
       }},
      {"replace, leftover",
       [](trial& t) {
         put_old(t);
         put_file(t / ".the file.00000000.tmp", "left by a killed program");
       },
       [](trial& t) {
         auto out = leat::replace(t.file());
         t.write(out, text);
         out.close();
       },
       [](trial& t) {
         t.check_old_or_new(old_text, text);
         t.check_names("the file .the file.00000000.tmp ");
       }},
      {"replace, link",
       [](trial& t) {
         put_old(t);
         if (::symlink("the file", (t / "link").c_str()) != 0) ::_exit(97);
       },
       [](trial& t) {
         auto out = leat::replace(t / "link");
         t.write(out, text);
         out.close();
       },
       [](trial& t) {
         t.check_old_or_new(old_text, text);
         t.check_names("the file link ");
       }},
  };
}

std::vector<scenario> folder_scenarios() {
  return {
      writes("folder, create",
             [](trial& t) { return leat::create(leat::folder(t / ".").at("the file")); }),
      writes("folder, create, exclusive",
             [](trial& t) {
               return leat::create(leat::folder(t / ".").at("the file"), {.exclusive = true});
             }),
      appends("folder, append",
              [](trial& t) { return leat::append(leat::folder(t / ".").at("the file")); }),
      replaces("folder, replace",
               [](trial& t) { return leat::replace(leat::folder(t / ".").at("the file")); }),
      {"folder, open", put_old,
       [](trial& t) { t.text_read = leat::open(leat::folder(t / ".").at("the file")).read_all(); },
       [](trial& t) { t.check_read(old_text); }},
  };
}

std::vector<scenario> copy_scenarios() {
  const auto put_source = [](trial& t) { put_file(t / "source", long_text); };
  return {
      {"copy_file", put_source, [](trial& t) { leat::copy_file(t / "source", t.file()); },
       [](trial& t) {
         t.check_file("source", long_text);
         if (t.succeeded()) t.check_file("the file", long_text);
       }},
      {"copy", put_source,
       [](trial& t) {
         auto from = leat::open(t / "source");
         auto to = leat::create(t.file());
         leat::copy(from, to);
         to.close();
       },
       [](trial& t) {
         if (t.succeeded()) t.check_file("the file", long_text);
       }},
      {"copy, in the middle", put_source,
       [](trial& t) {
         auto from = leat::open(t / "source");
         auto to = leat::create(t.file());
         from.skip(10);
         to.write(std::string_view(long_text).substr(0, 10));
         leat::copy(from, to, [](std::uint64_t) {});
         to.write("end");
         to.close();
       },
       [](trial& t) {
         if (t.succeeded()) t.check_file("the file", long_text + "end");
       }},
      {"rename_durably", put_old, [](trial& t) { leat::rename_durably(t.file(), t / "other"); },
       [](trial& t) {
         const bool moved = content_of(t.file()).empty();
         t.check_file(moved ? "other" : "the file", old_text);
         t.check_names(moved ? "other " : "the file ");
         if (t.succeeded()) t.check(moved, "success: the file has the new name");
       }},
      {"temporary_file", nothing,
       [](trial& t) {
         auto spill = leat::temporary_file({.buffer_size = 1000});
         spill.write(text);
         spill.seek(0);
         t.text_read = spill.read_all();
         spill.close();
       },
       [](trial& t) {
         t.check_read(text);
         if (!t.may_leave_files) t.check_names("");
       }},
  };
}

std::vector<scenario> update_scenarios() {
  const auto put_text = [](trial& t) { put_file(t.file(), text); };
  const auto changed = [] {
    std::string content = text;
    return content.replace(100, 3, "NEW").replace(2500, 3, "NEW");
  };
  const auto change = [](trial& t, leat::file_stream& stream) {
    stream.seek(100);
    stream.write("NEW");
    char word[3];
    if (stream.read(std::span(word)) == 3) t.text_read.assign(word, 3);
    stream.seek(2500);
    stream.write("NEW");
    stream.close();
  };
  const auto check = [changed](trial& t) {
    const std::string all = content_of(t.file());
    t.check(all.size() == text.size(), "the size does not change");
    if (t.succeeded()) {
      t.check(all == changed(), "success: the content is right");
      t.check_read(text.substr(103, 3));
    }
    for (std::size_t i = 0; i != all.size() && i != text.size(); ++i)
      if (all[i] != text[i] && all[i] != changed()[i])
        return t.check(false, "each byte has its old or its new value");
  };
  return {
      {"update", put_text,
       [change](trial& t) {
         auto stream = leat::update(t.file());
         change(t, stream);
       },
       check},
      {"update, small buffers", put_text,
       [change](trial& t) {
         auto stream = leat::update(t.file(), {.buffer_size = 512});
         change(t, stream);
       },
       check},
      {"update, durable", put_text,
       [change](trial& t) {
         auto stream = leat::update(t.file(), {.durability = leat::durability::system});
         change(t, stream);
       },
       check},
      writes("update, new", [](trial& t) { return leat::update(t.file(), {.create = true}); }),
  };
}

}  // namespace

std::vector<scenario> writing_scenarios() {
  std::vector<scenario> all;
  for (auto& group :
       {create_scenarios(), pipe_scenarios(), memory_scenarios(), append_scenarios(),
        replace_scenarios(), folder_scenarios(), copy_scenarios(), update_scenarios()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace sweep
