/** The main loop: one poll over standard input and Segue's descriptor. */
#ifndef READER_LOOP_H
#define READER_LOOP_H

#include "handoff.h"

/** The user interface that reads standard input, of a terminal or of a script. */
typedef struct face {
  /** Input can be read. @return false to end the loop. */
  bool (*read_input)(struct face *self);
  /** The loop was woken by another event than input; the window's size may have changed. */
  void (*refresh)(struct face *self);
} face;

/** Runs until the user interface ends it or a signal asks the reader to quit. */
void loop_run(face *shown, handoff *joined);

#endif
