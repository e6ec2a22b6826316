// Scenarios of files whose last bytes are pending in the sidecar of a killed or a running process.
#include "sweep/trial.hpp"

namespace sweep {

namespace {

using leat::durability;

const std::string text = numbered_lines(3000);
const std::string old_text = "what was there before\n";

void put_old(trial& t) { put_file(t.file(), old_text); }
void put_old_and_pending(trial& t) { put_pending(t, old_text, text); }

/// Returns scenarios with the sidecar of a killed process. After a scenario, the pending bytes are
/// in the file once. Exception: `create` discards the pending bytes.
std::vector<scenario> kill_scenarios() {
  const auto check = [](std::string_view more) {
    return [more](trial& t) {
      leat::recover(t.file());
      t.check_written(more, old_text + text);
      t.check_names("the file ");
    };
  };
  const auto append_more = [](const leat::append_options& options) {
    return [options](trial& t) {
      auto out = leat::append(t.file(), options);
      t.write(out, "more");
      out.close();
    };
  };
  return {
      {"recover", put_old_and_pending,
       [](trial& t) { t.text_read = std::to_string(leat::recover(t.file())); },
       [check](trial& t) {
         t.check_read(std::to_string(text.size()));
         check("")(t);
       }},
      {"append, after a kill", put_old_and_pending, append_more({}), check("more")},
      {"append, process, after a kill", put_old_and_pending,
       append_more({.durability = durability::process}), check("more")},
      {"update, after a kill", put_old_and_pending,
       [](trial& t) {
         auto stream = leat::update(t.file());
         stream.seek(stream.size());
         t.write(stream, "more");
         stream.close();
       },
       check("more")},
      {"open, live, after a kill", put_old_and_pending,
       [](trial& t) { t.text_read = leat::open(t.file(), {.live = true}).read_all(); },
       [check](trial& t) {
         t.check_read(old_text + text);
         check("")(t);
       }},
      {"create, after a kill", put_old_and_pending,
       [](trial& t) {
         auto out = leat::create(t.file());
         t.write(out, "more");
         out.close();
       },
       [](trial& t) {
         if (!t.succeeded()) return;
         t.check_file("the file", "more");
         t.check_names("the file ");
       }},
  };
}

/// Returns scenarios of a stream with pending bytes, and a second stream on the same file.
std::vector<scenario> two_writer_scenarios() {
  const auto check = [](trial& t) {
    const bool is_success = t.succeeded();
    leat::recover(t.file());
    const std::string all = content_of(t.file());
    const std::string expected = old_text + "first\nsecond\nthird\n";
    if (is_success) t.check(all == expected, "success: the content is right");
    t.check(all.size() <= expected.size(), "the file is not longer than all calls");
    t.check(all.starts_with(old_text), "the old content stays");
    // A failure loses whole calls, or the end of the last call.
    std::size_t from = 0;
    for (const std::string_view line : {"first\n", "second\n", "third\n"})
      if (all.compare(old_text.size() + from, line.size(), line) == 0) from += line.size();
    const std::string rest = all.substr(std::min(all.size(), old_text.size() + from));
    t.check(rest.empty() || std::string("first\n").starts_with(rest) ||
                std::string("second\n").starts_with(rest) ||
                std::string("third\n").starts_with(rest),
            "the file has the bytes of each call once, in order: " + all);
    t.check_names("the file ");
  };
  const auto append_from_both = [](trial& t, const leat::append_options& options) {
    auto first_writer = leat::append(t.file(), {.durability = durability::process});
    first_writer.write("first\n");
    auto second_writer = leat::append(t.file(), options);
    second_writer.write("second\n");
    second_writer.flush();
    first_writer.write("third\n");
    first_writer.close();
    second_writer.close();
  };
  return {
      {"append, with another writer", put_old,
       [append_from_both](trial& t) { append_from_both(t, {}); }, check},
      {"append, process, with another writer", put_old,
       [append_from_both](trial& t) { append_from_both(t, {.durability = durability::process}); },
       check},
      {"open, live, with another writer", put_old,
       [](trial& t) {
         auto writer = leat::append(t.file(), {.durability = durability::process});
         writer.write("first\n");
         auto in = leat::open(t.file(), {.live = true});
         t.text_read = in.read_all();
         writer.write("second\n");
         writer.close();
         t.text_read += in.read_all();
       },
       [](trial& t) { t.check_read(old_text + "first\nsecond\n"); }},
  };
}

}  // namespace

std::vector<scenario> sidecar_scenarios() {
  std::vector<scenario> all = kill_scenarios();
  for (auto& tested : two_writer_scenarios()) all.push_back(tested);
  return all;
}

}  // namespace sweep
