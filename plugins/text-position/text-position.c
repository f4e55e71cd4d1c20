/* org.segue.text-position: a place in a text. README.md says what each property means. */
#include <errno.h>
#include <segue/draft/summary.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

/* The properties. Restoring sets them in this order; what can be refused comes before the file. */

static uint32_t get_line(const place *held) {
  return held->line;
}

static int set_line(place *held, uint32_t line) {
  if (line == 0) return -ERANGE;
  held->line = line;
  return 0;
}

static uint32_t get_column(const place *held) {
  return held->column;
}

static int set_column(place *held, uint32_t column) {
  if (column == 0) return -ERANGE;
  held->column = column;
  return 0;
}

static const uint32_t *get_selections(const place *held, size_t *out_count) {
  *out_count = held->selection_numbers;
  return held->selection_numbers == 0 ? NULL : held->selections;
}

static int set_selections(place *held, const uint32_t *numbers, size_t count) {
  if (count % SELECTION_NUMBERS != 0) return -EINVAL;
  if (count > SELECTION_MAXIMUM * SELECTION_NUMBERS) return -E2BIG;
  for (size_t i = 0; i < count; i++) {
    if (numbers[i] == 0) return -ERANGE;
  }
  if (count > 0) memcpy(held->selections, numbers, count * sizeof *numbers);
  held->selection_numbers = count;
  return 0;
}

static const uint32_t *get_top(const place *held) {
  return held->top == 0 ? NULL : &held->top;
}

static int set_top(place *held, const uint32_t *top) {
  if (top != NULL && *top == 0) return -ERANGE;
  held->top = top == NULL ? 0 : *top;
  return 0;
}

static const char *get_file(const place *held) {
  return held->file;
}

static int set_file(place *held, const char *file) {
  char *copy = file == NULL ? NULL : strdup(file);
  if (file != NULL && copy == NULL) return -ENOMEM;
  free(held->file);
  held->file = copy;
  return 0;
}

#define FUNCTION(name) ((segue_plugin_function)(name))

static const segue_plugin_property properties[] = {
    {"text.line", "u", SEGUE_PROPERTY_PORTABLE | SEGUE_PROPERTY_REQUIRED, NULL, FUNCTION(get_line), FUNCTION(set_line),
     NULL},
    {"text.column", "u", SEGUE_PROPERTY_PORTABLE, "1", FUNCTION(get_column), FUNCTION(set_column), NULL},
    {"text.selections", "mau", SEGUE_PROPERTY_PORTABLE, NULL, FUNCTION(get_selections), FUNCTION(set_selections), NULL},
    {"text.top", "mu", SEGUE_PROPERTY_PORTABLE, NULL, FUNCTION(get_top), FUNCTION(set_top), NULL},
    {"text.file", "mU", SEGUE_PROPERTY_PORTABLE, NULL, FUNCTION(get_file), FUNCTION(set_file), NULL},
};

/* The object. */

static int create(const segue_plugin_host *host, void **out_object) {
  (void)host;
  place *made = calloc(1, sizeof *made);
  if (made == NULL) return -ENOMEM;
  made->line = made->column = 1;
  *out_object = made;
  return 0;
}

static void destroy(void *object) {
  place *held = object;
  free(held->file);
  free(held);
}

static const void *get_extension(void *object, const char *id) {
  static const segue_plugin_summary summary = {sizeof(segue_plugin_summary), 0, place_get_summary};
  (void)object;
  return strcmp(id, SEGUE_PLUGIN_SUMMARY) == 0 ? &summary : NULL;
}

static const segue_plugin_object_descriptor position = {
    .struct_size = sizeof(segue_plugin_object_descriptor),
    .property_size = sizeof(segue_plugin_property),
    .id = "position",
    .name = "A place in a text",
    .create = create,
    .destroy = destroy,
    .properties = properties,
    .property_count = sizeof properties / sizeof properties[0],
    .get_extension = get_extension,
};

static const segue_plugin_object_descriptor *const descriptors[] = {&position};

static const segue_plugin_object_factory factory = {sizeof(segue_plugin_object_factory), 1, descriptors};

static const void *get_factory(const char *id) {
  return strcmp(id, SEGUE_PLUGIN_OBJECT_FACTORY) == 0 ? &factory : NULL;
}

SEGUE_PLUGIN_EXPORT const segue_plugin_entry segue_entry = {
    .struct_size = sizeof(segue_plugin_entry),
    .abi = SEGUE_PLUGIN_ABI,
    .id = "org.segue.text-position",
    .get_factory = get_factory,
};
