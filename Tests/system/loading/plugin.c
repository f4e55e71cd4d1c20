/* A plugin with an object "one", whose property "number" is NUMBER. Macros say what else it does. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <segue/plugin.h>

#ifndef NUMBER
#define NUMBER 1
#endif
#ifndef ABI
#define ABI SEGUE_PLUGIN_ABI
#endif
#ifndef RESULT
#define RESULT 0
#endif

/* MARK is a file: code of the plugin has run, before it was asked for anything. MARK ".init": its init has. */
#ifdef MARK
static void mark(const char *name) {
  close(open(name, O_WRONLY | O_CREAT, 0644));
}
__attribute__((constructor)) static void constructed(void) {
  mark(MARK);
}
#endif

static int32_t get_number(const void *object) {
  (void)object;
  return NUMBER;
}

static int create(const segue_plugin_host *host, void **out_object) {
  static char object;
  (void)host;
  *out_object = &object;
  return 0;
}

static void destroy(void *object) {
  (void)object;
}

static const segue_plugin_property properties[] = {
    {"number", "i", SEGUE_PROPERTY_PORTABLE, NULL, (segue_plugin_function)get_number, NULL, NULL}};

static const segue_plugin_object_descriptor one = {
    .struct_size = sizeof one,
    .property_size = sizeof properties[0],
    .id = "one",
    .name = "One",
    .create = create,
    .destroy = destroy,
    .properties = properties,
    .property_count = 1};

static const segue_plugin_object_descriptor *const descriptors[] = {&one};

static const segue_plugin_object_factory factory = {sizeof factory, 1, descriptors};

static const void *get_factory(const char *id) {
  return strcmp(id, SEGUE_PLUGIN_OBJECT_FACTORY) == 0 ? &factory : NULL;
}

static int init(void) {
#ifdef MARK
  mark(MARK ".init");
#endif
  return RESULT;
}

#ifndef NO_ENTRY
#define ENTRY segue_entry
#else
#define ENTRY another_entry
#endif
SEGUE_PLUGIN_EXPORT const segue_plugin_entry ENTRY = {sizeof ENTRY, ABI, ID, init, NULL, get_factory};
