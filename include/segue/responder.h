/**
 * @file segue/responder.h
 * A responder: an object of the application that owns a part of an activity's state (a view, a window). A document is
 * one too, and does more by itself: segue/document.h.
 *
 * Setting an activity on a responder hands the activity over to the library: it asks the responder to save, makes the
 * activity current, and invalidates it when its last responder leaves. Many responders may share one activity. Before
 * each round userInfo is emptied, then every responder of the activity adds its part; so update only adds. Where the
 * application tells of its windows, the focus decides which activity is current (segue/window.h).
 *
 * A callback may do whatever another function may: set activities, make one current, invalidate it, drop the responder,
 * the activity or the application. A responder that is dropped in a round is not called again; an activity that is
 * invalidated in a round is not sent, and its requester gets an error.
 */
#ifndef SEGUE_RESPONDER_H
#define SEGUE_RESPONDER_H

#include "base.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

/** The callbacks of a responder. Every member may be NULL. */
typedef struct segue_responder_methods {
  uint32_t struct_size; /**< sizeof(segue_responder_methods) */
  uint32_t reserved;    /**< 0 */
  /** Add your part of the state to the activity's userInfo. */
  void (*SEGUE_NULLABLE update_user_activity_state)(
      segue_responder *responder, segue_activity *activity, void *SEGUE_NULLABLE userdata);
  /** Restore your part from the activity's userInfo. Keys may be missing: another version may have written it. */
  void (*SEGUE_NULLABLE restore_user_activity_state)(
      segue_responder *responder, segue_activity *activity, void *SEGUE_NULLABLE userdata);
  /** The responder's activity is another one, or there is none any more: set by you, on whatever thread, or ended by
   * the library. Comes once for all changes since the last dispatch, and not if they came to nothing. */
  void (*SEGUE_NULLABLE user_activity_changed)(
      segue_responder *responder, segue_activity *SEGUE_NULLABLE activity, void *SEGUE_NULLABLE userdata);
} segue_responder_methods;
#ifdef __cplusplus
#define SEGUE_RESPONDER_METHODS_INIT \
  { sizeof(segue_responder_methods), 0, 0, 0, 0 }
#else
#define SEGUE_RESPONDER_METHODS_INIT \
  { .struct_size = sizeof(segue_responder_methods) }
#endif
/** Empties the methods and sets struct_size. [any-thread] */
void segue_responder_methods_init(segue_responder_methods *methods, uint32_t struct_size);

/**
 * Makes a responder. [application-thread]
 * @param methods copied.
 * @param userdata handed to the methods.
 * @param destroy frees userdata when the responder is gone, or at once if this call fails.
 */
int segue_responder_new(
    segue_application *application, const segue_responder_methods *methods, void *SEGUE_NULLABLE userdata,
    segue_destroy_function SEGUE_NULLABLE destroy, SEGUE_OUT(segue_responder *) out_responder);

/** Adds a reference. [any-thread] */
segue_responder *segue_responder_ref(segue_responder *responder);
/** Drops a reference; returns NULL. The last one detaches the responder from its activity. [any-thread] */
segue_responder *SEGUE_NULLABLE segue_responder_unref(segue_responder *SEGUE_NULLABLE responder);

/**
 * Sets the activity that the responder has a part in, or detaches it with NULL. The activity becomes current, unless
 * the focus says otherwise (segue/window.h); the former one is invalidated if this was its last responder. -ESTALE if
 * the activity is invalid, -EINVAL if it is of another application. [any-thread]
 */
int segue_responder_set_user_activity(segue_responder *responder, segue_activity *SEGUE_NULLABLE activity);
/** The responder's activity. @param out_activity a reference of the caller's, or NULL where there is none.
 * [any-thread] */
int segue_responder_copy_user_activity(const segue_responder *responder, SEGUE_OUT(segue_activity *) out_activity);

/**
 * Puts a responder after this one in the chain, or none with NULL: the view that contains it, for instance, and after
 * the last view the window's controller. If this one has no activity, the next is asked. Not owned: when the last
 * reference to the next one is dropped, the link is gone. [application-thread]
 * @return -ELOOP, and nothing changes, if the responder comes after `next` already; -E2BIG past 256 in a row; -EINVAL
 * if `next` is of another application.
 */
int segue_responder_set_next_responder(segue_responder *responder, segue_responder *SEGUE_NULLABLE next);
/** The next responder. @param out_next a reference of the caller's, or NULL where there is none. [application-thread]
 */
int segue_responder_copy_next_responder(const segue_responder *responder, SEGUE_OUT(segue_responder *) out_next);

/** Calls the responder's update_user_activity_state now, in this call: its part comes into the activity's userInfo. The
 * library itself calls it when the state is asked for; this is for tests, and for applications that keep the state
 * elsewhere too. [application-thread]
 * @return for a plugin's object that could not save all (segue/hosting.h), the errno of the error that its did_fail
 * got: -EIO the plugin failed. */
int segue_responder_update(segue_responder *responder, segue_activity *activity);
/** Calls the responder's restore_user_activity_state now, in this call. [application-thread]
 * @return for a plugin's object that could not restore, and for a document with such an object, the errno of the error
 * that its did_fail got: -EINVAL the activity lacks something that is required, or something in it does not fit; -EIO
 * the plugin failed.
 */
int segue_responder_restore(segue_responder *responder, segue_activity *activity);

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
