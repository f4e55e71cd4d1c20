#include <ffi.h>

// libffi's types are global variables, which Swift takes for unsafe to read; here they are values.
static inline ffi_type *_Nonnull segue_ffi_void(void) {
  return &ffi_type_void;
}
static inline ffi_type *_Nonnull segue_ffi_int8(void) {
  return &ffi_type_sint8;
}
static inline ffi_type *_Nonnull segue_ffi_uint8(void) {
  return &ffi_type_uint8;
}
static inline ffi_type *_Nonnull segue_ffi_int16(void) {
  return &ffi_type_sint16;
}
static inline ffi_type *_Nonnull segue_ffi_uint16(void) {
  return &ffi_type_uint16;
}
static inline ffi_type *_Nonnull segue_ffi_int32(void) {
  return &ffi_type_sint32;
}
static inline ffi_type *_Nonnull segue_ffi_uint32(void) {
  return &ffi_type_uint32;
}
static inline ffi_type *_Nonnull segue_ffi_int64(void) {
  return &ffi_type_sint64;
}
static inline ffi_type *_Nonnull segue_ffi_uint64(void) {
  return &ffi_type_uint64;
}
static inline ffi_type *_Nonnull segue_ffi_float(void) {
  return &ffi_type_float;
}
static inline ffi_type *_Nonnull segue_ffi_double(void) {
  return &ffi_type_double;
}
static inline ffi_type *_Nonnull segue_ffi_pointer(void) {
  return &ffi_type_pointer;
}

// A call of a function that takes an object and one value of a register's width, and returns an int.
__attribute__((always_inline)) static inline int segue_ffi_call_scalar(
    ffi_cif *_Nonnull interface, void (*_Nonnull code)(void), void *_Nullable object, void *_Nonnull value) {
  void *arguments[] = {&object, value};
  ffi_arg result = 0;
  ffi_call(interface, code, &result, arguments);
  return (int)result;
}
