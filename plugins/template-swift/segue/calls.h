/* Between Segue's C tables and the plugin's Swift. The library calls functions of C that have no userdata; so there is
 * one for each property by its number, which calls the Swift function of its type, with that number. */
#ifndef PLUGIN_CALLS_H
#define PLUGIN_CALLS_H

#include <errno.h>
#include <segue/plugin.h>
#include <segue/value.h>
#include <stdlib.h>
#include <string.h>

SEGUE_BEGIN_NONNULL

/* More of them: raise these, and add to the lists in entry.c. */
enum {
  PLUGIN_MAXIMUM_KINDS = 8,       /* of objects in the plugin */
  PLUGIN_MAXIMUM_PROPERTIES = 32, /* of one kind of object */
};

/* How a property's value is passed. */
typedef enum plugin_passing {
  PLUGIN_BOOL,
  PLUGIN_INTEGER,
  PLUGIN_NUMBER,
  PLUGIN_POINTER, /* text, and all that may be absent */
  PLUGIN_BYTES,   /* a pointer and a count */
} plugin_passing;

/* In C. */
segue_plugin_function plugin_getter(plugin_passing passing, uint32_t property);
segue_plugin_function plugin_setter(plugin_passing passing, uint32_t property);
/* Fills in the functions of the kind of that number. */
void plugin_describe_kind(segue_plugin_object_descriptor *out_descriptor, uint32_t kind);
/* For what the getters give away. */
void plugin_free(void *memory);
/* To standard error. */
void plugin_say(const char *message);

/* In Swift. */
/* The kinds of objects, made once. NULL: there are too many of something; the message is on standard error. */
const segue_plugin_object_factory *SEGUE_NULLABLE plugin_make_factory(void);
const char *plugin_get_name(void);
const char *plugin_get_version(void);

int plugin_create(uint32_t kind, const segue_plugin_host *host, SEGUE_OUT(void *) out_object);
void plugin_destroy(void *object);
int plugin_update(void *object, segue_activity *activity);
int plugin_restore(void *object, segue_activity *activity);

bool plugin_get_bool(void *object, uint32_t property);
int64_t plugin_get_integer(void *object, uint32_t property);
double plugin_get_number(void *object, uint32_t property);
/* Both give memory away. */
void *SEGUE_NULLABLE plugin_get_pointer(void *object, uint32_t property);
void *SEGUE_NULLABLE plugin_get_bytes(void *object, uint32_t property, size_t *out_count);
int plugin_set_bool(void *object, uint32_t property, bool value);
int plugin_set_integer(void *object, uint32_t property, int64_t value);
int plugin_set_number(void *object, uint32_t property, double value);
int plugin_set_pointer(void *object, uint32_t property, const void *SEGUE_NULLABLE value);
int plugin_set_bytes(void *object, uint32_t property, const void *SEGUE_NULLABLE bytes, size_t count);

SEGUE_END_NONNULL

#endif
