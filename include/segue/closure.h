/**
 * @file segue/closure.h
 * For authors of plugins: an extension of the host that makes ordinary C functions at run time. Each is bound to data,
 * for callbacks of libraries and languages that pass none.
 *
 *     const segue_plugin_closures *closures = host->get_extension(host, SEGUE_PLUGIN_CLOSURES);
 *     segue_plugin_function compare;
 *     void *closure;
 *     if (closures && closures->make(host, "i(xx)", call, order, NULL, &compare, &closure) == 0) …
 */
#ifndef SEGUE_CLOSURE_H
#define SEGUE_CLOSURE_H

#include "host.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

#define SEGUE_PLUGIN_CLOSURES "org.segue.closures/1"

/**
 * The handler that a closure calls when it is called itself, on whatever thread that is.
 * @param result where the result goes, as its C type; NULL if there is none. It is zero before.
 * @param arguments one pointer for each parameter, to a value of its C type.
 */
typedef void (*segue_plugin_closure_function)(
    void *SEGUE_NULLABLE userdata, void *SEGUE_NULLABLE result,
    const void *SEGUE_NONNULL const *SEGUE_NULLABLE arguments);

/** The extension. */
typedef struct segue_plugin_closures {
  uint32_t struct_size; /**< sizeof(segue_plugin_closures), the host's */
  uint32_t reserved;    /**< 0 */
  /**
   * Makes a function. [application-thread]
   * @param signature the result's letter, or nothing, and the parameters' in parentheses: "i(xs)", "(d)", "b()". Scalar
   * letters of segue/plugin.h and p, a pointer; at most 16 parameters. The argument for s, U and v is the pointer.
   * @param userdata handed to the handler; freed by destroy when the closure is released, or at once if this fails.
   * @param out_function to be cast to the signature's type; valid until the closure is released.
   * @return -EINVAL malformed signature; -ENOTSUP the system does not allow functions to be made at run time (memory
   * that is writable and executable, or mapped twice, is forbidden): the host's log says which.
   */
  int (*make)(
      const segue_plugin_host *host, const char *signature, segue_plugin_closure_function handler,
      void *SEGUE_NULLABLE userdata, segue_destroy_function SEGUE_NULLABLE destroy,
      SEGUE_OUT(segue_plugin_function) out_function, SEGUE_OUT(void *) out_closure);
  /** Releases a closure. Its function must not be called any more, nor be running. After an object's destroy the host
   * releases the closures that the object has not released. NULL is fine. [application-thread] */
  int (*release)(const segue_plugin_host *host, void *SEGUE_NULLABLE closure);
} segue_plugin_closures;

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
