/*
 * plugin-load dlopen|segue PATH PREFIX: the microseconds of loading the plugin at PATH, by the loader alone or as an
 * application loads it, into a process that has libsegue already.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <segue/segue.h>
#include <stdio.h>
#include <string.h>

#include "../common.h"

int main(int count, char **given) {
  segue_application *app;
  segue_plugin *plugin;
  segue_error *error = NULL;
  if (count != 4) return 2;
  if (segue_application_new(BENCH_APP, NULL, &app, NULL) < 0) fail("plugin", "no application");
  uint64_t start = now();
  if (strcmp(given[1], "dlopen") == 0) {
    if (dlopen(given[2], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) == NULL) fail("plugin", dlerror());
  } else if (segue_plugin_load(app, given[2], given[3], &plugin, &error) < 0) {
    fail("plugin", segue_error_get_message(error));
  }
  printf("%.1f\n", (double)(now() - start) / 1e3);
  return 0;
}
