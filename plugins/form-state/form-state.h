/**
 * @file segue/plugins/form-state.h
 * What the object "form" of org.segue.form-state can do besides its property, for segue_plugin_object_get_extension.
 */
#ifndef SEGUE_PLUGINS_FORM_STATE_H
#define SEGUE_PLUGINS_FORM_STATE_H

#include <segue/base.h>

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

#define SEGUE_FORM_STATE "org.segue.form-state/1"

/** The extension. A function that changes a field marks the activity as in need of saving. [application-thread] */
typedef struct segue_form_state {
  uint32_t struct_size; /**< sizeof(segue_form_state), the plugin's */
  uint32_t reserved;    /**< 0 */
  /**
   * Sets a field.
   * @param value of any kind, copied; NULL removes the field. @return -E2BIG past 256 fields, or 128 bytes in a name.
   */
  int (*set)(void *object, const char *name, const segue_value *SEGUE_NULLABLE value);
  /** A field. @param out_value borrowed until a field is changed or restored. @return -ENOENT there is none. */
  int (*get)(void *object, const char *name, SEGUE_OUT(segue_value *) out_value);
  /** Sets a field to a string. @return also -EINVAL, it is not UTF-8. */
  int (*set_text)(void *object, const char *name, const char *text);
  /** A field that is a string. @param out_text borrowed likewise. @return also -ENXIO, it is of another kind. */
  int (*get_text)(void *object, const char *name, SEGUE_OUT(const char *) out_text);
  /** Removes all fields. */
  int (*clear)(void *object);
} segue_form_state;

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
