#define _GNU_SOURCE
#include "probe.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int digit(char hex) {
  if (hex >= '0' && hex <= '9') return hex - '0';
  if (hex >= 'a' && hex <= 'f') return hex - 'a' + 10;
  if (hex >= 'A' && hex <= 'F') return hex - 'A' + 10;
  return -1;
}

char *text_decode(char *text) {
  char *to = text;
  for (const char *from = text; *from != '\0'; to++) {
    if (*from == '%' && digit(from[1]) >= 0 && digit(from[2]) >= 0) {
      *to = (char)(digit(from[1]) * 16 + digit(from[2]));
      from += 3;
    } else {
      *to = *from++;
    }
  }
  *to = '\0';
  return text;
}

char *text_decode_nullable(char *text) {
  return strcmp(text, "-") == 0 ? NULL : text_decode(text);
}

static void print_encoded(const char *text) {
  if (text == NULL || text[0] == '\0') {
    putchar('-');
  } else if (strcmp(text, "-") == 0) {
    fputs("%2D", stdout);
  } else {
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
      if (*at > ' ' && *at < 0x7F && *at != '%') {
        putchar(*at);
      } else {
        printf("%%%02X", *at);
      }
    }
  }
}

void text_print(const char *first, ...) {
  va_list words;
  va_start(words, first);
  fputs(first, stdout);
  for (const char *word; (word = va_arg(words, const char *)) != NULL;) {
    putchar(' ');
    print_encoded(word);
  }
  va_end(words);
  putchar('\n');
}

char *text_of_value(const segue_value *value) {
  void *bytes = NULL;
  size_t length = 0;
  if (segue_value_encode(value, &bytes, &length, NULL) < 0) return strdup("-");
  char *hex = malloc(2 * length + 1);
  for (size_t i = 0; i < length; i++) snprintf(hex + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
  hex[2 * length] = '\0';
  segue_free(bytes);
  return hex;
}

char *text_of_user_info(const segue_activity *activity) {
  segue_value *info = NULL;
  if (segue_activity_copy_user_info(activity, &info) < 0) return strdup("-");
  char *hex = text_of_value(info);
  segue_value_unref(info);
  return hex;
}

int text_value(const char *hex, segue_value **out_value) {
  size_t length = strlen(hex) / 2;
  unsigned char *bytes = malloc(length + 1);
  for (size_t i = 0; i < length; i++) {
    int high = digit(hex[2 * i]);
    int low = digit(hex[2 * i + 1]);
    if (high < 0 || low < 0) {
      free(bytes);
      return -EINVAL;
    }
    bytes[i] = (unsigned char)(high * 16 + low);
  }
  int result = segue_value_decode(bytes, length, out_value, NULL);
  free(bytes);
  return result;
}
