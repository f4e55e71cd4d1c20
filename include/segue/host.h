/**
 * @file segue/host.h
 * For authors of plugins: what the host, an application that uses Segue, hands over to a plugin's object
 * (segue/plugin.h). The structs grow at their end: look at struct_size before you use what is newer than your oldest
 * host.
 */
#ifndef SEGUE_HOST_H
#define SEGUE_HOST_H

#include "base.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

/** The ABI between plugin and host. A host loads plugins of this number only. */
#define SEGUE_PLUGIN_ABI 1

/** Any function, by a cast. A signature says how it is called. */
typedef void (*segue_plugin_function)(void);

typedef struct segue_plugin_host segue_plugin_host;

/** The functions of segue/value.h, each as it is described there. [any-thread] */
typedef struct segue_plugin_values {
  uint32_t struct_size; /**< sizeof(segue_plugin_values), the host's */
  uint32_t reserved;    /**< 0 */
  int (*new_null)(SEGUE_OUT(segue_value *) out_value);
  int (*new_bool)(bool boolean, SEGUE_OUT(segue_value *) out_value);
  int (*new_integer)(int64_t integer, SEGUE_OUT(segue_value *) out_value);
  int (*new_double)(double number, SEGUE_OUT(segue_value *) out_value);
  int (*new_string)(const char *string, SEGUE_OUT(segue_value *) out_value);
  int (*new_data)(const void *SEGUE_NULLABLE bytes, size_t length, SEGUE_OUT(segue_value *) out_value);
  int (*new_date)(double seconds, SEGUE_OUT(segue_value *) out_value);
  int (*new_url)(const char *url, SEGUE_OUT(segue_value *) out_value);
  int (*new_uuid)(const uint8_t *bytes, SEGUE_OUT(segue_value *) out_value);
  int (*new_array)(SEGUE_OUT(segue_value *) out_value);
  int (*new_set)(SEGUE_OUT(segue_value *) out_value);
  int (*new_dictionary)(SEGUE_OUT(segue_value *) out_value);
  segue_value *SEGUE_NONNULL (*SEGUE_NONNULL ref)(segue_value *value);
  segue_value *SEGUE_NULLABLE (*SEGUE_NONNULL unref)(segue_value *SEGUE_NULLABLE value);
  int32_t (*get_kind)(const segue_value *value);
  bool (*is_equal)(const segue_value *value, const segue_value *other);
  int (*get_bool)(const segue_value *value, bool *out_boolean);
  int (*get_integer)(const segue_value *value, int64_t *out_integer);
  int (*get_double)(const segue_value *value, double *out_number);
  int (*get_string)(const segue_value *value, SEGUE_OUT(const char *) out_string);
  int (*get_data)(const segue_value *value, SEGUE_OUT(const void *) out_bytes, size_t *out_length);
  int (*get_date)(const segue_value *value, double *out_seconds);
  int (*get_uuid)(const segue_value *value, uint8_t *out_bytes);
  int (*get_count)(const segue_value *container, size_t *out_count);
  int (*append)(segue_value *container, const segue_value *element);
  int (*get_at)(const segue_value *container, size_t index, SEGUE_OUT(segue_value *) out_element);
  int (*set)(segue_value *dictionary, const segue_value *key, const segue_value *SEGUE_NULLABLE element);
  int (*get)(const segue_value *dictionary, const segue_value *key, SEGUE_OUT(segue_value *) out_element);
  int (*get_entry)(
      const segue_value *dictionary, size_t index, SEGUE_OUT(segue_value *) out_key,
      SEGUE_OUT(segue_value *) out_element);
  int (*set_for_name)(segue_value *dictionary, const char *name, const segue_value *SEGUE_NULLABLE element);
  int (*get_for_name)(const segue_value *dictionary, const char *name, SEGUE_OUT(segue_value *) out_element);
} segue_plugin_values;

/** Functions of segue/activity.h, each as it is described there. [any-thread] */
typedef struct segue_plugin_activities {
  uint32_t struct_size; /**< sizeof(segue_plugin_activities), the host's */
  uint32_t reserved;    /**< 0 */
  const char *SEGUE_NULLABLE (*SEGUE_NONNULL get_type)(const segue_activity *activity);
  int (*set_title)(segue_activity *activity, const char *SEGUE_NULLABLE title);
  int (*copy_title)(const segue_activity *activity, SEGUE_OUT(char *) out_title);
  int (*set_webpage_url)(segue_activity *activity, const char *SEGUE_NULLABLE url);
  int (*copy_webpage_url)(const segue_activity *activity, SEGUE_OUT(char *) out_url);
  int (*add_user_info_entries)(segue_activity *activity, const segue_value *dictionary);
  int (*copy_user_info)(const segue_activity *activity, SEGUE_OUT(segue_value *) out_dictionary);
  int32_t (*get_save_reason)(const segue_activity *activity);
  /** segue_free, for what the copy functions gave. */
  void (*free)(void *SEGUE_NULLABLE memory);
} segue_plugin_activities;

/** The application as one object of a plugin sees it. */
struct segue_plugin_host {
  uint32_t struct_size; /**< sizeof(segue_plugin_host), the host's */
  uint32_t abi;         /**< the host's SEGUE_PLUGIN_ABI */
  void *SEGUE_NULLABLE host_data;
  const char *app_id; /**< of the application */
  const segue_plugin_values *values;
  const segue_plugin_activities *activities;
  /** The object's content has changed by itself: its activity needs saving. [application-thread] */
  int (*needs_save)(const segue_plugin_host *host);
  /** A line for the developer, with the plugin's and the object's names before it; UTF-8. [any-thread] */
  int (*log)(const segue_plugin_host *host, const char *line);
  /**
   * Calls a function on the application's thread, when that next dispatches, unless the object is destroyed before. On
   * every path destroy, which may be NULL, frees the userdata. -ESHUTDOWN once the application is gone.
   * [any-thread]
   */
  int (*defer)(
      const segue_plugin_host *host, void (*function)(void *SEGUE_NULLABLE userdata), void *SEGUE_NULLABLE userdata,
      segue_destroy_function SEGUE_NULLABLE destroy);
  /** An extension of the host by its id: a static struct; NULL for an unknown one. [any-thread] */
  const void *SEGUE_NULLABLE (*SEGUE_NONNULL get_extension)(const segue_plugin_host *host, const char *id);
};

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
