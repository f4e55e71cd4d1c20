/* The object "faults": getters and setters that break their contract. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "plugin.h"

static const char *get_null(const void *object) {
  (void)object;
  return NULL;
}
static const char *get_not_utf8(const void *object) {
  (void)object;
  return "a\xFF";
}
static const char *get_no_url(const void *object) {
  (void)object;
  return "no URL";
}
static const uint8_t *get_endless(const void *object, size_t *out_count) {
  (void)object;
  static const uint8_t byte = 1;
  *out_count = SIZE_MAX;
  return &byte;
}
static const int32_t *get_many(const void *object, size_t *out_count) {
  (void)object;
  static const int32_t numbers[4097] = {0};
  *out_count = 4097;
  return numbers;
}
static const char *const *get_strings(const void *object, size_t *out_count) {
  (void)object;
  static const char *const texts[] = {"a", NULL};
  *out_count = 2;
  return texts;
}
static uint64_t get_beyond(const void *object) {
  (void)object;
  return UINT64_MAX;
}
static double get_never(const void *object) {
  (void)object;
  return INFINITY;
}
static int get_count_calls;
static int32_t get_fine(const void *object) {
  (void)object;
  return ++get_count_calls;
}
static int set_first(void *object, int32_t number) {
  (void)object;
  (void)number;
  return 0;
}
static int set_failing(void *object, int32_t number) {
  (void)object;
  return number == 0 ? -EBUSY : number == -1 ? INT32_MIN : 0;
}

#define GETTER(key, signature, getter) \
  { key, signature, SEGUE_PROPERTY_PORTABLE, NULL, FUNCTION(getter), NULL, NULL }

static const segue_plugin_property properties[] = {
    GETTER("null", "s", get_null),
    GETTER("not-utf8", "s", get_not_utf8),
    GETTER("no-url", "U", get_no_url),
    GETTER("endless", "ay", get_endless),
    GETTER("many", "ai", get_many),
    GETTER("strings", "as", get_strings),
    GETTER("beyond", "t", get_beyond),
    GETTER("never", "D", get_never),
    GETTER("fine", "i", get_fine),
    {"first", "i", SEGUE_PROPERTY_PORTABLE, NULL, NULL, FUNCTION(set_first), NULL},
    {"failing", "i", SEGUE_PROPERTY_PORTABLE, NULL, NULL, FUNCTION(set_failing), NULL},
};

static int create(const segue_plugin_host *host, void **out_object) {
  (void)host;
  *out_object = malloc(1);
  return *out_object == NULL ? -ENOMEM : 0;
}

const segue_plugin_object_descriptor faults_descriptor = {
    .struct_size = sizeof faults_descriptor,
    .property_size = sizeof properties[0],
    .id = "faults",
    .name = "What goes wrong",
    .create = create,
    .destroy = free,
    .properties = properties,
    .property_count = sizeof properties / sizeof properties[0],
};
