/** The user interface for scripts: commands on standard input, events on standard output, one a line; see README.md. */
#ifndef READER_SCRIPT_H
#define READER_SCRIPT_H

#include "loop.h"

typedef struct script script;

script *script_new(reader *model);
void script_free(script *running);
/** The listener for handoff_new. */
handoff_listener script_listener(script *running);
/** Prints "ready", and takes commands until "quit" or the end of input. */
void script_run(script *running, handoff *joined);

#endif
