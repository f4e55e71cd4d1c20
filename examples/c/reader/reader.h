/** The model of the reader: a document, the place in it, and the last search. It knows no screen and no other device.
 */
#ifndef READER_READER_H
#define READER_READER_H

#include "document.h"

typedef struct reader {
  document *open; /**< NULL: nothing is open */
  size_t line;    /**< the current line, from 0 */
  size_t top;     /**< the first line on the screen */
  size_t page;    /**< the lines that the screen has room for, at least 1 */
  char *search;   /**< the last search, or NULL */
  char *notice;   /**< an additional message of the status line, or NULL */
} reader;

/** How well a place of another device was found again. */
typedef enum reader_match {
  READER_SAME,    /**< the same text at the same place */
  READER_DIFFERS, /**< a file of that name with other content, at the nearest place */
  READER_MISSING  /**< no such file; the open file stays open */
} reader_match;

/** A place as one reader leaves it and another finds it. Text may be NULL, where it is not known. */
typedef struct reader_place {
  const char *path;
  const char *digest;
  const char *line_text; /**< the text of the current line, or its first part */
  const char *search;
  const char *words; /**< a part of the current line, from an application that is no reader */
  size_t line;
  size_t top;
} reader_place;

void reader_init(reader *model);
void reader_clear(reader *model);

/** Opens a file at its start. @return false if that failed; the notice says why, and the open file stays open. */
bool reader_open(reader *model, const char *path);
/** Goes to a place that another reader has left, and says in the notice what is not as it was there. */
reader_match reader_restore(reader *model, const reader_place *place);

/** Moves by so many lines, up where negative, and stops at the ends. */
void reader_move(reader *model, long lines);
/** Goes to a line, from 0, or to the last one. */
void reader_go_to(reader *model, size_t line);
/** Sets how many lines the screen has room for. */
void reader_set_page(reader *model, size_t lines);
/**
 * Goes to the next line, or the one before, that contains the text.
 * @param text NULL repeats the last search. @return false if there is none; the notice says so.
 */
bool reader_search(reader *model, const char *text, bool backward);

/** The current line's text, "" if nothing is open. */
const char *reader_line_text(const reader *model);
/** How far the current line is down the text, 0 to 100. */
unsigned reader_percentage(const reader *model);

/** Sets the notice; NULL clears it. */
void reader_set_notice(reader *model, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
