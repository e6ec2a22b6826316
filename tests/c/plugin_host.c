/* plugin_host PLUGIN PLUGIN FILE: loads and uses two plugins, and closes them in each order, in 20
 * rounds. A closed plugin must leave nothing behind: SIGBUS has its default action again, and fork
 * and exit do not call the plugin's functions. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char* what, const char* which) {
  fprintf(stderr, "%s: %s\n", which, what);
  exit(1);
}

static void* load(const char* plugin, const char* file) {
  void* const handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) fail(dlerror(), plugin);
  void* const found = dlsym(handle, "plugin_use");
  if (found == NULL) fail("no plugin_use", plugin);
  int (*use)(const char*) = NULL;
  memcpy(&use, &found, sizeof use);
  const int step = use(file);
  if (step != 0) {
    char text[32];
    snprintf(text, sizeof text, "step %d", step);
    fail(text, plugin);
  }
  return handle;
}

static void check_signal(const char* which) {
  struct sigaction now;
  if (sigaction(SIGBUS, NULL, &now) != 0 || now.sa_handler != SIG_DFL)
    fail("SIGBUS has a handler", which);
}

int main(int count, char** arguments) {
  alarm(20);
  if (count != 4) return 2;
  const char* const one = arguments[1];
  const char* const two = arguments[2];
  const char* const file = arguments[3];
  for (int turn = 0; turn != 20; ++turn) {
    void* const first = load(one, file);
    if (dlclose(first) != 0) fail(dlerror(), one);
    check_signal("one plugin");
    void* const a = load(one, file);
    void* const b = load(two, file);
    const int oldest_first = turn % 2;
    if (dlclose(oldest_first ? a : b) != 0) fail(dlerror(), two);
    if (dlclose(oldest_first ? b : a) != 0) fail(dlerror(), one);
    check_signal(oldest_first ? "two plugins, the oldest first" : "two plugins");
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) fail("fork", one);
  }
  load(one, file); /* stays loaded to the end */
  return 0;
}
