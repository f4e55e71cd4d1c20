/* The object "types": a property of each type, held as it came. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

typedef struct types {
  const segue_plugin_host *host;
  bool b;
  int8_t C;
  uint8_t y;
  int16_t n;
  uint16_t q;
  int32_t i;
  uint32_t u;
  int64_t x;
  uint64_t t;
  float F;
  double d;
  double D;
  char *s;
  char *U;
  segue_value *v;
  /* Arrays: the elements and their number. */
  void *array[10];
  size_t count[10];
  /* Optional properties, and which of them are present. */
  int16_t mn;
  double mD;
  bool has_mn;
  bool has_mD;
  char *ms;
  void *may;
  size_t may_count;
} types;

#define SCALAR(name, type)                         \
  static type get_##name(const types *held) {      \
    return held->name;                             \
  }                                                \
  static int set_##name(types *held, type value) { \
    held->name = value;                            \
    return 0;                                      \
  }

SCALAR(b, bool)
SCALAR(C, int8_t)
SCALAR(y, uint8_t)
SCALAR(n, int16_t)
SCALAR(q, uint16_t)
SCALAR(i, int32_t)
SCALAR(u, uint32_t)
SCALAR(x, int64_t)
SCALAR(t, uint64_t)
SCALAR(F, float)
SCALAR(d, double)
SCALAR(D, double)

/* Text: the getter of s gives a copy away, which free_result frees; the others lend theirs. */
static int keep_text(char **kept, const char *text) {
  free(*kept);
  *kept = text == NULL ? NULL : strdup(text);
  return 0;
}

static char *get_s(const types *held) {
  return strdup(held->s == NULL ? "" : held->s);
}
static int set_s(types *held, const char *text) {
  return keep_text(&held->s, text);
}
static const char *get_U(const types *held) {
  return held->U == NULL ? "segue:" : held->U;
}
static int set_U(types *held, const char *text) {
  return keep_text(&held->U, text);
}
static const char *get_ms(const types *held) {
  return held->ms;
}
static int set_ms(types *held, const char *text) {
  return keep_text(&held->ms, text);
}

static segue_value *get_v(const types *held) {
  return held->v;
}
static int set_v(types *held, segue_value *value) {
  segue_value *former = held->v;
  held->v = held->host->values->ref(value);
  held->host->values->unref(former);
  return 0;
}

#define ARRAY(index, name, type)                                            \
  static const type *get_a##name(const types *held, size_t *out_count) {    \
    *out_count = held->count[index];                                        \
    return held->array[index];                                              \
  }                                                                         \
  static int set_a##name(types *held, const type *elements, size_t count) { \
    return keep_array(held, index, elements, count, sizeof *elements);      \
  }

static int keep_array(types *held, int index, const void *elements, size_t count, size_t size) {
  free(held->array[index]);
  /* An array without elements has an address all the same. */
  held->array[index] = malloc(count * size + 1);
  if (held->array[index] == NULL || elements == NULL) return -12;
  memcpy(held->array[index], elements, count * size);
  held->count[index] = count;
  return 0;
}

ARRAY(0, y, uint8_t)
ARRAY(1, C, int8_t)
ARRAY(2, n, int16_t)
ARRAY(3, q, uint16_t)
ARRAY(4, i, int32_t)
ARRAY(5, u, uint32_t)
ARRAY(6, x, int64_t)
ARRAY(7, F, float)
ARRAY(8, d, double)

/* Strings are borrowed for the call, so their texts are copied too. */
static void drop_strings(types *held) {
  char **texts = held->array[9];
  for (size_t i = 0; i < held->count[9]; i++) free(texts[i]);
  free(texts);
}
static const char *const *get_as(const types *held, size_t *out_count) {
  *out_count = held->count[9];
  return held->array[9];
}
static int set_as(types *held, const char *const *texts, size_t count) {
  char **copies = calloc(count + 1, sizeof *copies);
  if (copies == NULL) return -12;
  for (size_t i = 0; i < count; i++) copies[i] = strdup(texts[i]);
  drop_strings(held);
  held->array[9] = copies;
  held->count[9] = count;
  return 0;
}

static const int16_t *get_mn(const types *held) {
  return held->has_mn ? &held->mn : NULL;
}
static int set_mn(types *held, const int16_t *number) {
  held->has_mn = number != NULL;
  if (number != NULL) held->mn = *number;
  return 0;
}
static const double *get_mD(const types *held) {
  return held->has_mD ? &held->mD : NULL;
}
static int set_mD(types *held, const double *date) {
  held->has_mD = date != NULL;
  if (date != NULL) held->mD = *date;
  return 0;
}
static const uint8_t *get_may(const types *held, size_t *out_count) {
  *out_count = held->may_count;
  return held->may;
}
static int set_may(types *held, const uint8_t *bytes, size_t count) {
  free(held->may);
  held->may = bytes == NULL ? NULL : malloc(count + 1);
  if (held->may != NULL) memcpy(held->may, bytes, count);
  held->may_count = count;
  return 0;
}

#define PROPERTY(name, default_value, free_result) \
  { #name, #name, SEGUE_PROPERTY_PORTABLE, default_value, FUNCTION(get_##name), FUNCTION(set_##name), free_result }

static const segue_plugin_property properties[] = {
    PROPERTY(b, "true", NULL),   PROPERTY(C, "-3", NULL),      PROPERTY(y, NULL, NULL),   PROPERTY(n, NULL, NULL),
    PROPERTY(q, NULL, NULL),     PROPERTY(i, NULL, NULL),      PROPERTY(u, NULL, NULL),   PROPERTY(x, NULL, NULL),
    PROPERTY(t, NULL, NULL),     PROPERTY(F, "2.5", NULL),     PROPERTY(d, "-0.1", NULL), PROPERTY(D, NULL, NULL),
    PROPERTY(s, "a text", free), PROPERTY(U, "segue:x", NULL), PROPERTY(v, NULL, NULL),   PROPERTY(ay, NULL, NULL),
    PROPERTY(aC, NULL, NULL),    PROPERTY(an, NULL, NULL),     PROPERTY(aq, NULL, NULL),  PROPERTY(ai, NULL, NULL),
    PROPERTY(au, NULL, NULL),    PROPERTY(ax, NULL, NULL),     PROPERTY(aF, NULL, NULL),  PROPERTY(ad, NULL, NULL),
    PROPERTY(as, NULL, NULL),    PROPERTY(mn, NULL, NULL),     PROPERTY(mD, NULL, NULL),  PROPERTY(ms, NULL, NULL),
    PROPERTY(may, NULL, NULL),
};

static int create(const segue_plugin_host *host, void **out_object) {
  types *made = calloc(1, sizeof *made);
  if (made == NULL) return -12;
  made->host = host;
  *out_object = made;
  return 0;
}

static void destroy(void *object) {
  types *held = object;
  drop_strings(held);
  for (int i = 0; i < 9; i++) free(held->array[i]);
  held->host->values->unref(held->v);
  free(held->s);
  free(held->U);
  free(held->ms);
  free(held->may);
  free(held);
}

const segue_plugin_object_descriptor types_descriptor = {
    .struct_size = sizeof types_descriptor,
    .property_size = sizeof properties[0],
    .id = "types",
    .name = "Every type",
    .create = create,
    .destroy = destroy,
    .properties = properties,
    .property_count = sizeof properties / sizeof properties[0],
};
