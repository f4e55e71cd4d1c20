/* @PLUGIN_ID@: @PLUGIN_NAME@. */
#include <errno.h>
#include <segue/plugin.h>
#include <stdlib.h>
#include <string.h>

/* The object's data. Put yours here. */
typedef struct counter {
  int64_t count;
  char *label; /* NULL: none */
} counter;

/* For each property a getter and a setter. A setter returns 0, or a negative errno for what it does not take. */

static int64_t get_count(const counter *held) {
  return held->count;
}

static int set_count(counter *held, int64_t count) {
  if (count < 0) return -ERANGE;
  held->count = count;
  return 0;
}

static const char *get_label(const counter *held) {
  return held->label;
}

static int set_label(counter *held, const char *label) {
  /* The argument of a setter is borrowed for the call. */
  char *copy = label == NULL ? NULL : strdup(label);
  if (label != NULL && copy == NULL) return -ENOMEM;
  free(held->label);
  held->label = copy;
  return 0;
}

/* Key, type, flags, default, getter, setter, and the function that frees the getter's result: segue/plugin.h lists
 * them. The same stands in @PLUGIN_ID@.plugin. Begin the keys with a word of your own: other plugins may serve the same
 * activity.
 */
static const segue_plugin_property properties[] = {
    {"counter.count", "x", SEGUE_PROPERTY_PORTABLE | SEGUE_PROPERTY_REQUIRED, NULL, (segue_plugin_function)get_count,
     (segue_plugin_function)set_count, NULL},
    {"counter.label", "ms", SEGUE_PROPERTY_PORTABLE, NULL, (segue_plugin_function)get_label,
     (segue_plugin_function)set_label, NULL},
};

static int create(const segue_plugin_host *host, void **out_object) {
  (void)host;
  *out_object = calloc(1, sizeof(counter));
  return *out_object == NULL ? -ENOMEM : 0;
}

static void destroy(void *object) {
  counter *held = object;
  free(held->label);
  free(held);
}

/* Another kind of object is another descriptor. */
static const segue_plugin_object_descriptor descriptor = {
    .struct_size = sizeof(segue_plugin_object_descriptor),
    .property_size = sizeof(segue_plugin_property),
    .id = "counter",
    .name = "A counter",
    .create = create,
    .destroy = destroy,
    .properties = properties,
    .property_count = sizeof properties / sizeof properties[0],
};

static const segue_plugin_object_descriptor *const descriptors[] = {&descriptor};

static const segue_plugin_object_factory factory = {
    .struct_size = sizeof(segue_plugin_object_factory),
    .count = sizeof descriptors / sizeof descriptors[0],
    .descriptors = descriptors,
};

static const void *get_factory(const char *id) {
  return strcmp(id, SEGUE_PLUGIN_OBJECT_FACTORY) == 0 ? &factory : NULL;
}

SEGUE_PLUGIN_EXPORT const segue_plugin_entry segue_entry = {
    .struct_size = sizeof(segue_plugin_entry),
    .abi = SEGUE_PLUGIN_ABI,
    .id = "@PLUGIN_ID@",
    .get_factory = get_factory,
};
