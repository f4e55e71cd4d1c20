/* The plugin's export, and the functions that the library calls. OWN_ID comes from the Makefile. */
#include <pthread.h>
#include <stdio.h>

#include "calls.h"

/* clang-format off */
#define EACH_PROPERTY(F) \
  F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) \
  F(16) F(17) F(18) F(19) F(20) F(21) F(22) F(23) F(24) F(25) F(26) F(27) F(28) F(29) F(30) F(31)
#define EACH_KIND(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
/* clang-format on */

#define FUNCTIONS(n)                                                        \
  static bool get_bool_##n(void *object) {                                  \
    return plugin_get_bool(object, n);                                      \
  }                                                                         \
  static int64_t get_integer_##n(void *object) {                            \
    return plugin_get_integer(object, n);                                   \
  }                                                                         \
  static double get_number_##n(void *object) {                              \
    return plugin_get_number(object, n);                                    \
  }                                                                         \
  static void *get_pointer_##n(void *object) {                              \
    return plugin_get_pointer(object, n);                                   \
  }                                                                         \
  static void *get_bytes_##n(void *object, size_t *out_count) {             \
    return plugin_get_bytes(object, n, out_count);                          \
  }                                                                         \
  static int set_bool_##n(void *object, bool value) {                       \
    return plugin_set_bool(object, n, value);                               \
  }                                                                         \
  static int set_integer_##n(void *object, int64_t value) {                 \
    return plugin_set_integer(object, n, value);                            \
  }                                                                         \
  static int set_number_##n(void *object, double value) {                   \
    return plugin_set_number(object, n, value);                             \
  }                                                                         \
  static int set_pointer_##n(void *object, const void *value) {             \
    return plugin_set_pointer(object, n, value);                            \
  }                                                                         \
  static int set_bytes_##n(void *object, const void *bytes, size_t count) { \
    return plugin_set_bytes(object, n, bytes, count);                       \
  }
EACH_PROPERTY(FUNCTIONS)

typedef struct property_functions {
  segue_plugin_function getters[5];
  segue_plugin_function setters[5];
} property_functions;

#define FUNCTION(name) (segue_plugin_function) name
#define PROPERTY(n)                                                                                         \
  {{FUNCTION(get_bool_##n), FUNCTION(get_integer_##n), FUNCTION(get_number_##n), FUNCTION(get_pointer_##n), \
    FUNCTION(get_bytes_##n)},                                                                               \
   {FUNCTION(set_bool_##n), FUNCTION(set_integer_##n), FUNCTION(set_number_##n), FUNCTION(set_pointer_##n), \
    FUNCTION(set_bytes_##n)}},
static const property_functions properties[PLUGIN_MAXIMUM_PROPERTIES] = {EACH_PROPERTY(PROPERTY)};

segue_plugin_function plugin_getter(plugin_passing passing, uint32_t property) {
  return properties[property].getters[passing];
}

segue_plugin_function plugin_setter(plugin_passing passing, uint32_t property) {
  return properties[property].setters[passing];
}

#define CREATE(n)                                                           \
  static int create_##n(const segue_plugin_host *host, void **out_object) { \
    return plugin_create(n, host, out_object);                              \
  }
EACH_KIND(CREATE)

#define CREATED(n) create_##n,
static int (*const creators[PLUGIN_MAXIMUM_KINDS])(const segue_plugin_host *, void **) = {EACH_KIND(CREATED)};

void plugin_describe_kind(segue_plugin_object_descriptor *out_descriptor, uint32_t kind) {
  out_descriptor->struct_size = sizeof *out_descriptor;
  out_descriptor->property_size = sizeof(segue_plugin_property);
  out_descriptor->create = creators[kind];
  out_descriptor->destroy = plugin_destroy;
  out_descriptor->update_user_activity_state = plugin_update;
  out_descriptor->restore_user_activity_state = plugin_restore;
}

void plugin_free(void *memory) {
  free(memory);
}

void plugin_say(const char *message) {
  fputs(message, stderr);
}

/* Several applications of one process may load the plugin at once. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const segue_plugin_object_factory *factory;

static void make_factory(void) {
  factory = plugin_make_factory();
}

static const void *get_factory(const char *id) {
  if (strcmp(id, SEGUE_PLUGIN_OBJECT_FACTORY) != 0) return NULL;
  pthread_once(&once, make_factory);
  return factory;
}

SEGUE_PLUGIN_EXPORT const segue_plugin_entry segue_entry = {
    .struct_size = sizeof segue_entry,
    .abi = SEGUE_PLUGIN_ABI,
    .id = OWN_ID,
    .get_factory = get_factory,
};
