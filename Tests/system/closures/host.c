/* Has a plugin's object make a closure, where the system forbids this or that: host PREFIX PLUGIN
 * free|guarded|none|many */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <segue/segue.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "../../abi/plugin/guest.h"

/* Since Linux 6.3; older headers do not have them. */
#define SET_MDWE 65
#define MDWE_REFUSE_EXEC_GAIN 1UL

static void log_line(segue_application *application, const char *line, void *userdata) {
  (void)application;
  (void)userdata;
  printf("log: %s\n", line);
}

/* Memory that is writable is never executable, nor becomes so: what MemoryDenyWriteExecute= of systemd asks for. */
static int guard(void) {
  return prctl(SET_MDWE, MDWE_REFUSE_EXEC_GAIN, 0UL, 0UL, 0UL);
}

/* No memory at all is made executable any more. */
static int forbid(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void double_it(void *userdata, void *result, const void *const *arguments) {
  (void)userdata;
  *(int32_t *)result = 2 * *(const int32_t *)arguments[0];
}

/* Makes closures until there is no room, and one more when one has been released. */
static void fill_with_closures(const guest_functions *functions, void *made) {
  segue_plugin_function function = NULL;
  void *closure = NULL;
  int made_so_far = 0;
  int result;
  while ((result = functions->make(made, "i(i)", double_it, NULL, NULL, &function, &closure)) == 0) made_so_far++;
  printf("%d closures, then %d\n", made_so_far, result);
  functions->release(made, closure);
  printf("%d\n", functions->make(made, "i(i)", double_it, NULL, NULL, &function, &closure));
}

/* Makes objects until there is no room; one is there. They end with the application. */
static void fill_with_objects(segue_plugin *plugin) {
  segue_plugin_object *object = NULL;
  int made_so_far = 1;
  int result;
  while ((result = segue_plugin_object_new(plugin, "guest", NULL, NULL, NULL, NULL, &object, NULL)) == 0) made_so_far++;
  printf("%d objects, then %d\n", made_so_far, result);
}

/* Loads further plugins, called abi-n001 and so on, until there is no room; one is there. */
static void fill_with_plugins(segue_application *application, const char *path, const char *prefix) {
  int made_so_far = 1;
  int result = 0;
  while (result == 0) {
    char next[4096];
    segue_plugin *plugin = NULL;
    snprintf(next, sizeof next, "%.*sn%03d.so", (int)(strlen(path) - strlen("test.so")), path, made_so_far);
    result = segue_plugin_load(application, next, prefix, &plugin, NULL);
    segue_plugin_unref(plugin);
    if (result == 0) made_so_far++;
  }
  printf("%d plugins, then %d\n", made_so_far, result);
}

int main(int count, char **arguments) {
  segue_application_options options = SEGUE_APPLICATION_OPTIONS_INIT;
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  segue_application *application = NULL;
  segue_plugin *plugin = NULL;
  segue_plugin_object *object = NULL;
  segue_error *error = NULL;
  const void *functions = NULL;
  void *made = NULL;
  void *closure = NULL;
  segue_plugin_function function = NULL;
  if (count != 4) return 64;
  options.bus_address = "unix:path=/nowhere";
  delegate.log = log_line;
  if (segue_application_new("org.segue.AbiTest", &options, &application, NULL) < 0) return 1;
  segue_application_set_delegate(application, &delegate, NULL, NULL);
  if (segue_plugin_load(application, arguments[2], arguments[1], &plugin, &error) < 0 ||
      segue_plugin_object_new(plugin, "guest", NULL, NULL, NULL, NULL, &object, &error) < 0 ||
      segue_plugin_object_get_extension(object, GUEST_EXTENSION, &functions, &made) < 0) {
    printf("%s\n", segue_error_get_message(error));
    return 1;
  }
  if (strcmp(arguments[3], "guarded") == 0 && guard() != 0) {
    puts("the kernel has no such guard");
    return 77;
  }
  if (strcmp(arguments[3], "none") == 0 && forbid() != 0) return 1;
  if (strcmp(arguments[3], "many") == 0) {
    fill_with_closures(functions, made);
    fill_with_objects(plugin);
    fill_with_plugins(application, arguments[2], arguments[1]);
    return 0;
  }
  int result = ((const guest_functions *)functions)->make(made, "i(i)", double_it, NULL, NULL, &function, &closure);
  if (result == 0) result = ((int32_t(*)(int32_t))function)(21);
  /* The lines that the plugin has logged come now. */
  segue_application_dispatch(application);
  printf("%d\n", result);
  segue_plugin_object_unref(object);
  segue_plugin_unref(plugin);
  segue_application_unref(application);
  return 0;
}
