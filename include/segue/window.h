/**
 * @file segue/window.h
 * Windows and focus: the application says what the user works in, so that the library knows which activity is current.
 *
 *     segue_window_new(app, &methods, view, NULL, &window);
 *     segue_application_set_main_window(app, window);       when your toolkit says that it is active, or NULL: none is
 *     segue_window_set_focused_responder(window, editor);   when the focus moves within it
 *
 * Which activity is current:
 *
 * - The library goes from the main window's focused responder up the chain of next responders
 *   (segue_responder_set_next_responder) to the first that has an activity; that one is current. If none has one, it is
 *   the window's own activity (segue_window_get_responder), then that of the window's document, and otherwise none:
 *   the content of another window is not in front of the user. The library looks again whenever the main window, the
 *   focus, the chain, the document or a responder's activity changes.
 * - segue_activity_become_current wins over that, and segue_activity_resign_current too, until the focus next changes:
 *   until another window becomes the main one, or another responder the focused one of the main window. An activity
 *   that was made current so and is then invalidated gives way at once; after segue_activity_resign_current a responder
 *   that is given an activity ends the wait too.
 * - An application that has named no main window, or whose main window is gone, has for its current activity the one
 *   that was set on a responder last and still is on it, or that segue_activity_become_current was called for since.
 * - When the desktop's focus goes to another application, segue_application_set_main_window(app, NULL), the window that
 *   was the main one goes on to decide: the user may well reach for the other device from there.
 *
 * segue_application_explain_current says which activity is current, and why. An application without windows, or one
 * that makes every activity current by itself, needs none of this.
 */
#ifndef SEGUE_WINDOW_H
#define SEGUE_WINDOW_H

#include "base.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

/**
 * The callbacks of a window. The library asks the windows about an activity that arrives with a target content
 * identifier, for instance a message's id, in this order: the main one, then the others from the one that was the main
 * one last. The activity goes to the first that prefers it, else to the first that can show it, else the library asks
 * the application to make one (make_window in segue/application.h). Every member may be NULL.
 */
typedef struct segue_window_methods {
  uint32_t struct_size; /**< sizeof(segue_window_methods) */
  uint32_t reserved;    /**< 0 */
  /** Whether the window shows this already, or is the best place for it. NULL: never. */
  bool (*SEGUE_NULLABLE prefers_content)(
      segue_window *window, const char *target_content_identifier, void *SEGUE_NULLABLE userdata);
  /** Whether the window could show it. NULL: always. */
  bool (*SEGUE_NULLABLE can_show_content)(
      segue_window *window, const char *target_content_identifier, void *SEGUE_NULLABLE userdata);
  /** As continue_activity of the application's delegate, which is called in its place if this is NULL; the two are
   * never called for the same continuation. segue_restoration_copy_window tells the window there. */
  bool (*SEGUE_NULLABLE continue_activity)(
      segue_window *window, segue_activity *activity, segue_restoration *restoration, void *SEGUE_NULLABLE userdata);
  /* The window is a responder too; these three are as in segue/responder.h. */
  void (*SEGUE_NULLABLE update_user_activity_state)(
      segue_window *window, segue_activity *activity, void *SEGUE_NULLABLE userdata);
  void (*SEGUE_NULLABLE restore_user_activity_state)(
      segue_window *window, segue_activity *activity, void *SEGUE_NULLABLE userdata);
  void (*SEGUE_NULLABLE user_activity_changed)(
      segue_window *window, segue_activity *SEGUE_NULLABLE activity, void *SEGUE_NULLABLE userdata);
} segue_window_methods;
#ifdef __cplusplus
#define SEGUE_WINDOW_METHODS_INIT \
  { sizeof(segue_window_methods), 0, 0, 0, 0, 0, 0, 0 }
#else
#define SEGUE_WINDOW_METHODS_INIT \
  { .struct_size = sizeof(segue_window_methods) }
#endif
/** Empties the methods and sets struct_size. [any-thread] */
void segue_window_methods_init(segue_window_methods *methods, uint32_t struct_size);

/**
 * Makes a window: the library's name for one of the application's own. [application-thread]
 * @param methods copied.
 * @param userdata handed to the methods.
 * @param destroy frees userdata when the window is gone, or at once if this call fails.
 */
int segue_window_new(
    segue_application *application, const segue_window_methods *methods, void *SEGUE_NULLABLE userdata,
    segue_destroy_function SEGUE_NULLABLE destroy, SEGUE_OUT(segue_window *) out_window);

/** Adds a reference. [any-thread] */
segue_window *segue_window_ref(segue_window *window);
/** Drops a reference; returns NULL. With the last one the window is gone; so drop it when the window closes. If it was
 * the main one, the application has none. [any-thread] */
segue_window *SEGUE_NULLABLE segue_window_unref(segue_window *SEGUE_NULLABLE window);

/**
 * The window as a responder: the same object, for whatever takes a responder. It stands behind the chain of the
 * window's focus, without being put there; its activity is that of what the whole window shows. Borrowed; NULL for a
 * bad handle. [any-thread]
 */
segue_responder *SEGUE_NULLABLE segue_window_get_responder(segue_window *window);

/**
 * Says which responder of the window has the focus; NULL: none. A window that is not the main one keeps it for the time
 * when it is. The window does not own it: the last reference to it takes the focus with it. [application-thread]
 * @return -EINVAL if the responder is of another application.
 */
int segue_window_set_focused_responder(segue_window *window, segue_responder *SEGUE_NULLABLE responder);
/** The responder that has the focus. @param out_responder a reference of the caller's, or NULL where there is none.
 * [application-thread] */
int segue_window_copy_focused_responder(const segue_window *window, SEGUE_OUT(segue_responder *) out_responder);

/**
 * Says which document the window shows (segue/document.h): while it is the main window, and no responder of the chain
 * of its focus has an activity, the document's is current. @param document NULL: none. [application-thread]
 */
int segue_window_set_document(segue_window *window, segue_document *SEGUE_NULLABLE document);

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
