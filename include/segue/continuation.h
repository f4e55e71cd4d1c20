/**
 * @file segue/continuation.h
 * A continuation: an activity of another device that this application is taking over.
 *
 * For each will_continue the application gets exactly one of continue_activity and did_fail, whatever breaks in between
 * (segue/application.h). The continuation describes what is coming; the application names the objects that restore from
 * it to the restoration handler (segue/restoration.h).
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

/* The activity that is coming. Text is borrowed from the continuation, "" where there is none. [any-thread] */

/** The continuation's 128-bit id, as `segue watch` shows it. @param out_bytes room for 16 bytes. */
int segue_continuation_get_id(const segue_continuation *continuation, uint8_t *out_bytes);
/** The activity type. */
const char *segue_continuation_get_activity_type(const segue_continuation *continuation);
/** The activity's title. */
const char *segue_continuation_get_title(const segue_continuation *continuation);
/** The name of the device that it comes from. */
const char *segue_continuation_get_device_name(const segue_continuation *continuation);
/** The token with which a window may take the focus (xdg-activation), as the launcher gave it. */
const char *segue_continuation_get_activation_token(const segue_continuation *continuation);
/**
 * Whether the state that comes was saved earlier, since its application or its device has gone
 * (segue_activity_set_allows_snapshot); false: it is as it is now. In will_continue the answer is about the offer, from
 * continue_activity on about the state that has come.
 */
bool segue_continuation_is_stored(const segue_continuation *continuation);
/**
 * How long ago the state was saved, in milliseconds.
 * @return -ENODATA while that is not known: before the state is here, unless this device had it; or if the other device
 *     does not say.
 */
int segue_continuation_get_age(const segue_continuation *continuation, uint64_t *out_milliseconds);
/** Milliseconds until did_fail comes at the latest; 0 when it has passed. */
int segue_continuation_get_time_left(const segue_continuation *continuation, uint64_t *out_milliseconds);

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
