/** A terminal in raw mode, and a frame that is composed in memory and written to it at once. */
#ifndef READER_SCREEN_H
#define READER_SCREEN_H

#include <glib.h>
#include <stdbool.h>

/** Turns standard input and output into a screen, until screen_leave or exit(3). @return false if they are none. */
bool screen_enter(void);
void screen_leave(void);

/** How many rows and columns there are now. */
void screen_size(size_t *out_rows, size_t *out_columns);

/** Begins a frame in an empty string. */
void screen_begin(GString *frame);
/** Adds one row to a frame: text cut at the screen's edge, tabs as spaces, no control characters.
 * @param style the numbers of an ANSI style, or "".
 */
void screen_add_row(GString *frame, const char *text, size_t columns, const char *style, bool last);
/** Writes the frame. */
void screen_show(const GString *frame);

#endif
