#include "address.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static bool is_web(const char *url) {
  return strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0;
}

/* Whether it is a host in ASCII, and a port where one is given: no user, and no escape. */
static bool is_authority(const char *at, const char *end) {
  const char *start = at;
  if (at < end && *at == '[') {
    at += 1 + strspn(at + 1, "0123456789abcdefABCDEF:.");
    if (at >= end || *at != ']' || at - start < 3) return false;
    at++;
  } else {
    for (; at < end && (isalnum((unsigned char)*at) || strchr("-_.", *at) != NULL); at++) {
      if (*at == '.' && (at == start || at[-1] == '.')) return false;
    }
    if (at == start) return false;
  }
  if (at < end && *at == ':') {
    size_t digits = strspn(at + 1, "0123456789");
    long port = strtol(at + 1, NULL, 10);
    if (digits < 1 || digits > 5 || port < 1 || port > 65535) return false;
    at += 1 + digits;
  }
  return at == end;
}

/* The same rules as the daemon's (WebURL): what two parsers could take differently is refused. */
static bool is_plain_web(const char *url) {
  /* Marks that turn the direction of a text. */
  static const char *const marks[] = {"\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c",
                                      "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};
  const char *start = strstr(url, "://") + 3;
  size_t i;
  if (strchr(url, '\\') != NULL) return false;
  for (i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    if (strstr(url, marks[i]) != NULL) return false;
  }
  return is_authority(start, start + strcspn(start, "/?#"));
}

/* Whether a path ends as lists of addresses do. mpv knows others by what is in them: those open nothing further by the
 * options with which they are loaded. */
static bool is_list(const char *path, size_t length) {
  static const char *const endings[] = {".m3u", ".pls", ".edl", ".cue", ".asx"};
  size_t i;
  for (i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    if (length > 4 && strncasecmp(path + length - 4, endings[i], 4) == 0) return true;
  }
  return false;
}

/* Files of the kernel are regular too, and some never end. */
static bool is_of_kernel(const char *path) {
  char *real = realpath(path, NULL);
  bool found = real == NULL || strncmp(real, "/proc/", 6) == 0 || strncmp(real, "/sys/", 5) == 0;
  free(real);
  return found;
}

/* Whether a byte stands for itself in a URL's path. */
static bool is_plain(unsigned char byte) {
  return isalnum(byte) || strchr("/-._~!$&'()*+,;=:@", byte) != NULL;
}

/* Whether no element of a whole path is empty, "." or "..". */
static bool is_tidy(const char *path) {
  while (*path == '/') {
    size_t length = strcspn(++path, "/");
    if (length == 0 || (length == 1 && path[0] == '.') || (length == 2 && path[0] == '.' && path[1] == '.'))
      return false;
    path += length;
  }
  return *path == '\0';
}

bool address_url(const char *folder, const char *path, char url[ADDRESS_SIZE]) {
  static const char scheme[] = "file://";
  char whole[ADDRESS_SIZE];
  size_t used = sizeof scheme - 1;
  const char *at;
  int length;
  /* A user's name and password do not leave this device. */
  if (is_web(path)) return is_plain_web(path) && snprintf(url, ADDRESS_SIZE, "%s", path) < ADDRESS_SIZE;
  if (strstr(path, "://") != NULL) return false;
  length =
      path[0] == '/' ? snprintf(whole, sizeof whole, "%s", path) : snprintf(whole, sizeof whole, "%s/%s", folder, path);
  if (length >= (int)sizeof whole || whole[0] != '/') return false;
  if (!is_tidy(whole)) {
    /* Another device refuses it as it is, and only the system knows what stands before a link. */
    char *real = realpath(whole, NULL);
    length = real == NULL ? -1 : snprintf(whole, sizeof whole, "%s", real);
    free(real);
    if (length < 0 || length >= (int)sizeof whole) return false;
  }
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
      /* To some it separates, to others it is part of a name. */
      if (byte == '/') return false;
      text += 2;
    }
    if (byte < 0x20 || byte == 0x7f || used + 1 >= ADDRESS_SIZE) return false;
    path[used++] = (char)byte;
  }
  path[used] = '\0';
  return true;
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
  if (is_web(url)) {
    if (!is_plain_web(url)) *why = "its address has a user in it, or no plain host";
    /* A stream of the web may be a list in itself, .m3u8. */
    else if (is_list(url, strcspn(url, "?#")))
      *why = "it is a list of other addresses";
    else
      return snprintf(path, ADDRESS_SIZE, "%s", url) < ADDRESS_SIZE;
    return false;
  }
  if (strncmp(url, "file://", 7) != 0) {
    *why = "it is neither a file nor of the web";
    return false;
  }
  url += 7;
  if (strncmp(url, "localhost/", 10) == 0) url += 9;
  if (url[0] != '/' || strpbrk(url, "?#") != NULL || !decode(url, path) || !is_tidy(path)) {
    *why = "its address is not a plain path of this device";
    return false;
  }
  if (stat(path, &status) != 0) {
    *why = "the file is not on this device";
    return false;
  }
  if (!S_ISREG(status.st_mode)) {
    *why = "it is not a regular file";
    return false;
  }
  if (is_of_kernel(path)) {
    *why = "it is a file of the kernel";
    return false;
  }
  if (is_list(path, strlen(path)) || (strlen(path) > 5 && strcasecmp(path + strlen(path) - 5, ".m3u8") == 0)) {
    *why = "it is a list of other addresses";
    return false;
  }
  return true;
}
