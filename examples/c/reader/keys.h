/** Keys, as a terminal sends them. */
#ifndef READER_KEYS_H
#define READER_KEYS_H

#include <stddef.h>

/** A key: its byte, or one of these. */
enum {
  KEY_NONE = 0, /**< a sequence that means nothing to the reader */
  KEY_INTERRUPT = 3,
  KEY_ENTER = 13,
  KEY_ESCAPE = 27,
  KEY_BACKSPACE = 127,
  KEY_UP = 256,
  KEY_DOWN,
  KEY_PAGE_UP,
  KEY_PAGE_DOWN,
  KEY_HOME,
  KEY_END
};

/** Takes the first key off the bytes of one read. @return how many bytes it took, at least 1. */
size_t keys_next(const char *bytes, size_t length, int *out_key);

#endif
