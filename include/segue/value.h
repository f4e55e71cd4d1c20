/**
 * @file segue/value.h
 * The plain values that userInfo is made of: null, bool, integer, double, string, data, date, URL, UUID, and arrays,
 * sets and dictionaries of them. Values are plain objects: one thread at a time may use each, no application is needed.
 *
 * Limits (SEGUE_ERROR_LIMIT_EXCEEDED, -E2BIG): 16 levels, 4,096 values, 256 entries in a dictionary, 128 bytes in a
 * string that is a key, 64 KiB in a string or data. They are checked when a value is encoded or becomes an activity's
 * userInfo; the levels and the length of text and data already when it is made.
 *
 * Adding to a container copies: later changes to what was added do not show in it. Getting from a container gives a
 * borrowed handle, valid until the container is changed or freed; it cannot be changed itself (-EROFS).
 *
 * Errors of the getters: -ENXIO the value is of another kind, -ENOENT no such entry.
 */
#ifndef SEGUE_VALUE_H
#define SEGUE_VALUE_H

#include "base.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

/** The kind of a value. Open: tolerate kinds that you do not know. */
typedef int32_t segue_value_kind;
enum {
  SEGUE_VALUE_NULL = 0,
  SEGUE_VALUE_BOOL = 1,
  SEGUE_VALUE_INTEGER = 2,
  SEGUE_VALUE_DOUBLE = 3,
  SEGUE_VALUE_STRING = 4,
  SEGUE_VALUE_DATA = 5,
  SEGUE_VALUE_DATE = 6,
  SEGUE_VALUE_URL = 7,
  SEGUE_VALUE_UUID = 8,
  SEGUE_VALUE_ARRAY = 9,
  SEGUE_VALUE_SET = 10,
  SEGUE_VALUE_DICTIONARY = 11
};

/* Making values. Each sets *out_value to a value that the caller owns. -EINVAL for malformed text. [any-thread] */

int segue_value_new_null(SEGUE_OUT(segue_value *) out_value);
int segue_value_new_bool(bool boolean, SEGUE_OUT(segue_value *) out_value);
int segue_value_new_integer(int64_t integer, SEGUE_OUT(segue_value *) out_value);
int segue_value_new_double(double number, SEGUE_OUT(segue_value *) out_value);
/** @param string UTF-8; copied. -EINVAL if it is not, -E2BIG past 64 KiB. */
int segue_value_new_string(const char *string, SEGUE_OUT(segue_value *) out_value);
/** @param bytes copied; may be NULL if length is 0. */
int segue_value_new_data(const void *SEGUE_NULLABLE bytes, size_t length, SEGUE_OUT(segue_value *) out_value);
/** @param seconds since 1970-01-01T00:00:00Z, fractions allowed. -EINVAL unless finite. */
int segue_value_new_date(double seconds, SEGUE_OUT(segue_value *) out_value);
/** @param url an absolute URL of any scheme. -EINVAL if it has no scheme or holds a control character or a space. */
int segue_value_new_url(const char *url, SEGUE_OUT(segue_value *) out_value);
/** @param bytes the UUID's 16 bytes in network order. */
int segue_value_new_uuid(const uint8_t *bytes, SEGUE_OUT(segue_value *) out_value);
int segue_value_new_array(SEGUE_OUT(segue_value *) out_value);
int segue_value_new_set(SEGUE_OUT(segue_value *) out_value);
int segue_value_new_dictionary(SEGUE_OUT(segue_value *) out_value);

/** Adds a reference. [any-thread] */
segue_value *segue_value_ref(segue_value *value);
/** Drops a reference; returns NULL. [any-thread] */
segue_value *SEGUE_NULLABLE segue_value_unref(segue_value *SEGUE_NULLABLE value);

/** The value's kind. [any-thread] */
segue_value_kind segue_value_get_kind(const segue_value *value);

/** Whether both are equal: same kind, same content; sets and dictionaries in any order. False for a bad handle.
 * [any-thread] */
bool segue_value_is_equal(const segue_value *value, const segue_value *other);

/* Reading scalars. Text and bytes are borrowed until the value is freed. [any-thread] */

int segue_value_get_bool(const segue_value *value, bool *out_boolean);
int segue_value_get_integer(const segue_value *value, int64_t *out_integer);
/** Reads a double, or an integer that a double holds exactly. */
int segue_value_get_double(const segue_value *value, double *out_number);
/** Reads a string or a URL. */
int segue_value_get_string(const segue_value *value, SEGUE_OUT(const char *) out_string);
int segue_value_get_data(const segue_value *value, SEGUE_OUT(const void *) out_bytes, size_t *out_length);
/** Seconds since 1970-01-01T00:00:00Z. */
int segue_value_get_date(const segue_value *value, double *out_seconds);
/** @param out_bytes room for 16 bytes. */
int segue_value_get_uuid(const segue_value *value, uint8_t *out_bytes);

/* Containers. [any-thread] */

/** How many elements or entries; -ENXIO for a scalar. */
int segue_value_get_count(const segue_value *container, size_t *out_count);
/** Adds to the end of an array, or to a set, which keeps one of equals. */
int segue_value_append(segue_value *container, const segue_value *element);
/** The element of an array, or of a set in its encoding's order. -ENOENT past the end. */
int segue_value_get_at(const segue_value *container, size_t index, SEGUE_OUT(segue_value *) out_element);

/** Sets an entry. @param key any kind but array, set and dictionary, else -EINVAL. @param element NULL removes it. */
int segue_value_set(segue_value *dictionary, const segue_value *key, const segue_value *SEGUE_NULLABLE element);
/** The entry for a key. -ENOENT if there is none. */
int segue_value_get(const segue_value *dictionary, const segue_value *key, SEGUE_OUT(segue_value *) out_element);
/** The entry at an index in the order of the encoded keys, for walking through. -ENOENT past the end. */
int segue_value_get_entry(
    const segue_value *dictionary, size_t index, SEGUE_OUT(segue_value *) out_key,
    SEGUE_OUT(segue_value *) out_element);
/** segue_value_set with a string as key. */
int segue_value_set_for_name(segue_value *dictionary, const char *name, const segue_value *SEGUE_NULLABLE element);
/** segue_value_get with a string as key. */
int segue_value_get_for_name(const segue_value *dictionary, const char *name, SEGUE_OUT(segue_value *) out_element);

/* The encoding: CBOR (RFC 8949), deterministic; docs/encoding.md has the tags. [any-thread] */

/** Encodes. @param out_bytes the caller's, given back with segue_free. -E2BIG past a limit. */
int segue_value_encode(
    const segue_value *value, SEGUE_OUT(void *) out_bytes, size_t *out_length,
    SEGUE_OUT_NULLABLE(segue_error *) out_error);
/** Decodes. -EBADMSG for anything but the deterministic encoding of one value within the limits. */
int segue_value_decode(
    const void *bytes, size_t length, SEGUE_OUT(segue_value *) out_value, SEGUE_OUT_NULLABLE(segue_error *) out_error);

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
