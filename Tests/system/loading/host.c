/* Loads plugins, and says what came of it: host PREFIX|- PATH... */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <segue/segue.h>

static void tell(segue_application *application, const char *path, const char *prefix) {
  segue_error *error = NULL;
  segue_plugin *plugin = NULL;
  segue_plugin_object *object = NULL;
  int64_t number = 0;
  int result = segue_plugin_load(application, path, prefix, &plugin, &error);
  if (result == 0) result = segue_plugin_object_new(plugin, "one", NULL, NULL, NULL, NULL, &object, &error);
  if (result == 0) result = segue_plugin_object_get_integer(object, "number", &number, &error);
  if (result == 0) {
    printf("loaded %s %" PRId64 "\n", segue_plugin_get_id(plugin), number);
  } else {
    printf("refused %d %s: %s\n", result, segue_error_get_message(error), segue_error_get_advice(error));
  }
  segue_error_unref(error);
  segue_plugin_object_unref(object);
  segue_plugin_unref(plugin);
}

int main(int count, char **arguments) {
  const char *prefix = count > 1 && strcmp(arguments[1], "-") != 0 ? arguments[1] : NULL;
  segue_application_options options = SEGUE_APPLICATION_OPTIONS_INIT;
  segue_application *application = NULL;
  /* No bus is needed to load a plugin. */
  options.bus_address = "unix:path=/nowhere";
  if (segue_application_new("org.segue.test.Loading", &options, &application, NULL) != 0) return 1;
  printf("user %u secure %lu\n", (unsigned)geteuid(), getauxval(AT_SECURE));
  for (int index = 2; index < count; index++) {
    if (arguments[index][0] == '/') {
      tell(application, arguments[index], prefix);
    } else {
      /* An id. */
      char *path = NULL;
      int result = segue_plugin_copy_path(arguments[index], prefix, &path);
      if (result == 0) {
        tell(application, path, prefix);
      } else {
        printf("no path %d\n", result);
      }
      segue_free(path);
    }
  }
  segue_application_unref(application);
  return 0;
}
