/** Declarations that the parts of the target "marshaller" share. */
#ifndef FUZZ_MARSHALLER_H
#define FUZZ_MARSHALLER_H

#include <segue/segue.h>
#include <stdint.h>
#include <stdio.h>

/** The application that hosts the plugin. */
struct fuzz_host {
  segue_application *application;
  segue_plugin *plugin;
};
extern struct fuzz_host fuzz;

/** Ends the process where something does not hold; libFuzzer then keeps the input. */
#define CHECK(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))
void fuzz_fail(const char *what, const char *file, int line);
/** A text that is shown has no control characters. */
void fuzz_check_shown(const char *text);

/** A property of "types", whose key is its type. */
typedef struct fuzz_key {
  const char *key;
  /** The encoding of the value that it gets if the entry is missing; NULL if it keeps its value. */
  const char *missing;
  size_t missing_size;
} fuzz_key;

#define FUZZ_TYPES 29
extern const fuzz_key fuzz_types[FUZZ_TYPES];

/** The value that a getter returns after a setter of this type got `value`; NULL if `value` does not fit the type. */
segue_value *fuzz_returned(const char *type, const segue_value *value);

/** The value that the bytes encode; NULL if they encode none. */
segue_value *fuzz_decode(const void *data, size_t size);
/** The value that a property holds. */
segue_value *fuzz_get(const segue_plugin_object *object, const char *key);

/* The parts: each takes the rest of an input, after the first byte. */

/** A byte for the property of "types", and a value that it is set to. */
void fuzz_property(const uint8_t *data, size_t size);
/** userInfo, which an object restores from. */
void fuzz_restoring_types(const uint8_t *data, size_t size);
void fuzz_restoring_together(const uint8_t *data, size_t size);
/** A closure's signature, a newline, and the bytes of its result and arguments. */
void fuzz_closure(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
