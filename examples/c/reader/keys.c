#include "keys.h"

#include <string.h>

static const struct {
  const char *bytes; /* after the escape byte */
  int key;
} sequences[] = {
    {"[A", KEY_UP},       {"[B", KEY_DOWN},       {"OA", KEY_UP},   {"OB", KEY_DOWN},
    {"[5~", KEY_PAGE_UP}, {"[6~", KEY_PAGE_DOWN}, {"[H", KEY_HOME}, {"OH", KEY_HOME},
    {"[1~", KEY_HOME},    {"[F", KEY_END},        {"OF", KEY_END},  {"[4~", KEY_END},
};

size_t keys_next(const char *bytes, size_t length, int *out_key) {
  *out_key = (unsigned char)bytes[0];
  if (*out_key == '\n') *out_key = KEY_ENTER;
  if (*out_key == '\b') *out_key = KEY_BACKSPACE;
  /* A sequence arrives in one piece; an escape byte alone is the key. */
  if (*out_key != KEY_ESCAPE || length == 1) return 1;
  for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
    size_t size = strlen(sequences[i].bytes);
    if (length > size && memcmp(bytes + 1, sequences[i].bytes, size) == 0) {
      *out_key = sequences[i].key;
      return 1 + size;
    }
  }
  /* Any other sequence ends with its first byte from @ to ~ that is not its introducer. */
  *out_key = KEY_NONE;
  size_t taken = 2;
  if (bytes[1] == '[' || bytes[1] == 'O') {
    while (taken < length && (bytes[taken] < '@' || bytes[taken] > '~')) taken++;
    if (taken < length) taken++;
  }
  return taken;
}
