/* realpath() is of the X/Open System Interfaces. */
#define _XOPEN_SOURCE 700

#include "open_text.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#define KEY_URI "uri"
#define KEY_LINE "line"
#define KEY_COLUMN "column"
#define KEY_BEFORE "before"
#define KEY_AFTER "after"
#define KEY_DIGEST "digest"
#define DIGEST_KIND "sha256:"

/* Scalars of the line that are enough to find it again, and bytes of both sides that are not too many to look for. */
#define CONTEXT 40
#define CONTEXT_BYTES 4096

static char *copy_string(const segue_activity *activity, const char *key) {
  char *string = NULL;
  if (segue_activity_copy_string(activity, key, &string) < 0) return NULL;
  char *copy = g_strdup(string);
  segue_free(string);
  return copy;
}

/* Files of the kernel count as regular, and some never end. */
static bool is_of_kernel(const char *path) {
  char *real = realpath(path, NULL);
  bool found = real != NULL && (g_str_has_prefix(real, "/proc/") || g_str_has_prefix(real, "/sys/"));
  free(real);
  return found;
}

/* A file of this device, by its whole path. */
static char *copy_path(const segue_activity *activity) {
  char *url = NULL;
  if (segue_activity_copy_url(activity, KEY_URI, &url) < 0) return NULL;
  char *host = NULL;
  char *path = g_filename_from_uri(url, &host, NULL);
  bool is_here = host == NULL || strcmp(host, "localhost") == 0;
  bool is_plain = path != NULL && is_here && strstr(path, "/../") == NULL && !is_of_kernel(path);
  segue_free(url);
  g_free(host);
  if (is_plain) return path;
  g_free(path);
  return NULL;
}

void open_text_read(const segue_activity *activity, open_text *out_text) {
  memset(out_text, 0, sizeof *out_text);
  out_text->path = copy_path(activity);
  int64_t line = 1;
  segue_activity_get_integer(activity, KEY_LINE, &line);
  /* The model stops at the last line. */
  out_text->line = line > 1 ? (size_t)line - 1 : 0;
  char *digest = copy_string(activity, KEY_DIGEST);
  if (digest != NULL && g_str_has_prefix(digest, DIGEST_KIND))
    out_text->digest = g_strdup(digest + strlen(DIGEST_KIND));
  g_free(digest);
  char *before = copy_string(activity, KEY_BEFORE);
  char *after = copy_string(activity, KEY_AFTER);
  char *words = g_strconcat(before == NULL ? "" : before, after, NULL);
  char *seen = g_strstrip(g_strdup(words));
  if (seen[0] != '\0' && strlen(words) <= CONTEXT_BYTES) out_text->words = g_steal_pointer(&words);
  g_free(words);
  g_free(seen);
  g_free(before);
  g_free(after);
}

void open_text_clear(open_text *text) {
  g_free(text->path);
  g_free(text->digest);
  g_free(text->words);
  memset(text, 0, sizeof *text);
}

void open_text_write(segue_activity *activity, const reader *model) {
  const char *line = reader_line_text(model);
  char *after = g_utf8_substring(line, 0, MIN(g_utf8_strlen(line, -1), CONTEXT));
  char *digest = g_strconcat(DIGEST_KIND, document_digest(model->open), NULL);
  segue_activity_add_url(activity, KEY_URI, document_url(model->open));
  segue_activity_add_integer(activity, KEY_LINE, (int64_t)model->line + 1);
  /* The reader has lines, and no cursor in them. */
  segue_activity_add_integer(activity, KEY_COLUMN, 1);
  segue_activity_add_string(activity, KEY_BEFORE, "");
  segue_activity_add_string(activity, KEY_AFTER, after);
  segue_activity_add_string(activity, KEY_DIGEST, digest);
  g_free(after);
  g_free(digest);
}
