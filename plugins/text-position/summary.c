/* The text for a place in a title or a list: "notes.txt, line 42". */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

static int digit(char character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  if (character >= 'A' && character <= 'F') return character - 'A' + 10;
  return -1;
}

/* How many bytes the UTF-8 character at this place has; 0 for a control character, and for what is none. */
static size_t character_length(const unsigned char *at) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (*at < 0x80) return *at < 0x20 || *at == 0x7F ? 0 : 1;
  size_t length = *at >= 0xF0 ? 4 : *at >= 0xE0 ? 3 : 2;
  if (*at < 0xC0 || *at > 0xF4) return 0;
  uint32_t code = *at & (0x7FU >> length);
  for (size_t i = 1; i < length; i++) {
    /* The NUL at the end is no such byte, so this does not run past it. */
    if ((at[i] & 0xC0) != 0x80) return 0;
    code = code << 6 | (at[i] & 0x3FU);
  }
  return code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF) ? 0 : length;
}

static bool can_be_shown(const char *text) {
  while (*text != '\0') {
    size_t length = character_length((const unsigned char *)text);
    if (length == 0) return false;
    text += length;
  }
  return true;
}

/* The last element of a URL's path: decoded, where that gives something to show. NULL if there is none, or no memory.
 */
static char *copy_name(const char *url) {
  size_t path = strcspn(url, "?#");
  const char *start = url + path;
  while (start > url && start[-1] != '/') start--;
  size_t length = (size_t)(url + path - start);
  if (length == 0) return NULL;
  char *name = malloc(length + 1);
  if (name == NULL) return NULL;
  char *end = name;
  for (const char *at = start; at < start + length; at++) {
    bool escaped = *at == '%' && digit(at[1]) >= 0 && digit(at[2]) >= 0;
    *end++ = escaped ? (char)(digit(at[1]) * 16 + digit(at[2])) : *at;
    if (escaped) at += 2;
  }
  *end = '\0';
  if (strlen(name) != (size_t)(end - name) || !can_be_shown(name)) {
    memcpy(name, start, length);
    name[length] = '\0';
  }
  return name;
}

/* How much of a text is left without the character at its end of which a part was cut off. */
static size_t whole_length(const char *text) {
  size_t length = strlen(text);
  size_t start = length;
  while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) start--;
  if (start == 0 || (unsigned char)text[start - 1] < 0xC0) return length;
  return character_length((const unsigned char *)text + start - 1) == 0 ? start - 1 : length;
}

size_t place_get_summary(void *object, char *out_text, size_t size) {
  const place *held = object;
  char *name = held->file == NULL ? NULL : copy_name(held->file);
  int length = name == NULL ? snprintf(out_text, size, "line %" PRIu32, held->line)
                            : snprintf(out_text, size, "%s, line %" PRIu32, name, held->line);
  free(name);
  if (length < 0) return 0;
  if (size > 0 && (size_t)length >= size) out_text[whole_length(out_text)] = '\0';
  return (size_t)length;
}
