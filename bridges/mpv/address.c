#include "address.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_web(const char *url) {
  return strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;
}

/* Whether a byte stands for itself in a URL's path. */
static bool is_plain(unsigned char byte) {
  return isalnum(byte) || strchr("/-._~!$&'()*+,;=:@", byte) != NULL;
}

bool address_url(const char *folder, const char *path, char url[ADDRESS_SIZE]) {
  static const char scheme[] = "file://";
  char whole[ADDRESS_SIZE];
  size_t used = sizeof scheme - 1;
  const char *at;
  int length;
  if (is_web(path)) return snprintf(url, ADDRESS_SIZE, "%s", path) < ADDRESS_SIZE;
  if (strstr(path, "://") != NULL) return false;
  length =
      path[0] == '/' ? snprintf(whole, sizeof whole, "%s", path) : snprintf(whole, sizeof whole, "%s/%s", folder, path);
  if (length >= (int)sizeof whole || whole[0] != '/') return false;
  memcpy(url, scheme, sizeof scheme);
  for (at = whole; *at != '\0'; at++) {
    if (used + 4 > ADDRESS_SIZE) return false;
    if (is_plain((unsigned char)*at)) {
      url[used++] = *at;
    } else {
      used += (size_t)snprintf(url + used, 4, "%%%02X", (unsigned)(unsigned char)*at);
    }
  }
  url[used] = '\0';
  return true;
}

/* Decodes %XX; false for a control character, or for an escape that is none. */
static bool decode(const char *text, char path[ADDRESS_SIZE]) {
  size_t used = 0;
  for (; *text != '\0'; text++) {
    unsigned char byte = (unsigned char)*text;
    if (byte == '%') {
      char digits[3] = {text[1], text[1] == '\0' ? '\0' : text[2], '\0'};
      if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1])) return false;
      byte = (unsigned char)strtoul(digits, NULL, 16);
      text += 2;
    }
    if (byte < 0x20 || byte == 0x7f || used + 1 >= ADDRESS_SIZE) return false;
    path[used++] = (char)byte;
  }
  path[used] = '\0';
  return true;
}

/* Whether an element of the path is "..". */
static bool climbs(const char *path) {
  const char *at;
  for (at = path; (at = strstr(at, "/..")) != NULL; at += 3) {
    if (at[3] == '/' || at[3] == '\0') return true;
  }
  return false;
}

bool address_open(const char *url, char path[ADDRESS_SIZE], const char **why) {
  struct stat status;
  const char *at = url;
  for (; *at != '\0'; at++) {
    if ((unsigned char)*at <= 0x20 || *at == 0x7f) {
      *why = "its address has a space or a control character";
      return false;
    }
  }
  if (is_web(url)) return snprintf(path, ADDRESS_SIZE, "%s", url) < ADDRESS_SIZE;
  if (strncmp(url, "file://", 7) != 0) {
    *why = "it is neither a file nor of the web";
    return false;
  }
  url += 7;
  if (strncmp(url, "localhost/", 10) == 0) url += 9;
  if (url[0] != '/' || strpbrk(url, "?#") != NULL || !decode(url, path) || climbs(path)) {
    *why = "its address is no plain path of this device";
    return false;
  }
  if (stat(path, &status) != 0) {
    *why = "the file is not on this device";
    return false;
  }
  if (!S_ISREG(status.st_mode)) {
    *why = "it is no regular file";
    return false;
  }
  return true;
}
