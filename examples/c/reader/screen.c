#include "screen.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define TAB 8

static struct termios before;
static bool entered;

static void write_all(const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(STDOUT_FILENO, bytes, length);
    if (written < 0 && errno != EINTR) return;
    if (written <= 0) continue;
    bytes += written;
    length -= (size_t)written;
  }
}

bool screen_enter(void) {
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before) != 0) return false;
  struct termios raw = before;
  raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
  raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) != 0) return false;
  entered = true;
  atexit(screen_leave);
  /* The alternate screen, so that the shell's lines come back afterwards; no cursor; no wrapping. */
  static const char start[] = "\033[?1049h\033[?25l\033[?7l";
  write_all(start, sizeof start - 1);
  return true;
}

void screen_leave(void) {
  if (!entered) return;
  entered = false;
  static const char end[] = "\033[?7h\033[?25h\033[?1049l";
  write_all(end, sizeof end - 1);
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
}

void screen_size(size_t *out_rows, size_t *out_columns) {
  struct winsize size;
  bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
  *out_rows = known ? size.ws_row : 24;
  *out_columns = known ? size.ws_col : 80;
}

void screen_begin(GString *frame) {
  g_string_assign(frame, "\033[H");
}

void screen_add_row(GString *frame, const char *text, size_t columns, const char *style, bool last) {
  g_string_append_printf(frame, "\033[0;%sm\033[K", style);
  size_t column = 0;
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char(at)) {
    gunichar character = g_utf8_get_char(at);
    bool tab = character == '\t';
    size_t width = tab                                ? TAB - column % TAB
                   : g_unichar_iszerowidth(character) ? 0
                   : g_unichar_iswide(character)      ? 2
                                                      : 1;
    if (column + width > columns) break;
    if (tab) {
      g_string_append_printf(frame, "%*s", (int)width, "");
    } else {
      g_string_append_unichar(frame, g_unichar_iscntrl(character) ? 0xFFFD : character);
    }
    column += width;
  }
  if (!last) g_string_append(frame, "\r\n");
}

void screen_show(const GString *frame) {
  write_all(frame->str, frame->len);
}
