/* Functions that the library makes from signatures, and that libffi calls as the signatures say. */
#include <errno.h>
#include <ffi.h>
#include <string.h>

#include "marshaller.h"
#include "plugin/guest.h"

#define PARAMETERS 16

/* The types and values that one call hands over. */
typedef struct call {
  ffi_type *result_type;
  ffi_type *types[PARAMETERS];
  unsigned count;
  uint64_t result;
  uint64_t arguments[PARAMETERS];
  int calls;
  int destroyed;
} call;

static ffi_type *letter(char letter) {
  switch (letter) {
    case 'b':
    case 'y': return &ffi_type_uint8;
    case 'C': return &ffi_type_sint8;
    case 'n': return &ffi_type_sint16;
    case 'q': return &ffi_type_uint16;
    case 'i': return &ffi_type_sint32;
    case 'u': return &ffi_type_uint32;
    case 'x': return &ffi_type_sint64;
    case 't': return &ffi_type_uint64;
    case 'F': return &ffi_type_float;
    case 'd':
    case 'D': return &ffi_type_double;
    case 's':
    case 'U':
    case 'v':
    case 'p': return &ffi_type_pointer;
    default: return NULL;
  }
}

/* Whether segue/closure.h allows the signature; its types go to `made`. */
static int parse(const char *text, call *made) {
  if (*text != '(') {
    made->result_type = letter(*text);
    if (made->result_type == NULL) return 0;
    text++;
  }
  if (*text++ != '(') return 0;
  for (; *text != ')'; text++) {
    ffi_type *type = letter(*text);
    if (type == NULL || made->count == PARAMETERS) return 0;
    made->types[made->count++] = type;
  }
  return text[1] == '\0';
}

/* The handler: it gets the arguments that the caller has given, each in the width of its type. */
static void called(void *userdata, void *result, const void *const *arguments) {
  call *made = userdata;
  made->calls++;
  for (unsigned i = 0; i < made->count; i++) {
    CHECK(memcmp(arguments[i], &made->arguments[i], made->types[i]->size) == 0);
  }
  CHECK((result == NULL) == (made->result_type == NULL));
  if (result == NULL) return;
  uint64_t zero = 0;
  CHECK(memcmp(result, &zero, made->result_type->size) == 0);
  memcpy(result, &made->result, made->result_type->size);
}

static void destroyed(void *userdata) {
  ((call *)userdata)->destroyed++;
}

static void check_call(segue_plugin_function function, call *made) {
  ffi_cif interface;
  void *pointers[PARAMETERS];
  uint64_t result[2] = {0, 0};
  ffi_type *result_type = made->result_type == NULL ? &ffi_type_void : made->result_type;
  for (unsigned i = 0; i < made->count; i++) pointers[i] = &made->arguments[i];
  CHECK(ffi_prep_cif(&interface, FFI_DEFAULT_ABI, made->count, result_type, made->types) == FFI_OK);
  ffi_call(&interface, function, result, pointers);
  CHECK(made->calls == 1);
  if (made->result_type != NULL) CHECK(memcmp(result, &made->result, made->result_type->size) == 0);
}

void fuzz_closure(const uint8_t *data, size_t size) {
  char text[64] = "";
  call made = {0};
  segue_plugin_object *object = NULL;
  const void *extension = NULL;
  void *guest = NULL;
  segue_plugin_function functions[2] = {NULL, NULL};
  void *closures[2] = {NULL, NULL};
  const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
  size_t length = end == NULL ? size : (size_t)(end - data);
  if (length >= sizeof text || size == 0) return;
  memcpy(text, data, length);
  if (end != NULL) {
    size_t rest = size - length - 1;
    memcpy(&made.result, end + 1, rest < sizeof made.result ? rest : sizeof made.result);
    rest -= rest < sizeof made.result ? rest : sizeof made.result;
    memcpy(made.arguments, end + 1 + sizeof made.result, rest < sizeof made.arguments ? rest : sizeof made.arguments);
  }
  int expected = parse(text, &made) ? 0 : -EINVAL;
  CHECK(segue_plugin_object_new(fuzz.plugin, "guest", NULL, NULL, NULL, NULL, &object, NULL) == 0);
  CHECK(segue_plugin_object_get_extension(object, GUEST_EXTENSION, &extension, &guest) == 0);
  const guest_functions *functions_of_guest = extension;
  for (int i = 0; i < 2; i++) {
    CHECK(functions_of_guest->make(guest, text, called, &made, destroyed, &functions[i], &closures[i]) == expected);
  }
  if (expected == 0) {
    check_call(functions[0], &made);
    CHECK(made.destroyed == 0);
    CHECK(functions_of_guest->release(guest, closures[0]) == 0);
    CHECK(functions_of_guest->release(guest, closures[0]) == -EINVAL);
    CHECK(made.destroyed == 1);
    made.calls = 0;
    check_call(functions[1], &made);
  }
  /* The closure that is left is destroyed after its object, when the application next dispatches. */
  segue_plugin_object_unref(object);
  CHECK(segue_application_dispatch(fuzz.application) >= 0);
  CHECK(made.destroyed == 2);
}
