// A store at the end of a slow network link, for measurements by hand.
//
//   remote_link [--latency MS] [--rate RATE] [COMMAND...]
//
// MS is the latency in milliseconds (default 30), RATE the bandwidth in tc's syntax (default
// 1gbit). Runs the command with AWS_ENDPOINT_URL and the other variables of the store, which has a
// bucket named "bucket". Without a command, prints a command line that enters the link's network
// with the store's variables, and keeps the link until standard input ends. Exit status 77: a link
// is not possible here (slow_link::missing_requirement()).
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "remote/slow_link.hpp"

namespace {

int run(char** words) {
  const pid_t process = ::fork();
  if (process == 0) {
    ::execvp(words[0], words);
    std::perror(words[0]);
    ::_exit(127);
  }
  int status = -1;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int count, char** words) try {
  leat_test::slow_link::speed speed;
  int at = 1;
  for (; at + 1 < count && std::string_view(words[at]).starts_with("--"); at += 2) {
    if (std::string_view(words[at]) == "--latency")
      speed.latency = std::atoi(words[at + 1]);
    else if (std::string_view(words[at]) == "--rate")
      speed.rate = words[at + 1];
    else
      break;
  }
  if (const std::string missing = leat_test::slow_link::missing_requirement(); !missing.empty()) {
    std::fprintf(stderr, "remote_link: %s\n", missing.c_str());
    return 77;
  }
  const leat_test::slow_link link(speed);
  const auto settings = link.store_settings();
  const std::string direct = link.test_store().store_settings().endpoint;
  const std::pair<const char*, std::string> variables[] = {
      {"AWS_ENDPOINT_URL", settings.endpoint},
      {"AWS_REGION", settings.region},
      {"AWS_ACCESS_KEY_ID", settings.login->access_key},
      {"AWS_SECRET_ACCESS_KEY", settings.login->secret_key},
      {"LEAT_DIRECT_ENDPOINT", direct},  // without the link, to prepare objects
  };
  for (const auto& [name, value] : variables) ::setenv(name, value.c_str(), 1);
  if (at < count) return run(words + at);
  std::printf("nsenter -t %d -n env", static_cast<int>(::getpid()));
  for (const auto& [name, value] : variables) std::printf(" %s=%s", name, value.c_str());
  std::printf(" COMMAND\n");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "remote_link: %s\n", error.what());
  return 1;
}
