/**
 * @file segue/hosting.h
 * For applications: hosting plugins (segue/plugin.h) and their restorable objects.
 *
 *     segue_plugin_load(app, "/usr/lib/segue/plugins/org.segue.text-position.so", NULL, &plugin, &error);
 *     segue_plugin_object_new(plugin, "position", NULL, &methods, view, NULL, &place, &error);
 *     segue_responder_set_user_activity(segue_plugin_object_get_responder(place), activity);
 *     segue_plugin_object_set_integer(place, "text.line", 42, NULL);        when the cursor moves
 *
 * A plugin's object is a responder: it has a part in an activity, stands in a window's chain, goes with a document
 * (segue_document_add_responder), and is handed to the restoration handler beside the application's own. The
 * application reads and sets its content by the properties' keys, or by an extension that both know.
 *
 * A plugin has all rights of the process, and can break all of it. So the library loads only a file that nobody but the
 * system's administrator, or the owner of the application's own prefix, can have put there; no environment variable and
 * no name from elsewhere has a say in it. A plugin stays loaded.
 *
 * A failure in a plugin is an error of that object only: the error names plugin, object and key, and goes to did_fail
 * and to the log.
 */
#ifndef SEGUE_HOSTING_H
#define SEGUE_HOSTING_H

#include "base.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

/**
 * Loads a plugin, or gives the one that was loaded from this file before. [application-thread]
 * @param path absolute, without symbolic links below the plugin folder. The folder is segue/plugins beside libsegue.so,
 * or <prefix>/lib/segue/plugins.
 * @param prefix where the application itself is installed, absolute, from its build: not from the user, a file or the
 * environment. NULL: only the system's plugin folder. Ignored, as if NULL, in a set-id process.
 * @return -EACCES the file or a folder above it could have been changed by others, or lies elsewhere; -ENOENT no such
 * file, or no metadata beside it; -EINVAL malformed path or metadata, or another file with this id is loaded; -EBADMSG
 * it is no plugin, or differs from its metadata; -EIO it is of another ABI, its init has failed, or the loader refuses
 * it.
 */
int segue_plugin_load(
    segue_application *application, const char *path, const char *SEGUE_NULLABLE prefix,
    SEGUE_OUT(segue_plugin *) out_plugin, SEGUE_OUT_NULLABLE(segue_error *) out_error);

/**
 * Where a plugin is, by its id, if it is installed: for segue_plugin_load. [any-thread]
 * @param prefix looked in first; NULL: only the system's plugin folder.
 * @param out_path the caller's, segue_free.
 * @return -ENOENT in neither; -EINVAL malformed id or prefix.
 */
int segue_plugin_copy_path(const char *id, const char *SEGUE_NULLABLE prefix, SEGUE_OUT(char *) out_path);

/** Adds a reference. [any-thread] */
segue_plugin *segue_plugin_ref(segue_plugin *plugin);
/** Drops a reference; returns NULL. The plugin stays loaded, and its objects live on. [any-thread] */
segue_plugin *SEGUE_NULLABLE segue_plugin_unref(segue_plugin *SEGUE_NULLABLE plugin);

/* From the metadata. Borrowed from the plugin; "" for a bad handle. [any-thread] */

const char *segue_plugin_get_id(const segue_plugin *plugin);
const char *segue_plugin_get_name(const segue_plugin *plugin);
const char *segue_plugin_get_version(const segue_plugin *plugin);

/** The callbacks to the application about an object. Every member may be NULL. */
typedef struct segue_plugin_object_methods {
  uint32_t struct_size; /**< sizeof(segue_plugin_object_methods) */
  uint32_t reserved;    /**< 0 */
  /** The object has restored from the activity: show what it holds now. Setting its properties in here marks nothing as
   * in need of saving, since what is shown is what came. */
  void (*SEGUE_NULLABLE did_restore)(
      segue_plugin_object *object, segue_activity *activity, void *SEGUE_NULLABLE userdata);
  /** The object could not restore, or not save all: the error says what. A failed restore has changed nothing, unless
   * the error is of a setter, which may have come after others. */
  void (*SEGUE_NULLABLE did_fail)(
      segue_plugin_object *object, segue_activity *activity, const segue_error *error, void *SEGUE_NULLABLE userdata);
} segue_plugin_object_methods;
#ifdef __cplusplus
#define SEGUE_PLUGIN_OBJECT_METHODS_INIT \
  { sizeof(segue_plugin_object_methods), 0, 0, 0 }
#else
#define SEGUE_PLUGIN_OBJECT_METHODS_INIT \
  { .struct_size = sizeof(segue_plugin_object_methods) }
#endif
/** Empties the methods and sets struct_size. [any-thread] */
void segue_plugin_object_methods_init(segue_plugin_object_methods *methods, uint32_t struct_size);

/**
 * Makes an object of a plugin. [application-thread]
 * @param id which of the plugin's objects.
 * @param key_prefix put before each key in userInfo, so that two objects of a kind can share an activity: "left."; NULL
 * for none.
 * @param methods copied; NULL for none.
 * @param userdata handed to the methods.
 * @param destroy frees userdata when the object is gone, or at once if this call fails.
 * @return -ENOENT the plugin has no such object; -EINVAL malformed prefix; -E2BIG too many objects; -EIO the plugin
 * made none.
 */
int segue_plugin_object_new(
    segue_plugin *plugin, const char *id, const char *SEGUE_NULLABLE key_prefix,
    const segue_plugin_object_methods *SEGUE_NULLABLE methods, void *SEGUE_NULLABLE userdata,
    segue_destroy_function SEGUE_NULLABLE destroy, SEGUE_OUT(segue_plugin_object *) out_object,
    SEGUE_OUT_NULLABLE(segue_error *) out_error);

/** Adds a reference. [any-thread] */
segue_plugin_object *segue_plugin_object_ref(segue_plugin_object *object);
/** Drops a reference; returns NULL. With the last one it leaves its activity and the plugin destroys it. [any-thread]
 */
segue_plugin_object *SEGUE_NULLABLE segue_plugin_object_unref(segue_plugin_object *SEGUE_NULLABLE object);

/** The object as a responder: the same object, for whatever takes a responder. Borrowed; NULL for a bad handle.
 * [any-thread] */
segue_responder *SEGUE_NULLABLE segue_plugin_object_get_responder(segue_plugin_object *object);

/** The plugin object's own functions for an extension's id (segue/plugin.h), to be called with out_object, on the
 * application's thread. @return -ENOENT it has none. [application-thread] */
int segue_plugin_object_get_extension(
    segue_plugin_object *object, const char *id, SEGUE_OUT(const void *) out_extension, SEGUE_OUT(void *) out_object);

/* Properties, by the key that the plugin gives them, without prefix. Setting one that is saved marks the activity as in
 * need of saving. A property that only the plugin's restore function takes is set by a call of that function, which
 * takes the others from their getters. -ENOENT no such property; -EINVAL the value is not of its type, or beyond its
 * range; -EACCES nothing sets it, or it has no getter; -EIO the plugin failed. [application-thread] */

/** Sets a property from a value. */
int segue_plugin_object_set_property(
    segue_plugin_object *object, const char *key, const segue_value *value,
    SEGUE_OUT_NULLABLE(segue_error *) out_error);
/**
 * Sets several properties together, as restoring does: all are checked first; then their setters are called, in the
 * order of the plugin's table; then the restore function, where it takes one of them. It takes the others from
 * their getters. This is for values that mean something only together: a URL, and the time within it. -EINVAL too where
 * a required property would be missing; then nothing has changed. After another error some may be set.
 * @param dictionary with the keys as strings. Borrowed for the call.
 */
int segue_plugin_object_set_properties(
    segue_plugin_object *object, const segue_value *dictionary, SEGUE_OUT_NULLABLE(segue_error *) out_error);
/** Gets a property. @param out_value the caller's; the null value for one of type mT that is absent. */
int segue_plugin_object_copy_property(
    const segue_plugin_object *object, const char *key, SEGUE_OUT(segue_value *) out_value,
    SEGUE_OUT_NULLABLE(segue_error *) out_error);
/** Sets a property of an integer type. */
int segue_plugin_object_set_integer(
    segue_plugin_object *object, const char *key, int64_t integer, SEGUE_OUT_NULLABLE(segue_error *) out_error);
int segue_plugin_object_get_integer(
    const segue_plugin_object *object, const char *key, int64_t *out_integer,
    SEGUE_OUT_NULLABLE(segue_error *) out_error);
/** Sets a property of a floating-point type. */
int segue_plugin_object_set_double(
    segue_plugin_object *object, const char *key, double number, SEGUE_OUT_NULLABLE(segue_error *) out_error);
int segue_plugin_object_get_double(
    const segue_plugin_object *object, const char *key, double *out_number,
    SEGUE_OUT_NULLABLE(segue_error *) out_error);
/** Sets a property that is a string or a URL. */
int segue_plugin_object_set_string(
    segue_plugin_object *object, const char *key, const char *string, SEGUE_OUT_NULLABLE(segue_error *) out_error);
/** @param out_string the caller's, segue_free; NULL for one of type mT that is absent. */
int segue_plugin_object_copy_string(
    const segue_plugin_object *object, const char *key, SEGUE_OUT(char *) out_string,
    SEGUE_OUT_NULLABLE(segue_error *) out_error);

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
