/* plugin_host PLUGIN PLUGIN FILE: loads and uses two plugins, and closes them in each order, in 20
 * rounds. After a plugin is closed, SIGBUS must have its default action again, and fork and exit
 * must not call the plugin's functions. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char* message, const char* subject) {
  fprintf(stderr, "%s: %s\n", subject, message);
  exit(1);
}

static void* load(const char* plugin, const char* file) {
  void* const handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) fail(dlerror(), plugin);
  void* const found = dlsym(handle, "plugin_use");
  if (found == NULL) fail("the plugin has no function plugin_use", plugin);
  int (*use)(const char*) = NULL;
  memcpy(&use, &found, sizeof use);
  const int step = use(file);
  if (step != 0) {
    char text[64];
    snprintf(text, sizeof text, "plugin_use failed in step %d", step);
    fail(text, plugin);
  }
  return handle;
}

static void check_signal(const char* situation) {
  struct sigaction now;
  if (sigaction(SIGBUS, NULL, &now) != 0 || now.sa_handler != SIG_DFL)
    fail("SIGBUS has a handler", situation);
}

int main(int count, char** arguments) {
  alarm(20);
  if (count != 4) return 2;
  const char* const first_path = arguments[1];
  const char* const second_path = arguments[2];
  const char* const file = arguments[3];
  for (int i = 0; i != 20; ++i) {
    void* const first = load(first_path, file);
    if (dlclose(first) != 0) fail(dlerror(), first_path);
    check_signal("after the close of one plugin");
    void* const a = load(first_path, file);
    void* const b = load(second_path, file);
    const int oldest_first = i % 2;
    if (dlclose(oldest_first ? a : b) != 0)
      fail(dlerror(), oldest_first ? first_path : second_path);
    if (dlclose(oldest_first ? b : a) != 0)
      fail(dlerror(), oldest_first ? second_path : first_path);
    check_signal(oldest_first ? "after the close of two plugins, the oldest first"
                              : "after the close of two plugins, the newest first");
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
      fail("the forked child failed", first_path);
  }
  load(first_path, file); /* stays loaded to the end */
  return 0;
}
