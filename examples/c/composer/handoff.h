/** All code that concerns Segue: offers the draft, sends its attachments, and continues a draft of another device. */
#ifndef COMPOSER_HANDOFF_H
#define COMPOSER_HANDOFF_H

#include <stdint.h>

#include "draft.h"

#define COMPOSER_APP_ID "org.segue.Composer"
#define COMPOSER_ACTIVITY_TYPE "org.segue.composer.draft"

/** The callbacks to a user interface of the composer. */
typedef struct handoff_listener {
  void (*will_continue)(void *self, const char *title, const char *device);
  /** A draft is here; attachments may be on their way. */
  void (*did_continue)(void *self);
  void (*did_fail)(void *self, int32_t code, const char *message, const char *advice);
  void (*progress)(void *self, const attachment *file);
  void (*arrived)(void *self, const attachment *file);
  void (*missing)(void *self, const attachment *file, const char *reason);
  /** No more attachments come. */
  void (*complete)(void *self);
  /** Another device has the draft. @param is_whole with all attachments: it is dropped here. */
  void (*was_taken)(void *self, bool is_whole);
  void *self;
} handoff_listener;

typedef struct handoff handoff;

/**
 * Joins Segue.
 * @param folder for attachments, with a directory below it for each draft. Made when the first attachment comes.
 * @return NULL if that failed; *out_reason says why, to be freed by g_free.
 */
handoff *handoff_new(draft *mail, const char *folder, const handoff_listener *listener, char **out_reason);
void handoff_free(handoff *joined);

int handoff_fd(const handoff *joined);
void handoff_dispatch(handoff *joined);

/** The user has changed the draft. */
void handoff_changed(handoff *joined);
/** Asks once more for the missing attachments. @return false if none is missing, or they are on their way. */
bool handoff_fetch(handoff *joined);

#endif
