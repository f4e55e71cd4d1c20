/* Values on their way into a plugin and back: the plugin of Tests/abi is loaded once, and each input sets a property,
 * restores an object, or makes a function. The target compares the values that come back with segue/plugin.h. */
#include "marshaller.h"

#include <stdlib.h>
#include <string.h>

struct fuzz_host fuzz;

void fuzz_fail(const char *what, const char *file, int line) {
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  abort();
}

void fuzz_check_shown(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  for (; *at != 0; at++) {
    CHECK(*at >= 0x20 && *at != 0x7F);
    CHECK(at[0] != 0xC2 || at[1] >= 0xA0);
  }
}

static void note_line(segue_application *application, const char *line, void *userdata) {
  (void)application;
  (void)userdata;
  fuzz_check_shown(line);
}

/* Starts the host once for all inputs; it lives until the process ends. */
static void start(void) {
  segue_application_options options = SEGUE_APPLICATION_OPTIONS_INIT;
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  segue_error *error = NULL;
  options.bus_address = "unix:path=/nonexistent/segue/bus";
  delegate.log = note_line;
  CHECK(segue_application_new("org.segue.AbiTest", &options, &fuzz.application, NULL) == 0);
  CHECK(segue_application_set_delegate(fuzz.application, &delegate, NULL, NULL) == 0);
  segue_plugin_load(
      fuzz.application, ABI_PREFIX "/lib/segue/plugins/org.segue.abi-test.so", ABI_PREFIX, &fuzz.plugin, &error);
  if (error != NULL) fuzz_fail(segue_error_get_message(error), __FILE__, __LINE__);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const targets[])(const uint8_t *, size_t) = {
      fuzz_property, fuzz_restoring_types, fuzz_restoring_together, fuzz_closure};
  if (fuzz.application == NULL) start();
  if (size > 0) targets[data[0] % 4](data + 1, size - 1);
  CHECK(segue_application_dispatch(fuzz.application) >= 0);
  return 0;
}
