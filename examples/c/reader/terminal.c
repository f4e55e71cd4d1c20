#include "terminal.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "keys.h"
#include "screen.h"

/* Codes of did_fail that are not worth a message, since the user chose something else. */
#define CODE_USER_CANCELLED 3072

struct terminal {
  face base;
  reader *model;
  handoff *joined;
  GString *frame;
  char asked;      /* '/', '?' or ':' while the status line asks for text, else 0 */
  GString *answer; /* the text that was typed so far */
  char *device;    /* the device of the continuation that is coming */
};

/* Messages from Segue, for the status line. */

static void will_continue(void *self, const char *title, const char *device) {
  terminal *shown = self;
  g_free(shown->device);
  shown->device = g_strdup(device);
  reader_set_notice(shown->model, "continuing %s from %s ...", title, device);
}

static void did_continue(void *self, reader_match match, const char *path) {
  (void)path;
  terminal *shown = self;
  if (match == READER_SAME) reader_set_notice(shown->model, "continued from %s", shown->device);
}

static void did_fail(void *self, int32_t code, const char *message, const char *advice) {
  terminal *shown = self;
  if (code == CODE_USER_CANCELLED) {
    reader_set_notice(shown->model, NULL);
  } else {
    reader_set_notice(shown->model, "%s%s%s", message, advice[0] == '\0' ? "" : " ", advice);
  }
}

static void was_continued(void *self) {
  terminal *shown = self;
  reader_set_notice(shown->model, "continued on another device");
}

static void state_changed(void *self, const char *state, const char *why) {
  terminal *shown = self;
  /* Only a problem is worth a place on the status line. */
  if (why[0] != '\0') reader_set_notice(shown->model, "hand-off: %s: %s", state, why);
}

/* Drawing. */

static char *status(const terminal *shown, const char *notice) {
  const reader *model = shown->model;
  if (shown->asked != 0) return g_strdup_printf("%c%s", shown->asked, shown->answer->str);
  if (model->open == NULL) return g_strdup_printf(" no file   %s", notice);
  char *name = g_filename_display_name(document_name(model->open));
  char *text = g_strdup_printf(
      " %s   line %zu/%zu   %u%%   %s", name, model->line + 1, document_line_count(model->open),
      reader_percentage(model), notice);
  g_free(name);
  return text;
}

/* A text in rows, broken between words. */
static GPtrArray *wrap(const char *text, size_t columns) {
  GPtrArray *rows = g_ptr_array_new_with_free_func(g_free);
  while (*text != '\0') {
    const char *space = NULL;
    const char *end = text;
    for (size_t column = 0; *end != '\0' && column < columns; column++) {
      if (*end == ' ') space = end;
      end = g_utf8_next_char(end);
    }
    if (*end != '\0' && *end != ' ' && space != NULL && space != text) end = space;
    g_ptr_array_add(rows, g_strndup(text, (gsize)(end - text)));
    text = end;
    while (*text == ' ') text++;
  }
  return rows;
}

static void draw(terminal *shown) {
  reader *model = shown->model;
  size_t rows = 0;
  size_t columns = 0;
  screen_size(&rows, &columns);
  reader_set_page(model, rows - 1);
  /* The notice may hold a file's name or another device's words, in any bytes. */
  char *notice = g_utf8_make_valid(model->notice == NULL ? "" : model->notice, -1);
  char *text = status(shown, notice);
  GPtrArray *above = NULL;
  if (shown->asked == 0 && notice[0] != '\0' && (size_t)g_utf8_strlen(text, -1) > columns) {
    /* An error that is cut off would lose its advice, so it covers the text until the next key. */
    above = wrap(notice, columns);
    g_free(text);
    text = status(shown, "");
  }
  size_t covered = above == NULL ? 0 : MIN(above->len, rows - 1);
  screen_begin(shown->frame);
  for (size_t row = 0; row + covered + 1 < rows; row++) {
    size_t line = model->top + row;
    bool there = model->open != NULL && line < document_line_count(model->open);
    bool current = there && line == model->line;
    screen_add_row(
        shown->frame, there ? document_line(model->open, line) : "~", columns,
        current ? "1;4"
        : there ? ""
                : "2",
        false);
  }
  for (size_t row = 0; row < covered; row++) {
    screen_add_row(shown->frame, g_ptr_array_index(above, row), columns, "7", false);
  }
  char *valid = g_utf8_make_valid(text, -1);
  screen_add_row(shown->frame, valid, columns, "7", true);
  g_free(valid);
  g_free(text);
  g_free(notice);
  if (above != NULL) g_ptr_array_unref(above);
  screen_show(shown->frame);
}

static void refresh(face *self) {
  draw((terminal *)self);
}

/* Keys. */

static void answer_given(terminal *shown) {
  reader *model = shown->model;
  char asked = shown->asked;
  shown->asked = 0;
  if (asked == ':') {
    long line = strtol(shown->answer->str, NULL, 10);
    reader_go_to(model, line > 0 ? (size_t)line - 1 : 0);
  } else {
    reader_search(model, shown->answer->len == 0 ? NULL : shown->answer->str, asked == '?');
  }
  handoff_moved(shown->joined);
}

static void key_while_asking(terminal *shown, int key) {
  if (key == KEY_ENTER) {
    answer_given(shown);
  } else if (key == KEY_ESCAPE || key == KEY_INTERRUPT) {
    shown->asked = 0;
  } else if (key == KEY_BACKSPACE) {
    const char *end = shown->answer->str + shown->answer->len;
    const char *last = g_utf8_find_prev_char(shown->answer->str, end);
    if (last != NULL) g_string_truncate(shown->answer, (gsize)(last - shown->answer->str));
  } else if (key >= ' ' && key < KEY_UP) {
    g_string_append_c(shown->answer, (char)key);
  }
}

static void ask(terminal *shown, int key) {
  shown->asked = (char)key;
  g_string_truncate(shown->answer, 0);
}

/* @return false to quit. */
static bool key_while_reading(terminal *shown, int key) {
  reader *model = shown->model;
  long page = (long)model->page;
  reader_set_notice(model, NULL);
  switch (key) {
    case 'q':
    case KEY_INTERRUPT: return false;
    case 'j':
    case KEY_ENTER:
    case KEY_DOWN: reader_move(model, 1); break;
    case 'k':
    case KEY_UP: reader_move(model, -1); break;
    case ' ':
    case KEY_PAGE_DOWN: reader_move(model, page); break;
    case 'b':
    case KEY_PAGE_UP: reader_move(model, -page); break;
    case 'g':
    case KEY_HOME: reader_go_to(model, 0); break;
    case 'G':
    case KEY_END: reader_go_to(model, SIZE_MAX); break;
    case 'n': reader_search(model, NULL, false); break;
    case 'N': reader_search(model, NULL, true); break;
    case '=': reader_set_notice(model, "%s", model->open == NULL ? "" : document_path(model->open)); return true;
    case '/':
    case '?':
    case ':': ask(shown, key); return true;
    default: return true;
  }
  handoff_moved(shown->joined);
  return true;
}

static bool read_input(face *self) {
  terminal *shown = (terminal *)self;
  char bytes[256];
  ssize_t length = read(STDIN_FILENO, bytes, sizeof bytes);
  if (length < 0) return errno == EINTR || errno == EAGAIN;
  if (length == 0) return false;
  for (size_t at = 0; at < (size_t)length;) {
    int key = KEY_NONE;
    at += keys_next(bytes + at, (size_t)length - at, &key);
    if (shown->asked != 0) {
      key_while_asking(shown, key);
    } else if (!key_while_reading(shown, key)) {
      return false;
    }
  }
  return true;
}

terminal *terminal_new(reader *model) {
  if (!screen_enter()) return NULL;
  terminal *shown = g_new0(terminal, 1);
  shown->base.read_input = read_input;
  shown->base.refresh = refresh;
  shown->model = model;
  shown->frame = g_string_new(NULL);
  shown->answer = g_string_new(NULL);
  return shown;
}

void terminal_free(terminal *shown) {
  screen_leave();
  g_string_free(shown->frame, TRUE);
  g_string_free(shown->answer, TRUE);
  g_free(shown->device);
  g_free(shown);
}

handoff_listener terminal_listener(terminal *shown) {
  return (handoff_listener){
      .will_continue = will_continue,
      .did_continue = did_continue,
      .did_fail = did_fail,
      .was_continued = was_continued,
      .state_changed = state_changed,
      .self = shown,
  };
}

void terminal_run(terminal *shown, handoff *joined) {
  shown->joined = joined;
  draw(shown);
  loop_run(&shown->base, joined);
}
