/**
 * @file segue/base.h
 * The rules that hold for every function of Segue. Read this page first; the other headers only add to it.
 *
 * Names.       Functions are called segue_<object>_<verb>, and stand in segue/<object>.h; those of plugins and their
 *              objects, for applications, in segue/hosting.h. Types of functions end in _function. Everything that is
 *              public is in these headers.
 *
 * Results.     Functions that can fail return int: 0 or positive is success, a negative value is an errno code
 *              (-EINVAL and so on). A positive value is an outcome that the function documents. Every function that
 *              takes a handle also returns -EINVAL for NULL where none is allowed or for a handle of another kind.
 *              Every function of an application, or of what belongs to one (so not those of values and errors), also
 *              returns -ECHILD after fork(2) in the child, -EPERM on the wrong thread, and -ESHUTDOWN once the
 *              application is gone. The functions below do not repeat these. A kind, state or reason is the result
 *              itself; none is negative, so that a negative result is a failure here too. Out-parameters are named
 *              out_…, stand last, are set on success and left alone on failure.
 *
 * Yes or no.   A function that only answers, _is_… and the like, returns bool: false on any trouble too. Every truth
 *              value is a bool, one byte that is 0 or 1.
 *
 * Errors.      Where a reason matters, the last parameter is segue_error **out_error. It may be NULL. Every failure
 *              sets it to an error that the caller owns (segue_error_unref). See segue/error.h.
 *
 * Ownership.   Handles are counted: _new and _copy_… give the caller a reference, _ref adds one and gives back its
 *              argument, _unref drops one, takes NULL, and returns NULL. Handles may be dropped in any order. A handle
 *              that a callback receives is borrowed for the call; _ref it to keep it. A freed handle must not be used.
 *
 * Text.        UTF-8, without NUL inside, NUL at the end, at most 64 KiB, else -E2BIG. Text passed in is borrowed for
 *              the call. Text that comes out of a _get_… function is borrowed until the object that gave it is gone (or
 *              until what the function says); text from a _copy_… function belongs to the caller, who gives it back
 *              with segue_free.
 *
 * NULL.        A pointer may be NULL only where SEGUE_NULLABLE stands; elsewhere NULL is -EINVAL, also for text,
 *              structs and out-parameters. A function that returns a pointer gives NULL, or "" for text, for a bad
 *              handle.
 *
 * Callbacks.   Always a function, its userdata as last argument, and a destroy function for the userdata, which runs
 *              exactly once on every path, also where the registering call fails. Callbacks run only inside
 *              segue_application_dispatch (and _wait and _run, which call it), never inside another call of yours
 *              (but segue_responder_update and _restore, which are there for that, and the completions that the last
 *              segue_application_unref calls) and never on a thread of ours: the library has no thread. A callback may
 *              call any function of the library, drop its own registration, or drop the application.
 *
 * Dropped.     When the last reference to an object is dropped on the application's thread, nothing is called for it
 *              any more; its userdata is destroyed then, or at the next dispatch. When another thread drops it, nothing
 *              is called for it from the moment its userdata is destroyed.
 *
 * Threads.     [application-thread] is the thread that called segue_application_new, or that called
 *              segue_application_adopt_thread last. [any-thread] functions may be called from every thread at once;
 *              what they change in the application takes effect at once on its thread, from another one at the next
 *              dispatch. Every function carries one of the two tags. Objects that are called "plain" belong to no
 *              thread: one thread at a time may use each.
 *
 * Structs.     Structs that you fill begin with struct_size. Set it with the _INIT macro or the _init function, so that
 *              a newer library knows what you know. Non-zero bytes that the library does not know are refused.
 *
 * The host.    No function ends your process, prints (unless SEGUE_LOG is set; and segue_application_run says once in a
 *              terminal why the application cannot take part), sets a signal handler, starts a thread, or changes the
 *              locale. A dead bus, a dead daemon and a malformed message end in an error or in nothing.
 *              One exception: where the system refuses memory, a signal ends the process, in the call that needs it.
 *              Limits on everything that others send keep them from causing that.
 */
#ifndef SEGUE_BASE_H
#define SEGUE_BASE_H

/* C++ has bool of itself, C99 from here; both are one byte. */
#ifndef __cplusplus
#include <stdbool.h>
#endif
#include <stddef.h>
#include <stdint.h>

/* Nullability, for the compilers that check it. A pointer that carries neither word may not be NULL. */
#if defined(__clang__)
#define SEGUE_NULLABLE _Nullable
#define SEGUE_NONNULL _Nonnull
#define SEGUE_BEGIN_NONNULL _Pragma("clang assume_nonnull begin")
#define SEGUE_END_NONNULL _Pragma("clang assume_nonnull end")
#define SEGUE_BEGIN_QUIET \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wnullability-extension\"")
#define SEGUE_END_QUIET _Pragma("clang diagnostic pop")
#else
#define SEGUE_NULLABLE
#define SEGUE_NONNULL
#define SEGUE_BEGIN_NONNULL
#define SEGUE_END_NONNULL
#define SEGUE_BEGIN_QUIET
#define SEGUE_END_QUIET
#endif

/* The out-parameter for a pointer: SEGUE_OUT(char *) out_title is char **out_title. For SEGUE_OUT_NULLABLE the caller
 * may pass NULL, and does not get the pointer. */
#define SEGUE_OUT(pointer) pointer SEGUE_NULLABLE *SEGUE_NONNULL
#define SEGUE_OUT_NULLABLE(pointer) pointer SEGUE_NULLABLE *SEGUE_NULLABLE

#ifdef __cplusplus
#define SEGUE_BEGIN_DECLS \
  extern "C" {            \
  SEGUE_BEGIN_QUIET
#define SEGUE_END_DECLS \
  SEGUE_END_QUIET       \
  }
#else
#define SEGUE_BEGIN_DECLS SEGUE_BEGIN_QUIET
#define SEGUE_END_DECLS SEGUE_END_QUIET
#endif

SEGUE_BEGIN_DECLS

typedef struct segue_application segue_application;
typedef struct segue_activity segue_activity;
typedef struct segue_responder segue_responder;
typedef struct segue_window segue_window;
typedef struct segue_document segue_document;
typedef struct segue_continuation segue_continuation;
typedef struct segue_restoration segue_restoration;
typedef struct segue_value segue_value;
typedef struct segue_error segue_error;
typedef struct segue_plugin segue_plugin;
typedef struct segue_plugin_object segue_plugin_object;
typedef struct segue_offer segue_offer;

/** Frees a userdata. Runs exactly once: on the application's thread, in the call that failed, or, once the application
 * is gone, on the thread that drops the last reference. */
typedef void (*segue_destroy_function)(void *SEGUE_NULLABLE userdata);

/**
 * Reports that a request has been carried out, or has failed. Called once, inside segue_application_dispatch; if the
 * application closes before, inside segue_application_unref.
 * @param application NULL if it is closing.
 * @param error NULL: done. Borrowed for the call.
 */
typedef void (*segue_completion_function)(
    segue_application *SEGUE_NULLABLE application, const segue_error *SEGUE_NULLABLE error,
    void *SEGUE_NULLABLE userdata);

/**
 * Gives back memory that a _copy_… function returned. [any-thread]
 * @param memory NULL is allowed.
 */
void segue_free(void *SEGUE_NULLABLE memory);

SEGUE_END_DECLS

#endif
