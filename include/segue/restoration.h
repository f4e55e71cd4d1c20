/**
 * @file segue/restoration.h
 * The restoration handler: which objects restore from an activity that has come. continue_activity and open_document
 * get one (segue/application.h), and may call it at once, or keep it until the objects are made.
 */
#ifndef SEGUE_RESTORATION_H
#define SEGUE_RESTORATION_H

#include "base.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

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

/** The continuation that the handler belongs to. @param out_continuation a reference of the caller's. [any-thread] */
int segue_restoration_copy_continuation(
    const segue_restoration *restoration, SEGUE_OUT(segue_continuation *) out_continuation);
/** The window that the activity goes to (segue/window.h). @param out_window a reference of the caller's, or NULL where
 * it goes to none in particular. [application-thread] */
int segue_restoration_copy_window(const segue_restoration *restoration, SEGUE_OUT(segue_window *) out_window);

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
