#include "draft.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static void attachment_free(gpointer freed) {
  attachment *file = freed;
  g_free(file->name);
  g_free(file->path);
  g_free(file);
}

void draft_init(draft *mail) {
  mail->to = g_strdup("");
  mail->subject = g_strdup("");
  mail->text = g_strdup("");
  mail->attachments = g_ptr_array_new_with_free_func(attachment_free);
}

void draft_clear(draft *mail) {
  g_free(mail->to);
  g_free(mail->subject);
  g_free(mail->text);
  g_ptr_array_unref(mail->attachments);
}

void draft_reset(draft *mail) {
  draft_clear(mail);
  draft_init(mail);
}

bool draft_is_empty(const draft *mail) {
  return mail->to[0] == '\0' && mail->subject[0] == '\0' && mail->text[0] == '\0' && mail->attachments->len == 0;
}

void draft_set(char **part, const char *value) {
  char *copy = g_strdup(value);
  g_free(*part);
  *part = copy;
}

static bool has_name(const draft *mail, const char *name) {
  for (guint i = 0; i < mail->attachments->len; i++) {
    if (g_str_equal(draft_attachment(mail, i)->name, name)) return true;
  }
  return false;
}

/* A name that is safe in a directory and on a terminal, and unique in the mail. The caller frees it. */
static char *safe_name(const draft *mail, const char *given) {
  char *name = g_utf8_make_valid(given, -1);
  for (char *at = name; *at != '\0'; at++) {
    if (*at == '/' || g_ascii_iscntrl(*at)) *at = '_';
  }
  /* Hidden files, "." and "..". */
  if (name[0] == '.' || name[0] == '\0') {
    char *shown = g_strconcat("file", name, NULL);
    g_free(name);
    name = shown;
  }
  /* Leaves room for a number and for the suffix of a partial file. */
  while (strlen(name) > 200) *g_utf8_find_prev_char(name, name + strlen(name)) = '\0';
  for (guint number = 2; has_name(mail, name); number++) {
    char *other = g_strdup_printf("%u-%s", number, name);
    if (!has_name(mail, other)) {
      g_free(name);
      name = other;
    } else {
      g_free(other);
    }
  }
  return name;
}

static attachment *add(draft *mail, const char *name, guint64 size) {
  attachment *file = g_new0(attachment, 1);
  file->name = safe_name(mail, name);
  file->size = size;
  g_ptr_array_add(mail->attachments, file);
  return file;
}

bool draft_attach(draft *mail, const char *path, char **out_reason) {
  struct stat found;
  if (mail->attachments->len == DRAFT_ATTACHMENTS) {
    *out_reason = g_strdup_printf("a mail has at most %d attachments", DRAFT_ATTACHMENTS);
  } else if (stat(path, &found) != 0) {
    *out_reason = g_strdup_printf("%s: %s", path, g_strerror(errno));
  } else if (!S_ISREG(found.st_mode)) {
    *out_reason = g_strdup_printf("%s is not a file", path);
  } else {
    char *name = g_path_get_basename(path);
    attachment *file = add(mail, name, (guint64)found.st_size);
    file->path = g_canonicalize_filename(path, NULL);
    file->so_far = file->size;
    g_free(name);
    return true;
  }
  return false;
}

attachment *draft_expect(draft *mail, const char *name, guint64 size) {
  return add(mail, name, size);
}

attachment *draft_attachment(const draft *mail, guint index) {
  return g_ptr_array_index(mail->attachments, index);
}

guint draft_missing(const draft *mail) {
  guint missing = 0;
  for (guint i = 0; i < mail->attachments->len; i++) missing += draft_attachment(mail, i)->path == NULL;
  return missing;
}
