/** The face for scripts: commands on standard input, events on standard output, one a line. README.md lists them. */
#ifndef READER_SCRIPT_H
#define READER_SCRIPT_H

#include "loop.h"

typedef struct script script;

script *script_new(reader *model);
void script_free(script *running);
/** What to give to handoff_new. */
handoff_listener script_listener(script *running);
/** Says that all is set up, and takes commands until "quit" or the end of input. */
void script_run(script *running, handoff *joined);

#endif
