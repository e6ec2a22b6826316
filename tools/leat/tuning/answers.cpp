#include "answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "../json.hpp"
#include "../statistics.hpp"
#include "../text.hpp"

namespace bench {

namespace {

std::string name_of(const candidate_times& one) { return one.code.empty() ? "default" : one.code; }

/// How much longer the default takes, and how far the thirds of the run agree.
std::string loss_of(const verdict& found) {
  const auto whole = percent(found.loss);
  const auto least = percent(found.least), most = percent(found.most);
  return least == most ? whole
                       : fmt::format("{} ({} to {} in the thirds of the run)", whole, least, most);
}

std::string sentence(const answer& one) {
  const auto& found = one.found;
  const auto& best = one.tried[found.best].code;
  if (found.what == verdict::kind::change)
    return fmt::format("Take {}: the default takes {} longer.", best, loss_of(found));
  const auto seen = found.best == 0
                        ? std::string("nothing was faster")
                        : fmt::format("it takes {} longer than {}", loss_of(found), best);
  if (found.what == verdict::kind::keep) return fmt::format("Keep the default: {}.", seen);
  return fmt::format(
      "Can't say. Of the default, {} over the whole run; but the thirds of the run don't agree "
      "about what is best. Keep it, or ask again when the machine is quiet.",
      seen);
}

std::string_view name_of(verdict::kind what) {
  switch (what) {
    case verdict::kind::keep:
      return "keep";
    case verdict::kind::change:
      return "change";
    case verdict::kind::unclear:
      return "unclear";
  }
  return "";
}

}  // namespace

answer answer_of(const question& asked, const outcome& given) {
  answer made{asked.options, asked.tries.name, asked.tries.title, {}, {}};
  for (const auto& one : given.measured)
    made.tried.push_back({one.at[tuned_factor].text, one.wall});
  made.found = decide(made.tried);
  return made;
}

std::string answer_text(const answer& one, const page& on) {
  table all({{one.name + ": " + one.title}, {"ms"}, {"spread", 1}, {"vs default"}});
  const double usual = summarize(one.tried.front().seconds).median;
  for (std::size_t i = 0; i != one.tried.size(); ++i) {
    const auto wall = summarize(one.tried[i].seconds);
    const bool wins = i == (one.found.what == verdict::kind::change ? one.found.best : 0);
    all.add({{name_of(one.tried[i]), digits(wall.median * 1e3), percent(wall.spread),
              times(usual / wall.median)},
             wins ? style::winner : style::plain,
             wall.median});
  }
  return all.text(on) + wrapped(sentence(one), on.width) + "\n";
}

std::string advice(const std::vector<answer>& all, const page& on) {
  std::map<std::string, std::string> members;
  std::size_t unclear = 0;
  double most = 0;
  for (const auto& one : all) {
    if (one.found.what == verdict::kind::unclear) {
      ++unclear;
      continue;
    }
    most = std::max(most, one.found.loss);
    if (one.found.what != verdict::kind::change) continue;
    members[one.options] += fmt::format("    {},  // {}: {}\n", one.tried[one.found.best].code,
                                        one.name, percent(one.found.loss));
  }
  std::string text;
  if (members.empty() && unclear < all.size()) {
    text += wrapped(
        fmt::format("Keep the defaults: the most that one of them loses is {}.", percent(most)),
        on.width);
  } else if (!members.empty()) {
    text += wrapped(
        "What this disk wants, and how much longer the default takes. Each was asked by itself.",
        on.width);
    text += '\n';
    for (const auto& [options, code] : members)
      text += fmt::format("  {}{{\n{}  }}\n", options, code);
  }
  if (unclear != 0)
    text += wrapped(fmt::format("{} of {} questions stay open: their rounds differ too much.",
                                unclear, all.size()),
                    on.width);
  return text;
}

std::string json_report(const tuning& all) {
  json out;
  out.begin_object().key("session");
  write_session(out, all.on);
  out.member("dir", all.dir).member("file_system", all.file_system).key("answers").begin_array();
  for (const auto& one : all.answers) {
    out.begin_object()
        .member("question", one.name)
        .member("title", one.title)
        .member("options", one.options)
        .member("verdict", name_of(one.found.what))
        .member("best", one.tried[one.found.best].code)
        .member("default_loses", one.found.loss)
        .member("default_loses_least", one.found.least)
        .member("default_loses_most", one.found.most)
        .key("tried")
        .begin_array();
    for (const auto& way : one.tried) {
      out.begin_object().member("code", way.code).key("wall_seconds").begin_array();
      for (const double seconds : way.seconds) out.value(seconds);
      out.end_array().end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().key("notes").begin_array();
  for (const auto& note : all.notes) out.value(note);
  out.end_array().end_object();
  return out.text();
}

}  // namespace bench
