/** The extension by which the tests use the object "guest". */
#ifndef ABI_GUEST_H
#define ABI_GUEST_H

#include <segue/closure.h>

#define GUEST_EXTENSION "org.segue.abitest.guest/1"

typedef struct guest_functions {
  /** The host of the object. */
  const segue_plugin_host *(*get_host)(void *object);
  /** A closure of this signature that calls handler with userdata. */
  int (*make)(
      void *object, const char *signature, segue_plugin_closure_function handler, void *userdata,
      segue_destroy_function destroy, segue_plugin_function *out_function, void **out_closure);
  int (*release)(void *object, void *closure);
  /** Sets the function that init, create and the setter of "number" call and return the result of; NULL for none. */
  void (*on_call)(int (*called)(void *userdata), void *userdata);
} guest_functions;

#endif
