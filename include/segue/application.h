/**
 * @file segue/application.h
 * The application: its delegate, and its place in your main loop.
 *
 *     segue_application *app;
 *     segue_application_new("com.example.Reader", NULL, &app, NULL);
 *     segue_application_set_delegate(app, &delegate, NULL, NULL);
 *     segue_application_ready(app);
 *     segue_application_run(app);
 *
 * Main loop: watch the descriptor of segue_application_get_fd for readability, for as long as the application lives,
 * and call segue_application_dispatch when it is readable. That is all; there are no timers and no writes to watch.
 * A program without a loop calls segue_application_run.
 *
 * Registration is asynchronous: no function here waits for the bus or for the daemon. state_changed tells how it goes.
 * The library keeps two connections: to the session bus, where it owns "<app id>.Segue" and is launched through the
 * service file of that name, and to the user's daemon, segued, which it starts where it does not run. When either is
 * gone, the application lives on, and the library comes back to them by itself.
 */
#ifndef SEGUE_APPLICATION_H
#define SEGUE_APPLICATION_H

#include "base.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

/** How registration stands. Open. */
typedef int32_t segue_application_state;
enum {
  SEGUE_APPLICATION_REGISTERING = 0, /**< on the way to the bus and the daemon */
  SEGUE_APPLICATION_REGISTERED = 1,  /**< registered: activities are offered, continuations arrive */
  /** Another process, or another application object of this one, has the same id and owns the name. Continuations go to
   * that one alone. Among the activities of both, the one that became current last is offered. When the other ends, the
   * name comes here. */
  SEGUE_APPLICATION_NAME_TAKEN = 2,
  /** The bus or the daemon is gone, and the library keeps trying; or one of them does not let the application in, as
   * the error says, and the library waits for another one. */
  SEGUE_APPLICATION_LOST = 3
};

/** Own the app id itself, and answer org.freedesktop.Application there. For programs without a toolkit that does. */
#define SEGUE_APPLICATION_OWN_APP_ID ((uint64_t)1)

/** How to make an application. */
typedef struct segue_application_options {
  uint32_t struct_size; /**< sizeof(segue_application_options) */
  uint32_t reserved;    /**< 0 */
  uint64_t flags;       /**< SEGUE_APPLICATION_… flags; unknown ones are refused */
  /** The session bus's address; NULL for the user's. Borrowed for the call. */
  const char *SEGUE_NULLABLE bus_address;
} segue_application_options;
#ifdef __cplusplus
#define SEGUE_APPLICATION_OPTIONS_INIT \
  { sizeof(segue_application_options), 0, 0, 0 }
#else
#define SEGUE_APPLICATION_OPTIONS_INIT \
  { .struct_size = sizeof(segue_application_options) }
#endif
/** Empties the options and sets their struct_size. [any-thread] */
void segue_application_options_init(segue_application_options *options, uint32_t struct_size);

/** The callbacks to the application. Every member may be NULL. */
typedef struct segue_application_delegate {
  uint32_t struct_size; /**< sizeof(segue_application_delegate) */
  uint32_t reserved;    /**< 0 */
  /**
   * The user has chosen to continue an activity here; its state is on the way. Show that something is coming. An
   * application whose last reference is dropped in here gets neither continue_activity nor did_fail: it is gone.
   * @return true if you show it yourself, false to leave it to the desktop.
   */
  bool (*SEGUE_NULLABLE will_continue)(
      segue_application *application, segue_continuation *continuation, void *SEGUE_NULLABLE userdata);
  /**
   * The activity is here. It is this application's own, a new object; keep a reference to go on with it. Make or find
   * the objects that own its state and hand them to the restoration handler, now or later. Until they have restored,
   * userInfo stays as it came, also where the activity is put on a responder before.
   * @return true if you take it; if not, a document that it names, and this device has, goes to open_document.
   */
  bool (*SEGUE_NULLABLE continue_activity)(
      segue_application *application, segue_activity *activity, segue_restoration *restoration,
      void *SEGUE_NULLABLE userdata);
  /** The activity will not come. Comes instead of continue_activity; show it unless the code is USER_CANCELLED. */
  void (*SEGUE_NULLABLE did_fail)(
      segue_application *application, segue_continuation *continuation, const segue_error *error,
      void *SEGUE_NULLABLE userdata);
  /** The responders of an activity have updated it: the last chance to add to its userInfo. */
  void (*SEGUE_NULLABLE did_update)(
      segue_application *application, segue_activity *activity, void *SEGUE_NULLABLE userdata);
  /** Registration has changed. @param error says why, for NAME_TAKEN and LOST; else NULL. */
  void (*SEGUE_NULLABLE state_changed)(
      segue_application *application, segue_application_state state, const segue_error *SEGUE_NULLABLE error,
      void *SEGUE_NULLABLE userdata);
  /** org.freedesktop.Application.Activate, with SEGUE_APPLICATION_OWN_APP_ID. @param activation_token may be "". */
  void (*SEGUE_NULLABLE activate)(
      segue_application *application, const char *activation_token, void *SEGUE_NULLABLE userdata);
  /** org.freedesktop.Application.Open, with SEGUE_APPLICATION_OWN_APP_ID. @param urls borrowed for the call. */
  void (*SEGUE_NULLABLE open_urls)(
      segue_application *application, const char *SEGUE_NONNULL const *SEGUE_NONNULL urls, size_t count,
      const char *activation_token, void *SEGUE_NULLABLE userdata);
  /** A line for the developer, for instance about a current activity that nobody held. Absent: the line goes to
   * standard error if the environment variable SEGUE_LOG is set, else nowhere. */
  void (*SEGUE_NULLABLE log)(segue_application *application, const char *line, void *SEGUE_NULLABLE userdata);
  /**
   * An activity with a target content identifier came, and no window prefers it or can show it (segue/window.h): make
   * one. Comes before continue_activity, which the window gets if it has that method. userInfo is whole.
   * @return borrowed: the application keeps its reference to the window. NULL: it goes to no window in particular.
   */
  segue_window *SEGUE_NULLABLE (*SEGUE_NULLABLE make_window)(
      segue_application *application, segue_activity *activity, void *SEGUE_NULLABLE userdata);
  /**
   * The activity names a document in a folder that both devices share, or is of this device; continue_activity is
   * absent or has not taken it. Any other file's URL under the document key is the other device's own path, and does
   * not come here. Open the file, or find the document that is open already, and hand it to the restoration handler
   * (segue_document_get_responder), with other objects or without, now or later. The activity is the application's own,
   * as in continue_activity; a document of that file goes on with it. The file was there a moment ago: it may lie in a
   * folder that is being synchronised.
   * @param url the file's, as this device has it; borrowed for the call.
   * @return whether you open it.
   */
  bool (*SEGUE_NULLABLE open_document)(
      segue_application *application, const char *url, segue_activity *activity, segue_restoration *restoration,
      void *SEGUE_NULLABLE userdata);
  /** The list of what the application may continue has changed (segue/offer.h); segue_application_copy_offers gives it.
   * It comes when the first list is there, if that has offers. Several changes may be one call. */
  void (*SEGUE_NULLABLE offers_changed)(segue_application *application, void *SEGUE_NULLABLE userdata);
} segue_application_delegate;
#ifdef __cplusplus
#define SEGUE_APPLICATION_DELEGATE_INIT \
  { sizeof(segue_application_delegate), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#else
#define SEGUE_APPLICATION_DELEGATE_INIT \
  { .struct_size = sizeof(segue_application_delegate) }
#endif
/** Empties a delegate and sets its struct_size. [any-thread] */
void segue_application_delegate_init(segue_application_delegate *delegate, uint32_t struct_size);

/**
 * Makes the application and begins to register it. The calling thread becomes its thread. [any-thread]
 * @param app_id the id of the application's desktop file, without ".desktop": a D-Bus name of at most 249 bytes.
 * @param options NULL for none.
 * @return -EINVAL malformed app id or options; -EIO if the system gives no descriptor.
 */
int segue_application_new(
    const char *app_id, const segue_application_options *SEGUE_NULLABLE options,
    SEGUE_OUT(segue_application *) out_application, SEGUE_OUT_NULLABLE(segue_error *) out_error);

/** Adds a reference. [any-thread] */
segue_application *segue_application_ref(segue_application *application);
/**
 * Drops a reference; returns NULL. The last one withdraws the application's offers and closes its connections; its
 * activities and responders then return -ESHUTDOWN. Inside a callback too: no callback comes after that one, not even
 * did_fail for a continuation that has begun, whose origin keeps its offer. The last one is dropped on the
 * application's thread. [application-thread]
 */
segue_application *SEGUE_NULLABLE segue_application_unref(segue_application *SEGUE_NULLABLE application);

/** Sets the delegate, or removes it with NULL. The struct is copied. [application-thread]
 * @param destroy frees userdata when the delegate is replaced or the application is gone, or if this call fails. */
int segue_application_set_delegate(
    segue_application *application, const segue_application_delegate *SEGUE_NULLABLE delegate,
    void *SEGUE_NULLABLE userdata, segue_destroy_function SEGUE_NULLABLE destroy);

/**
 * Says that the application is set up: from now on continuations are delivered, those that launched it first.
 * Call it once, when the delegate is set and the windows can be made; again is fine. [application-thread]
 */
int segue_application_ready(segue_application *application);

/**
 * Says what the application was launched for: the type of the activity whose continuation waits for
 * segue_application_ready; of the first, where several do. The bus sends it together with the name, so it is known when
 * the state is SEGUE_APPLICATION_REGISTERED: wait for that (segue_application_wait) where the first window depends on
 * it. [application-thread]
 * @param out_type the caller's, segue_free; NULL where nothing waits, and after segue_application_ready.
 */
int segue_application_copy_launch_type(const segue_application *application, SEGUE_OUT(char *) out_type);

/**
 * Makes the calling thread the application's thread, in place of the one that was. It is for a run-time system that
 * runs one queue of tasks on changing threads (Swift's main actor, a strand, a goroutine): call it when a task begins.
 * The caller sees to it that no other thread is in a call for the application's thread meanwhile, and that what
 * happened there is visible here, as a lock or a queue does. Calls of [any-thread] functions need no such care: this
 * one waits for those that take effect at once on the former thread. [any-thread]
 * @return -EDEADLK while another thread is in segue_application_dispatch, _wait or _run, and so in a callback.
 */
int segue_application_adopt_thread(segue_application *application);

/** The app id. Borrowed from the application. [any-thread] */
const char *SEGUE_NULLABLE segue_application_get_app_id(const segue_application *application);
/** How registration stands. [application-thread] */
segue_application_state segue_application_get_state(const segue_application *application);
/** The current activity. @param out_activity a reference of the caller's, or NULL where there is none.
 * [application-thread] */
int segue_application_copy_current_activity(
    const segue_application *application, SEGUE_OUT(segue_activity *) out_activity);

/* The window that the user works in (segue/window.h). */

/**
 * Says which window the user works in; NULL: none of the application's, which ends no offer. The application does not
 * own it. [application-thread]
 * @return -EINVAL if the window is of another application.
 */
int segue_application_set_main_window(segue_application *application, segue_window *SEGUE_NULLABLE window);

/** Why an activity is current. Open. */
typedef int32_t segue_current_reason;
enum {
  SEGUE_CURRENT_NONE = 0,     /**< none is */
  SEGUE_CURRENT_EXPLICIT = 1, /**< segue_activity_become_current was called */
  SEGUE_CURRENT_FOCUS = 2,    /**< it belongs to the main window's focused responder, or to one after that */
  SEGUE_CURRENT_DOCUMENT = 3, /**< it belongs to the main window's document */
  SEGUE_CURRENT_LAST_SET = 4, /**< there is no main window, and it was set on a responder last */
  SEGUE_CURRENT_WINDOW = 5    /**< it belongs to the main window itself (segue_window_get_responder) */
};
/**
 * Which activity is current, and why; `segue explain` shows the same sentence. [application-thread]
 * @param out_activity a reference of the caller's, or NULL where none is current.
 * @param out_sentence the same for a developer, in English; the caller's, segue_free.
 * @return why.
 */
segue_current_reason segue_application_explain_current(
    const segue_application *application, SEGUE_OUT(segue_activity *) out_activity, SEGUE_OUT(char *) out_sentence);

/* Offers of other devices, and of other applications of this device (segue/offer.h). */

/**
 * The offers that the application may continue now, at most 64: first those of other devices, the newest first, then
 * those of this device, then stored ones of devices that are out of reach. The list changes inside
 * segue_application_dispatch only. [application-thread]
 * @param out_offers an array of the caller's, segue_free, with a reference of the caller's to each offer,
 *     segue_offer_unref; NULL where there is none.
 * @param out_count how many there are; 0 at the first call, if the delegate has no offers_changed: they come later.
 */
int segue_application_copy_offers(
    segue_application *application, SEGUE_OUT(segue_offer *SEGUE_NONNULL *) out_offers, size_t *out_count);

/* The main loop. */

/** The descriptor to watch for readability; the library's own, never closed by you. [application-thread] */
int segue_application_get_fd(const segue_application *application);
/** Does what there is to do, callbacks included, and returns without waiting: the number of events handled.
 * -EDEADLK inside a callback. [application-thread] */
int segue_application_dispatch(segue_application *application);
/** Waits for something to do, at most so long, and dispatches. @param milliseconds -1 for ever. Returns as
 * segue_application_dispatch; 0 on time-out or wake. [application-thread] */
int segue_application_wait(segue_application *application, int32_t milliseconds);
/** Waits and dispatches until segue_application_quit; 0 then. Where standard error is a terminal, and neither a log
 * callback nor SEGUE_LOG takes lines, it says there once why the application is not registered, or that a continuation
 * waits for segue_application_ready. [application-thread] */
int segue_application_run(segue_application *application);
/** Makes segue_application_run return, also one that is called later. [any-thread] */
int segue_application_quit(segue_application *application);
/** Makes a segue_application_wait on the application's thread return. [any-thread] */
int segue_application_wake(segue_application *application);

/* Stored copies of activities; persistent identifiers name them (segue/activity.h). */

/**
 * Deletes the application's stored copies of activities with these persistent identifiers, for instance because the
 * user has deleted what they show. Identifiers that have none are fine. [application-thread]
 * @param ids may be NULL if count is 0.
 * @param count at most 256, of 512 bytes each, else -E2BIG; so is a call while 64 are under way.
 * @param completion called when they are deleted or marked for deletion, or within 25 seconds if the daemon could not
 *     be reached (SEGUE_ERROR_CONNECTION_UNAVAILABLE); not called if this call fails. NULL: no notification.
 */
int segue_application_delete_saved(
    segue_application *application, const char *SEGUE_NONNULL const *SEGUE_NULLABLE ids, size_t count,
    segue_completion_function SEGUE_NULLABLE completion, void *SEGUE_NULLABLE userdata,
    segue_destroy_function SEGUE_NULLABLE destroy);
/** The same for all stored copies of the application, for instance when the user logs out of it. [application-thread]
 */
int segue_application_delete_all_saved(
    segue_application *application, segue_completion_function SEGUE_NULLABLE completion, void *SEGUE_NULLABLE userdata,
    segue_destroy_function SEGUE_NULLABLE destroy);

/* Back where the user was: the states of activities that are eligible for restoration (segue/activity.h). */

/**
 * Gives the states that an earlier run of this application has stored. Called once, inside segue_application_dispatch;
 * if the application closes before, inside segue_application_unref, with NULL for it.
 * @param activities count activities, that of the latest state first; NULL where there are none. Borrowed for the call:
 *     keep a reference to those that are used, the others stay stored. Each is a new object that is this application's
 *     own, with the title, userInfo, webpage URL, keywords, identifiers and expiration date of the former one, eligible
 *     for the same, without a delegate, and with nothing to save. Restore your objects from it, by the function that a
 *     responder restores by, then set it on a responder, or make it current. Invalidate it if its window is not to come
 *     back.
 * @param error NULL: these are all that there are, perhaps none. Borrowed for the call.
 */
typedef void (*segue_states_function)(
    segue_application *SEGUE_NULLABLE application, segue_activity *SEGUE_NONNULL const *SEGUE_NULLABLE activities,
    size_t count, const segue_error *SEGUE_NULLABLE error, void *SEGUE_NULLABLE userdata);

/**
 * Asks for the states that this application stored before it ended, or crashed; call it when it starts, before or after
 * segue_application_ready. An application gets states of its own id alone, none that another process of it has stored
 * which still runs, and none that has expired. This is no continuation: nobody is told, and no other callback comes.
 * [application-thread]
 * @param type of the activities; NULL: any. -EINVAL if it is malformed.
 * @param target_content_identifier of the window; NULL: any. Up to 512 bytes, else -E2BIG.
 * @param maximum how many are wanted, the latest first: 1 for the last state; at most 64 are given. -EINVAL for 0.
 * @param callback gets them; or the error: at once if the daemon cannot be started, or its store cannot be read, and
 *     SEGUE_ERROR_CONNECTION_UNAVAILABLE after 5 seconds at the latest. Not called if this call fails.
 * @return -E2BIG too while 16 questions are under way.
 */
int segue_application_get_last_states(
    segue_application *application, const char *SEGUE_NULLABLE type,
    const char *SEGUE_NULLABLE target_content_identifier, size_t maximum, segue_states_function callback,
    void *SEGUE_NULLABLE userdata, segue_destroy_function SEGUE_NULLABLE destroy);

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
