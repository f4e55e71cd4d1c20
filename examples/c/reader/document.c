#include "document.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

struct document {
  char *path;
  char *name;
  char *url;
  char *digest;
  char *text;
  const char **lines;
  size_t line_count;
};

/* Cuts the text at its line ends and notes where each line begins. */
static void split(document *opened) {
  size_t count = 1;
  for (const char *at = opened->text; (at = strchr(at, '\n')) != NULL; at++) count++;
  opened->lines = g_new(const char *, count);
  for (char *at = opened->text; at != NULL;) {
    char *end = strchr(at, '\n');
    /* Text after the last line end is a line; the empty rest of a file that ends with one is not. */
    if (*at != '\0' || end != NULL || opened->line_count == 0) opened->lines[opened->line_count++] = at;
    if (end != NULL) {
      *end = '\0';
      if (end > at && end[-1] == '\r') end[-1] = '\0';
    }
    at = end == NULL ? NULL : end + 1;
  }
}

document *document_open(const char *path, char **out_reason) {
  /* The path may come from another device: a pipe or a device file would make the reader wait, or read for ever. */
  if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
    *out_reason = g_strdup_printf("%s is not a file", path);
    return NULL;
  }
  GError *error = NULL;
  char *bytes = NULL;
  gsize length = 0;
  if (!g_file_get_contents(path, &bytes, &length, &error)) {
    *out_reason = g_strdup(error->message);
    g_error_free(error);
    return NULL;
  }
  document *opened = g_new0(document, 1);
  opened->path = g_canonicalize_filename(path, NULL);
  opened->name = g_path_get_basename(opened->path);
  opened->url = g_filename_to_uri(opened->path, NULL, NULL);
  opened->digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)bytes, length);
  opened->text = g_utf8_make_valid(bytes, (gssize)length);
  g_free(bytes);
  split(opened);
  return opened;
}

void document_free(document *opened) {
  if (opened == NULL) return;
  g_free(opened->path);
  g_free(opened->name);
  g_free(opened->url);
  g_free(opened->digest);
  g_free(opened->text);
  g_free(opened->lines);
  g_free(opened);
}

const char *document_path(const document *opened) {
  return opened->path;
}

const char *document_name(const document *opened) {
  return opened->name;
}

const char *document_url(const document *opened) {
  return opened->url;
}

const char *document_digest(const document *opened) {
  return opened->digest;
}

size_t document_line_count(const document *opened) {
  return opened->line_count;
}

const char *document_line(const document *opened, size_t line) {
  return opened->lines[line];
}

bool document_search(const document *opened, const char *text, size_t from, bool backward, size_t *out_line) {
  size_t count = opened->line_count;
  for (size_t step = 0; step < count; step++) {
    size_t line = (backward ? from + count - step : from + step) % count;
    if (strstr(opened->lines[line], text) != NULL) {
      *out_line = line;
      return true;
    }
  }
  return false;
}

bool document_find_nearest(const document *opened, const char *text, bool whole, size_t near, size_t *out_line) {
  bool found = false;
  for (size_t line = 0; line < opened->line_count; line++) {
    const char *here = opened->lines[line];
    if (whole ? strcmp(here, text) != 0 : strstr(here, text) == NULL) continue;
    size_t distance = line > near ? line - near : near - line;
    size_t best = *out_line > near ? *out_line - near : near - *out_line;
    if (!found || distance < best) *out_line = line;
    found = true;
  }
  return found;
}

char *document_path_of_url(const char *url) {
  return g_filename_from_uri(url, NULL, NULL);
}
