/*
 * The plugin that is measured: "record", with as many properties as a useful object has, and "number", with one. Their
 * functions cost next to nothing.
 */
#include "record.h"

#include <errno.h>
#include <segue/plugin.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION(name) ((segue_plugin_function)(name))

typedef struct record {
  int64_t count;
  uint32_t line;
  uint32_t column;
  double part;
  bool is_open;
  char name[64];
} record;

static int64_t get_count(const record *held) {
  return held->count;
}

static int set_count(record *held, int64_t count) {
  held->count = count;
  return 0;
}

static int set_count_with_data(record *held, int64_t count, void *data) {
  (void)data;
  held->count = count;
  return 0;
}

static uint32_t get_line(const record *held) {
  return held->line;
}

static int set_line(record *held, uint32_t line) {
  held->line = line;
  return 0;
}

static uint32_t get_column(const record *held) {
  return held->column;
}

static int set_column(record *held, uint32_t column) {
  held->column = column;
  return 0;
}

static double get_part(const record *held) {
  return held->part;
}

static int set_part(record *held, double part) {
  held->part = part;
  return 0;
}

static bool get_is_open(const record *held) {
  return held->is_open;
}

static int set_is_open(record *held, bool is_open) {
  held->is_open = is_open;
  return 0;
}

static const char *get_name(const record *held) {
  return held->name;
}

static int set_name(record *held, const char *name) {
  if (strlen(name) >= sizeof held->name) return -E2BIG;
  strcpy(held->name, name);
  return 0;
}

static const segue_plugin_property properties[] = {
    {"line", "u", SEGUE_PROPERTY_PORTABLE, "1", FUNCTION(get_line), FUNCTION(set_line), NULL},
    {"column", "u", SEGUE_PROPERTY_PORTABLE, "1", FUNCTION(get_column), FUNCTION(set_column), NULL},
    {"part", "d", SEGUE_PROPERTY_PORTABLE, "0", FUNCTION(get_part), FUNCTION(set_part), NULL},
    {"count", "x", SEGUE_PROPERTY_PORTABLE, "0", FUNCTION(get_count), FUNCTION(set_count), NULL},
    {"is-open", "b", SEGUE_PROPERTY_PORTABLE, "false", FUNCTION(get_is_open), FUNCTION(set_is_open), NULL},
    {"name", "s", SEGUE_PROPERTY_PORTABLE, "", FUNCTION(get_name), FUNCTION(set_name), NULL},
};

static const segue_plugin_property number_properties[] = {
    {"count", "x", SEGUE_PROPERTY_PORTABLE | SEGUE_PROPERTY_REQUIRED, NULL, FUNCTION(get_count), FUNCTION(set_count),
     NULL},
};

static int create(const segue_plugin_host *host, void **out_object) {
  (void)host;
  *out_object = calloc(1, sizeof(record));
  return *out_object == NULL ? -ENOMEM : 0;
}

static const void *get_extension(void *object, const char *id) {
  static const record_functions functions = {
      (int (*)(void *, int64_t))set_count, (int (*)(void *, int64_t, void *))set_count_with_data};
  (void)object;
  return strcmp(id, RECORD_FUNCTIONS) == 0 ? &functions : NULL;
}

static const segue_plugin_object_descriptor whole = {
    .struct_size = sizeof whole,
    .property_size = sizeof(segue_plugin_property),
    .id = "record",
    .name = "A record",
    .create = create,
    .destroy = free,
    .properties = properties,
    .property_count = sizeof properties / sizeof properties[0],
    .get_extension = get_extension,
};

static const segue_plugin_object_descriptor number = {
    .struct_size = sizeof number,
    .property_size = sizeof(segue_plugin_property),
    .id = "number",
    .name = "A number",
    .create = create,
    .destroy = free,
    .properties = number_properties,
    .property_count = 1,
};

static const segue_plugin_object_descriptor *const descriptors[] = {&whole, &number};
static const segue_plugin_object_factory factory = {
    .struct_size = sizeof factory, .count = 2, .descriptors = descriptors};

static const void *get_factory(const char *id) {
  return strcmp(id, SEGUE_PLUGIN_OBJECT_FACTORY) == 0 ? &factory : NULL;
}

SEGUE_PLUGIN_EXPORT const segue_plugin_entry segue_entry = {
    .struct_size = sizeof segue_entry,
    .abi = SEGUE_PLUGIN_ABI,
    .id = RECORD_PLUGIN,
    .get_factory = get_factory,
};
