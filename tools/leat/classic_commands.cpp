// The arguments of the small commands: cat, head, tail, wc, find and cp. main.cpp calls
// declare_classics().
#include "classic_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "classics/classics.hpp"

namespace bench {

namespace {

/// A subcommand and its options.
template <class Options>
struct declared {
  CLI::App& app;
  std::shared_ptr<Options> options;
};

template <class Options>
declared<Options> declare(CLI::App& app, std::function<int()>& run, const char* name,
                          const char* description, int (*work)(const Options&)) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand(name, description);
  command->footer("");  // without the footer of `leat`
  command->callback([&run, options, work] { run = [options, work] { return work(*options); }; });
  return {*command, options};
}

/// Adds an argument for any number of files. If CLI11 knew that more words may follow, CLI11 would
/// read a name in brackets as a list. So the option expects a number of words that is never
/// reached.
void add_files(CLI::App& command, std::vector<std::string>& files,
               const char* description = "Files or addresses; none, or -: standard input") {
  command.add_option("FILE", files, description)
      ->option_text("[FILE...]")
      ->expected(CLI::detail::expected_max_vector_size - 1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

/// Adds the inputs, the flag for decoding, and the decoder's memory limit. Returns the flag.
CLI::Option* add_inputs(CLI::App& command, inputs& parsed) {
  auto* const flag = command.add_flag("-z,--decompress", parsed.decoded,
                                      "Decode files compressed by gzip, zstd, lz4 or xz");
  command
      .add_option_function<std::string>(
          "--memory",
          [&parsed](const std::string& text) {
            const auto given = parse_amount(text, true);
            if (!given || given->sign != 0)
              throw CLI::ValidationError(fmt::format("invalid number of bytes: '{}'", text));
            parsed.codec_memory = given->count;
          },
          "With -z: memory limit for each file [128M];\nzstd --long=31 needs 2G")
      ->option_text("N")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  add_files(command, parsed.files);
  return flag;
}

void add_amount(CLI::App& command, amount& into, const char* names, bool bytes,
                const char* description) {
  command
      .add_option_function<std::string>(
          names,
          [&into, bytes](const std::string& text) {
            const auto given = parse_amount(text, bytes);
            if (!given)
              throw CLI::ValidationError(
                  fmt::format("invalid number of {}: '{}'", bytes ? "bytes" : "lines", text));
            into = *given;
          },
          description)
      ->option_text("N")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

template <class Options>
void add_headings(CLI::App& command, Options& options) {
  command.add_flag("-q,--quiet,--silent", options.quiet, "Print no headings between files");
  command.add_flag("-v,--verbose", options.verbose, "Print a heading for a single file, too");
}

void declare_head_and_tail(CLI::App& app, std::function<int()>& run) {
  const auto declared_head = declare(app, run, "head", "Print the first lines of files", head);
  add_amount(declared_head.app, declared_head.options->first, "-n,--lines", false,
             "Number of lines [10]; -N: all except the last N");
  add_amount(declared_head.app, declared_head.options->first, "-c,--bytes", true,
             "Number of bytes; -N: all except the last N");
  add_headings(declared_head.app, *declared_head.options);
  add_inputs(declared_head.app, declared_head.options->inputs);

  const auto declared_tail = declare(app, run, "tail", "Print the last lines of files", tail);
  add_amount(declared_tail.app, declared_tail.options->last, "-n,--lines", false,
             "Number of lines [10]; +N: from line N on");
  add_amount(declared_tail.app, declared_tail.options->last, "-c,--bytes", true,
             "Number of bytes; +N: from byte N on");
  auto* const follow = declared_tail.app.add_flag("-f,--follow", declared_tail.options->follow,
                                                  "Then print appended bytes as they arrive");
  auto* const retry = declared_tail.app.add_flag(
      "-F", declared_tail.options->retry,
      "Like -f, but follow the name: also after a\nrotation, and if the file appears later");
  add_headings(declared_tail.app, *declared_tail.options);
  add_inputs(declared_tail.app, declared_tail.options->inputs)->excludes(follow)->excludes(retry);
}

void declare_find(CLI::App& app, std::function<int()>& run) {
  const auto declared_find = declare(app, run, "find", "Print the lines that contain a text", find);
  auto& command = declared_find.app;
  auto& options = *declared_find.options;
  const std::string help = command.get_help_ptr()->get_description();
  command.set_help_flag("--help", help);  // -h means no file names, as in grep
  command.add_flag("-F,--fixed-strings")
      ->description("No effect: the text is never a regular expression");
  command.add_flag("-c,--count", options.count, "Print the number of lines");
  command.add_flag("-l,--files-with-matches", options.list,
                   "Print the names of files that contain the text");
  command.add_flag("-q,--quiet,--silent", options.quiet,
                   "Print nothing, and stop at the first line");
  command.add_flag("-v,--invert-match", options.invert,
                   "Print the lines that do not contain the text");
  command.add_option("-m,--max-count", options.max_count, "Print at most N lines of each file")
      ->option_text("N");
  command.add_flag("-n,--line-number", options.numbers, "Print the line number before each line");
  command.add_flag("-b,--byte-offset", options.offsets, "Print the byte offset before each line");
  // If both -H and -h are given, the last option counts.
  const auto add_names = [&](const char* names, bool value, const char* description) {
    command.add_flag_callback(
               names, [&options, value] { options.names = value; }, description)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->trigger_on_parse();
  };
  add_names("-H,--with-filename", true, "Print the file's name before each line");
  add_names("-h,--no-filename", false, "Print no names of files");
  command.add_flag("-s,--no-messages", options.no_messages,
                   "Print no messages about unreadable files");
  command.add_flag("--json", options.json, "Print a JSON object for each line");
  command.add_option("TEXT", options.text, "The text to find")
      ->required()
      ->option_text(" ")
      ->check([](const std::string& text) {
        return text.find('\n') == std::string::npos ? "" : "the text must not contain a newline";
      });
  add_inputs(command, options.inputs);
}

}  // namespace

void declare_classics(CLI::App& app, std::function<int()>& run) {
  const auto declared_cat = declare(app, run, "cat", "Print files one after the other", cat);
  add_inputs(declared_cat.app, declared_cat.options->inputs);
  declare_head_and_tail(app, run);

  const auto declared_wc = declare(app, run, "wc", "Count lines, words and bytes", wc);
  declared_wc.app.add_flag("-l,--lines", declared_wc.options->lines, "Count newlines");
  declared_wc.app.add_flag("-w,--words", declared_wc.options->words, "Count words");
  declared_wc.app.add_flag("-c,--bytes", declared_wc.options->bytes, "Count bytes");
  declared_wc.app.add_flag("--json", declared_wc.options->json,
                           "Print a JSON object for each file");
  add_inputs(declared_wc.app, declared_wc.options->inputs);
  declare_find(app, run);

  const auto declared_cp =
      declare(app, run, "cp", "Copy files, also from and to object storage", cp);
  auto& options = *declared_cp.options;
  auto* const resume = declared_cp.app.add_flag(
      "--resume", options.resume, "Continue an earlier copy at the end of the target");
  declared_cp.app.add_flag("-n,--no-clobber", options.keep_existing, "Keep existing files")
      ->excludes(resume);
  declared_cp.app.add_option("-j,--jobs", options.jobs, "Copy N files at a time")
      ->option_text("N [1]")
      ->check(CLI::Range(1U, 64U));
  declared_cp.app.add_flag("--json", options.json, "Print a JSON object for each copy");
  add_files(declared_cp.app, options.files, "Sources, then the target: a file or a folder");
}

int usage_exit_code(const std::string& command, int otherwise) {
  static const std::set<std::string> fail_with_1{"cat", "cp", "head", "tail", "wc"};
  return fail_with_1.contains(command) ? 1 : otherwise;
}

void expand_line_count(std::vector<std::string>& arguments) {
  if (arguments.size() < 3 || (arguments[1] != "head" && arguments[1] != "tail")) return;
  const auto& word = arguments[2];
  const bool is_number =
      word.size() > 1 && word[0] == '-' &&
      std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) arguments[2] = "-n" + word.substr(1);
}

}  // namespace bench
