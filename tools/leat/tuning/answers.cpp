// Formats the answers of `leat tune`. tune_command.cpp calls these functions.
#include "tuning/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <string_view>

#include "measuring/statistics.hpp"
#include "reporting/html.hpp"
#include "reporting/json.hpp"
#include "reporting/text.hpp"

namespace bench {

namespace {

std::string sentence(const answer& given) {
  const auto& found = given.decision;
  const auto& best = given.candidates[found.best].code;
  const auto loss = percent(found.loss), noise = percent(found.noise);
  if (found.verdict == decision::kind::change)
    return fmt::format("Take {}: the default takes {} longer (single rounds are {} apart).", best,
                       loss, noise);
  const auto seen = found.best == 0 ? std::string("nothing was faster")
                                    : fmt::format("it takes {} longer than {}", loss, best);
  if (found.verdict == decision::kind::keep)
    return fmt::format("Keep the default: {} (single rounds are {} apart).", seen, noise);
  return fmt::format(
      "Not decided. In the whole run the result for the default is: {}. But single rounds are {} "
      "apart. Keep the default, or run leat tune again when the machine is idle.",
      seen, noise);
}

std::string_view name_of(decision::kind verdict) {
  switch (verdict) {
    case decision::kind::keep:
      return "keep";
    case decision::kind::change:
      return "change";
    case decision::kind::unclear:
      return "unclear";
  }
  return "";
}

table candidates_table(const answer& given) {
  table all({{given.name + ": " + given.title}, {"ms"}, {"spread", 1}, {"vs default"}});
  const double usual = summarize(given.candidates.front().seconds).median;
  const std::size_t taken =
      given.decision.verdict == decision::kind::change ? given.decision.best : 0;
  for (std::size_t i = 0; i != given.candidates.size(); ++i) {
    const auto& [code, seconds] = given.candidates[i];
    const auto wall = summarize(seconds);
    all.add({{code.empty() ? "default" : code, digits(wall.median * 1e3), percent(wall.spread),
              times(usual / wall.median)},
             i == taken ? style::winner : style::plain,
             wall.median});
  }
  return all;
}

std::string sentence(const store_facts& facts) {
  return fmt::format(
      "{} ms to the first byte. Beyond {} at a time, more requests gain less than 10 %.",
      digits(facts.first_byte * 1e3), enough_parallel_requests(facts));
}

table steps_table(const store_facts& facts) {
  table all({{"requests at a time"}, {"4 KiB: a second"}, {"vs one"}, {"8 MiB: MB/s"}, {"vs one"}});
  for (const auto& one : facts.steps) {
    const auto& first = facts.steps.front();
    all.add(
        {{std::to_string(one.at_a_time), digits(one.requests), times(one.requests / first.requests),
          digits(one.bytes / 1e6), times(one.bytes / first.bytes)},
         one.at_a_time == enough_parallel_requests(facts) ? style::winner : style::plain});
  }
  return all;
}

}  // namespace

std::size_t enough_parallel_requests(const store_facts& facts) {
  constexpr double significant_gain = 1.1;
  std::size_t enough = 0;
  double requests = 0, bytes = 0;
  for (const auto& one : facts.steps) {
    if (one.requests > requests * significant_gain || one.bytes > bytes * significant_gain)
      enough = one.at_a_time;
    requests = std::max(requests, one.requests);
    bytes = std::max(bytes, one.bytes);
  }
  return enough;
}

std::string facts_text(const store_facts& facts, const page& page) {
  return '\n' + steps_table(facts).text(page) + wrapped(sentence(facts), page.width) +
         wrapped(facts.default_choice, page.width) + "\n";
}

answer answer_of(const question& asked, const outcome& result) {
  answer made{asked.options, asked.purpose, asked.experiment.name, asked.experiment.title, {}, {}};
  for (const auto& one : result.measurements)
    made.candidates.push_back({one.setting[tuned_factor].text, one.wall});
  made.decision = decide(made.candidates);
  return made;
}

std::string answer_text(const answer& given, const page& page) {
  return candidates_table(given).text(page) + wrapped(sentence(given), page.width) + "\n";
}

recommendation recommend(const std::vector<answer>& all) {
  std::map<std::string, std::string> members;
  std::size_t undecided = 0;
  double most = 0;
  for (const auto& one : all) {
    if (one.decision.verdict == decision::kind::unclear) {
      ++undecided;
      continue;
    }
    most = std::max(most, one.decision.loss);
    if (one.decision.verdict == decision::kind::change)
      members[fmt::format("// {}\n{}", one.purpose, one.options)] +=
          fmt::format("  {},  // {}: {}\n", one.candidates[one.decision.best].code, one.name,
                      percent(one.decision.loss));
  }
  recommendation made;
  for (const auto& [options, code] : members)
    made.code += fmt::format("{}{{\n{}}}\n", options, code);
  if (!made.code.empty())
    made.sentence =
        "The best options for this disk, and how much longer the default takes. Each option was "
        "tried by itself:";
  else if (undecided < all.size())
    made.sentence =
        fmt::format("Keep the defaults: none of them loses more than {}.", percent(most));
  if (undecided != 0)
    made.undecided =
        fmt::format("{} of {} questions have no sure answer: their rounds differ too much.",
                    undecided, all.size());
  return made;
}

std::string recommendation_text(const recommendation& given, const page& page) {
  std::string text = wrapped(given.sentence, page.width);
  if (!given.code.empty()) text += '\n' + given.code;
  if (!given.undecided.empty()) text += wrapped(given.undecided, page.width);
  return text;
}

std::string json_report(const tuning& all) {
  json out{{"schema", tuning_schema},  {"session", session_json(all.session)},
           {"dir", all.dir},           {"file_system", all.disk.file_system},
           {"disk", all.disk.disk},    {"store", nullptr},
           {"answers", json::array()}, {"notes", json(all.notes)}};
  if (all.store) {
    out["store"] = {{"first_byte_seconds", all.store->first_byte},
                    {"enough_at_a_time", enough_parallel_requests(*all.store)},
                    {"chosen", all.store->default_choice},
                    {"steps", json::array()}};
    for (const auto& one : all.store->steps)
      out["store"]["steps"].push_back({{"at_a_time", one.at_a_time},
                                       {"requests_per_second", one.requests},
                                       {"bytes_per_second", one.bytes}});
  }
  for (const auto& one : all.answers) {
    json answer{{"question", one.name},
                {"title", one.title},
                {"options", one.options},
                {"purpose", one.purpose},
                {"decision", name_of(one.decision.verdict)},
                {"best", one.candidates[one.decision.best].code},
                {"default_loses", one.decision.loss},
                {"noise", one.decision.noise},
                {"tried", json::array()}};
    for (const auto& candidate : one.candidates)
      answer["tried"].push_back(
          {{"code", candidate.code}, {"wall_seconds", json(candidate.seconds)}});
    out["answers"].push_back(std::move(answer));
  }
  return json_text(out);
}

std::string html_report(const tuning& all) {
  const auto paragraph = [](std::string_view kind, std::string_view text) {
    return text.empty() ? std::string()
                        : fmt::format("<p class=\"{}\">{}</p>\n", kind, escape_html(text));
  };
  std::string text =
      fmt::format("<header>\n<h1>leat tune</h1>\n<p class=\"quiet\">{}</p>\n</header>\n",
                  escape_html(fmt::format("The best options for the disk under {}: {}, {}.",
                                          all.dir, volume_text(all.disk), all.session.date)));
  if (!all.session.complete)
    text += paragraph("warning", "The run was interrupted: some results are missing.");
  const auto advice = recommend(all.answers);
  text += paragraph("", advice.sentence);
  if (!advice.code.empty()) {
    text += "<pre><code>";
    for (const auto line : std::views::split(std::string_view(advice.code), '\n'))
      text += escape_html(std::string_view(line.begin(), line.end())) + '\n';
    text += "</code></pre>\n";
  }
  text += paragraph("", advice.undecided);
  for (const auto& note : all.notes) text += paragraph("", "Not asked: " + note);
  for (const auto& warning : warnings(all.session)) text += paragraph("warning", warning);
  text += about_machine(all.session);
  if (all.store) {
    text += "<section>\n<h2>the store</h2>\n" + paragraph("", sentence(*all.store)) +
            paragraph("", all.store->default_choice) + html_table(steps_table(*all.store)) +
            "</section>\n";
  }
  for (const auto& one : all.answers) {
    text += fmt::format("<section>\n<h2>{}</h2>\n", escape_html(one.name + ", " + one.purpose));
    text += paragraph("", sentence(one)) + html_table(candidates_table(one)) + "</section>\n";
  }
  return html_page("leat tune: " + all.dir, text);
}

}  // namespace bench
