/** The main loop: one poll over standard input and Segue's descriptor. */
#ifndef READER_LOOP_H
#define READER_LOOP_H

#include "handoff.h"

/** Who reads standard input: the terminal's face or the script's. */
typedef struct face {
  /** Input can be read. @return false to end the loop. */
  bool (*read_input)(struct face *self);
  /** Something has happened besides input, perhaps the window's size has changed. */
  void (*refresh)(struct face *self);
} face;

/** Runs until the face ends it or a signal asks the reader to quit. */
void loop_run(face *shown, handoff *joined);

#endif
