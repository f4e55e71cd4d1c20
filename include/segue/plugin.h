/**
 * @file segue/plugin.h
 * For authors of plugins: restorable objects in a shared library of their own. An application that hosts the plugin
 * (segue/hosting.h) attaches its objects to activities, and they save and restore as the application's own responders
 * do. A plugin links nothing of Segue: what it calls is handed to it in tables.
 *
 *     static uint32_t get_line(const struct place *place) { return place->line; }
 *     static int set_line(struct place *place, uint32_t line) { place->line = line; return 0; }
 *
 *     static const segue_plugin_property properties[] = {
 *         {"line", "u", SEGUE_PROPERTY_PORTABLE, "1",
 *          (segue_plugin_function)get_line, (segue_plugin_function)set_line, NULL}};
 *
 * Declaration. Each property of an object is an entry of an activity's userInfo, with a type and plain C functions that
 * get and set it. The types are checked once, when the plugin is loaded; then the library calls the functions by them
 * (libffi). Saving calls the getters. Restoring checks presence, type and range of everything first, and calls the
 * setters only if all of it is right: a bad payload changes nothing.
 *
 * Types. A signature is made of letters: small ones as in D-Bus and GVariant, capital ones Segue's own.
 *
 *     letter  in C              in userInfo              letter  in C              in userInfo
 *     b       bool (1 byte)     bool                     F       float             double, or integer that is exact
 *     C  y    int8_t  uint8_t   integer, in range        d       double            the same
 *     n  q    int16_t uint16_t  integer, in range        s       const char *      string without NUL
 *     i  u    int32_t uint32_t  integer, in range        U       const char *      URL
 *     x  t    int64_t uint64_t  integer, in range        D       double            date: seconds since 1970 UTC
 *     v       segue_value *     anything; from a getter NULL: the entry is absent
 *
 *     aT      const T *, size_t count     ay is data, any other an array. T: C y n q i u x t F d s
 *     mT      const T *, NULL for none    the entry is absent. T: any letter but v, or aT. For s, U and aT the pointer
 *                                         itself is NULL: ms is const char *, may (const uint8_t *, size_t)
 *
 * In a call. A setter is `int set(void *object, T value)`, or `int set(void *object, const T *values, size_t count)`
 * for arrays: 0, or a negative errno. A getter is `T get(void *object)`, for arrays `const T *get(void *object, size_t
 * *out_count)`. A setter borrows its argument for the call. Memory that a getter returns stays the plugin's, and the
 * host reads it before it calls the plugin again; or the plugin gives it away, and the host calls the property's
 * free_result with it. The host cannot check a signature: one that does not fit its function is undefined behaviour, as
 * any wrong prototype is.
 *
 * Metadata. Beside <id>.so lies <id>.plugin, a key-file that says the same without running code
 * (docs/plugin-metadata.md). `segue plugin check FILE` compares the two; a plugin that differs is not loaded.
 *
 * Threads. The plugin is called on the application's thread. Functions of the host carry a tag: [application-thread],
 * where another one gets -EPERM, or [any-thread]. Never block, never exit, never let an exception pass.
 *
 * Versions. The structs begin with struct_size and grow at their end; a plugin sets each to its own sizeof. Extensions
 * go beyond this header and are found by id, "<reversed domain>.<name>/<revision>". Drafts of extensions are in
 * segue/draft/; they keep their id when they leave it.
 */
#ifndef SEGUE_PLUGIN_H
#define SEGUE_PLUGIN_H

#include "host.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

/* A property's flags. Exactly one of the first two is set. */
#define SEGUE_PROPERTY_PORTABLE ((uint64_t)1)    /**< means the same on every device */
#define SEGUE_PROPERTY_THIS_DEVICE ((uint64_t)2) /**< never leaves this device: a window's place, a local path */
/** Without it nothing of the object is restored, nor saved. A getter of mT or v returns NULL if there is nothing to
 * save now. */
#define SEGUE_PROPERTY_REQUIRED ((uint64_t)4)

/** A property: an entry of userInfo, and how to get and set it. */
typedef struct segue_plugin_property {
  const char *key;       /**< in userInfo, where the application may put a prefix before it; 1 to 128 printable ASCII
                              characters without brackets */
  const char *signature; /**< one type */
  uint64_t flags;        /**< SEGUE_PROPERTY_… flags; unknown ones are refused */
  /** The value to set where the entry is missing: "true", "-7", "2.5", or a string's text; for b, s, U and numbers
   * only. NULL: nothing is set then; for mT the setter gets NULL. Not with REQUIRED. */
  const char *SEGUE_NULLABLE default_value;
  segue_plugin_function SEGUE_NULLABLE getter; /**< NULL: is not saved */
  /** NULL: is not restored, or by the object's restore function, which sets it for the application too. A property that
   * is required has one or the other. */
  segue_plugin_function SEGUE_NULLABLE setter;
  /** Called with each pointer other than NULL that the getter returned, once it was read. NULL: it stays the plugin's.
   * For v too, whose reference is then the host's until this call. */
  void (*SEGUE_NULLABLE free_result)(void *result);
} segue_plugin_property;

/** A kind of restorable object. */
typedef struct segue_plugin_object_descriptor {
  uint32_t struct_size;   /**< sizeof(segue_plugin_object_descriptor) */
  uint32_t property_size; /**< sizeof(segue_plugin_property) */
  const char *id;         /**< within the plugin: letters, digits, - and _, at most 64 */
  const char *name;       /**< for a person */
  /**
   * Makes an object. @param host valid until destroy has returned. @return 0, or a negative errno: then there is none.
   */
  int (*create)(const segue_plugin_host *host, SEGUE_OUT(void *) out_object);
  /** Ends it. Threads of it that call the host have ended when this returns. */
  void (*destroy)(void *object);
  const segue_plugin_property *SEGUE_NULLABLE properties;
  uint32_t property_count;
  /** How many keys the restore function takes. */
  uint32_t restore_key_count;
  /**
   * One function for values that belong together: `int restore(void *object, …)`, called with the values of several
   * properties, in the order of restore_keys, after the setters. NULL: none.
   */
  segue_plugin_function SEGUE_NULLABLE restore;
  /** Its parameters after the object: the types of those properties one after the other. */
  const char *SEGUE_NULLABLE restore_signature;
  /** Properties without a setter of their own. Each is required, has a default, or is optional (mT). */
  const char *SEGUE_NONNULL const *SEGUE_NULLABLE restore_keys;
  /** Adds to userInfo what no property can say, after the getters. 0, or a negative errno. May be NULL. */
  int (*SEGUE_NULLABLE update_user_activity_state)(void *object, segue_activity *activity);
  /** The same for restoring, after the setters and the restore function. May be NULL. */
  int (*SEGUE_NULLABLE restore_user_activity_state)(void *object, segue_activity *activity);
  /** A struct of functions that plugin and application have agreed on by its id. Lives as long as the object; NULL for
   * an unknown id. May be NULL. */
  const void *SEGUE_NULLABLE (*SEGUE_NULLABLE get_extension)(void *object, const char *id);
} segue_plugin_object_descriptor;

/** The id of the factory that segue_plugin_entry's get_factory gives for restorable objects. */
#define SEGUE_PLUGIN_OBJECT_FACTORY "org.segue.object-factory/1"

/** The restorable objects of a plugin. Static, like everything that it points to. */
typedef struct segue_plugin_object_factory {
  uint32_t struct_size; /**< sizeof(segue_plugin_object_factory) */
  uint32_t count;
  const segue_plugin_object_descriptor *SEGUE_NONNULL const *SEGUE_NONNULL descriptors;
} segue_plugin_object_factory;

/** The entry that the host looks up in the shared library: one exported object of this type, by the name segue_entry.
 * Its first two members stay where they are for ever. */
typedef struct segue_plugin_entry {
  uint32_t struct_size; /**< sizeof(segue_plugin_entry) */
  uint32_t abi;         /**< SEGUE_PLUGIN_ABI */
  const char *id;       /**< reversed domain name, as in the metadata and in the file's name */
  /** Called before anything else, once for each application of the process that loads the plugin: count. 0, or a
   * negative errno: the plugin is not loaded, and deinit is not called. May be NULL. */
  int (*SEGUE_NULLABLE init)(void);
  /** Called when such an application ends and all its objects are destroyed. The library stays loaded. May be NULL. */
  void (*SEGUE_NULLABLE deinit)(void);
  /** A factory by its id; NULL for an unknown one. */
  const void *SEGUE_NULLABLE (*SEGUE_NONNULL get_factory)(const char *id);
} segue_plugin_entry;

/** Written before the definition: SEGUE_PLUGIN_EXPORT const segue_plugin_entry segue_entry = {…}; */
#if defined(__cplusplus)
#define SEGUE_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define SEGUE_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
