/**
 * @file segue/continuation.h
 * A continuation: an activity of another device that this application is taking over.
 *
 * For each will_continue the application gets exactly one of continue_activity and did_fail, whatever breaks in between
 * (segue/application.h). The continuation describes what is coming; the restoration handler, which continue_activity
 * gets, says which objects restore from it.
 */
#ifndef SEGUE_CONTINUATION_H
#define SEGUE_CONTINUATION_H

#include "base.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

/** Adds a reference. [any-thread] */
segue_continuation *segue_continuation_ref(segue_continuation *continuation);
/** Drops a reference; returns NULL. [any-thread] */
segue_continuation *SEGUE_NULLABLE segue_continuation_unref(segue_continuation *SEGUE_NULLABLE continuation);

/* What is coming. Text is borrowed from the continuation, "" where there is none. [any-thread] */

/** The activity type. */
const char *segue_continuation_get_activity_type(const segue_continuation *continuation);
/** The activity's title. */
const char *segue_continuation_get_title(const segue_continuation *continuation);
/** The name of the device that it comes from. */
const char *segue_continuation_get_device_name(const segue_continuation *continuation);
/** The token with which a window may take the focus (xdg-activation), as the launcher gave it. */
const char *segue_continuation_get_activation_token(const segue_continuation *continuation);
/** Milliseconds until did_fail comes at the latest; 0 when it has passed. */
int segue_continuation_get_time_left(const segue_continuation *continuation, uint64_t *out_milliseconds);

/* The restoration handler. */

/** Adds a reference, to keep the handler beyond continue_activity. [any-thread] */
segue_restoration *segue_restoration_ref(segue_restoration *restoration);
/** Drops a reference; returns NULL. Dropping the last one of a handler that was not called means: no objects.
 * [any-thread] */
segue_restoration *SEGUE_NULLABLE segue_restoration_unref(segue_restoration *SEGUE_NULLABLE restoration);

/**
 * Hands over the objects that restore: restore_user_activity_state is called on each, in order, once, on the
 * application's thread. Called inside continue_activity, it takes effect after that has returned. [any-thread]
 * @param responders documents among them (segue_document_get_responder); may be NULL if count is 0.
 * @param count at most 4,096, else -E2BIG.
 * @return -EALREADY if it was called before.
 */
int segue_restoration_restore(
    segue_restoration *restoration, segue_responder *SEGUE_NONNULL const *SEGUE_NULLABLE responders, size_t count);

/** The window that the activity goes to (segue/window.h). @param out_window a reference of the caller's, or NULL where
 * it goes to none in particular. [application-thread] */
int segue_restoration_copy_window(const segue_restoration *restoration, SEGUE_OUT(segue_window *) out_window);

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
