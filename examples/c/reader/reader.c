#include "reader.h"

#include <glib.h>
#include <stdarg.h>
#include <string.h>

void reader_init(reader *model) {
  memset(model, 0, sizeof *model);
  model->page = 24;
}

void reader_clear(reader *model) {
  document_free(model->open);
  g_free(model->search);
  g_free(model->notice);
  reader_init(model);
}

void reader_set_notice(reader *model, const char *format, ...) {
  g_free(model->notice);
  model->notice = NULL;
  if (format == NULL) return;
  va_list arguments;
  va_start(arguments, format);
  model->notice = g_strdup_vprintf(format, arguments);
  va_end(arguments);
}

/* Scrolls just far enough to have the current line on the screen, and leaves no empty rows below the text. */
static void scroll(reader *model) {
  size_t count = document_line_count(model->open);
  if (model->line >= count) model->line = count - 1;
  if (model->line < model->top) model->top = model->line;
  if (model->line >= model->top + model->page) model->top = model->line - model->page + 1;
  size_t last = count > model->page ? count - model->page : 0;
  if (model->top > last) model->top = last;
}

static void show(reader *model, document *opened) {
  document_free(model->open);
  model->open = opened;
  model->line = model->top = 0;
}

bool reader_open(reader *model, const char *path) {
  char *reason = NULL;
  document *opened = document_open(path, &reason);
  if (opened == NULL) {
    reader_set_notice(model, "%s", reason);
    g_free(reason);
    return false;
  }
  show(model, opened);
  reader_set_notice(model, NULL);
  return true;
}

/* If the text has changed since, the same line is the best guide, then the search text, then the line's number. */
static void find_place(reader *model, const reader_place *place) {
  size_t line = place->line;
  bool found = place->line_text != NULL && place->line_text[0] != '\0' &&
               document_find_nearest(model->open, place->line_text, true, place->line, &line);
  if (!found && place->words != NULL) {
    found = document_find_nearest(model->open, place->words, false, place->line, &line);
  }
  if (!found && place->search != NULL) document_find_nearest(model->open, place->search, false, place->line, &line);
  /* The current line stands as far below the screen's edge as it did. */
  size_t above = place->line > place->top ? place->line - place->top : 0;
  model->line = line;
  model->top = line > above ? line - above : 0;
}

reader_match reader_restore(reader *model, const reader_place *place) {
  char *reason = NULL;
  document *opened = place->path == NULL ? NULL : document_open(place->path, &reason);
  if (opened == NULL) {
    if (place->path == NULL) {
      reader_set_notice(model, "the other device named no file");
    } else if (g_file_test(place->path, G_FILE_TEST_EXISTS)) {
      reader_set_notice(model, "%s", reason);
    } else {
      reader_set_notice(model, "missing here: %s", place->path);
    }
    g_free(reason);
    return READER_MISSING;
  }
  show(model, opened);
  g_free(model->search);
  model->search = g_strdup(place->search);
  bool same = place->digest != NULL && strcmp(place->digest, document_digest(opened)) == 0;
  if (same) {
    model->line = place->line;
    model->top = place->top;
    reader_set_notice(model, NULL);
  } else {
    find_place(model, place);
    reader_set_notice(model, "this file differs from the one on the other device");
  }
  scroll(model);
  return same ? READER_SAME : READER_DIFFERS;
}

void reader_go_to(reader *model, size_t line) {
  if (model->open == NULL) return;
  model->line = line;
  scroll(model);
}

void reader_move(reader *model, long lines) {
  size_t distance = lines < 0 ? 0U - (size_t)lines : (size_t)lines;
  if (lines < 0) {
    reader_go_to(model, distance > model->line ? 0 : model->line - distance);
  } else {
    /* Both stay far below half of what size_t holds. */
    reader_go_to(model, model->line + distance);
  }
}

void reader_set_page(reader *model, size_t lines) {
  model->page = lines > 0 ? lines : 1;
  if (model->open != NULL) scroll(model);
}

bool reader_search(reader *model, const char *text, bool backward) {
  if (text != NULL && text != model->search) {
    g_free(model->search);
    model->search = g_strdup(text);
  }
  if (model->open == NULL || model->search == NULL || model->search[0] == '\0') {
    reader_set_notice(model, "nothing to search for");
    return false;
  }
  size_t count = document_line_count(model->open);
  size_t from = (backward ? model->line + count - 1 : model->line + 1) % count;
  size_t line = 0;
  if (!document_search(model->open, model->search, from, backward, &line)) {
    reader_set_notice(model, "not found: %s", model->search);
    return false;
  }
  reader_set_notice(model, NULL);
  reader_go_to(model, line);
  return true;
}

const char *reader_line_text(const reader *model) {
  return model->open == NULL ? "" : document_line(model->open, model->line);
}

unsigned reader_percentage(const reader *model) {
  if (model->open == NULL) return 0;
  return (unsigned)((model->line + 1) * 100 / document_line_count(model->open));
}
