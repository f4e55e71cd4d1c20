/**
 * The reader's part in Segue: offers the open page to the user's other devices, and continues their pages here. This
 * file, handoff.c and position.c are all that a program needs for it.
 */
#ifndef READER_HANDOFF_H
#define READER_HANDOFF_H

#include <stdint.h>

#include "reader.h"

#define READER_APP_ID "org.segue.Reader"
#define READER_ACTIVITY_TYPE "org.segue.reader.reading"

typedef struct handoff handoff;

/** The callbacks to a user interface, of a terminal or of a script, inside handoff_dispatch; all members are set. */
typedef struct handoff_listener {
  void (*will_continue)(void *self, const char *title, const char *device);
  /** The model is at the new place, or its notice says why it is not. @param path the file that was asked for. */
  void (*did_continue)(void *self, reader_match match, const char *path);
  void (*did_fail)(void *self, int32_t code, const char *message, const char *advice);
  void (*was_continued)(void *self);
  /** @param state "registering", "registered", "name-taken", "lost", "off" or "unknown". @param why a sentence, or "".
   */
  void (*state_changed)(void *self, const char *state, const char *why);
  void *self;
} handoff_listener;

/**
 * Joins Segue. @return NULL if that failed, one that takes no part if its plugin is missing; in both cases *out_reason
 * is a sentence, to be freed by the caller.
 */
handoff *handoff_new(reader *model, const handoff_listener *listener, char **out_reason);
void handoff_free(handoff *joined);
bool handoff_takes_part(const handoff *joined);

/** The descriptor to poll for reading, and what to call then. */
int handoff_fd(const handoff *joined);
void handoff_dispatch(handoff *joined);

/** Says that the model has opened a document, which is on offer from now on. */
void handoff_opened(handoff *joined);
/** Says that the place in the document has changed. Cheap: the reader sends it only when another device asks. */
void handoff_moved(handoff *joined);
/** Ends this process inside its next save, for tests of what the other device then sees. */
void handoff_exit_in_save(handoff *joined);

#endif
