/** The user interface for people: a page of text and a status line on a terminal. README.md lists the keys. */
#ifndef READER_TERMINAL_H
#define READER_TERMINAL_H

#include "loop.h"

typedef struct terminal terminal;

/** Takes the terminal. @return NULL if standard input and output are none. */
terminal *terminal_new(reader *model);
/** Gives the terminal back as it was; the same happens at every other exit. */
void terminal_free(terminal *shown);
/** The listener for handoff_new. */
handoff_listener terminal_listener(terminal *shown);
/** Shows the page and takes keys until the user quits. */
void terminal_run(terminal *shown, handoff *joined);

#endif
