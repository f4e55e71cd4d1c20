/** Where the reader is: the object of a plugin, org.segue.text-position, which saves it and restores it. */
#ifndef READER_POSITION_H
#define READER_POSITION_H

#include <segue/segue.h>

#include "reader.h"

typedef struct position position;

/** Loads the plugin. @return NULL if that failed; *out_reason is then a sentence, to be freed by the caller. */
position *position_new(segue_application *application, char **out_reason);
void position_free(position *held);

/** The object, for whatever takes a responder. */
segue_responder *position_responder(const position *held);

/** Takes the place over from the model. Marks its activity as in need of saving. */
void position_set(position *held, const reader *model);

/** Why it could not restore from the activity that came last; NULL if it has. */
const char *position_failure(const position *held);
/** The file's path; NULL if there is none. The caller frees it. */
char *position_copy_path(const position *held);
/** The current line and the first on the screen, from 0. */
size_t position_line(const position *held);
size_t position_top(const position *held);

#endif
