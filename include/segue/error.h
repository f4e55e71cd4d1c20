/**
 * @file segue/error.h
 * An error: a stable code for the program, a sentence for a person, and what to do about it.
 */
#ifndef SEGUE_ERROR_H
#define SEGUE_ERROR_H

#include "base.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

/**
 * The kind of failure. Open: a newer library may know more codes. A function that fails with an error returns the
 * negative errno that stands beside the error's code below, or -EIO where none does.
 */
typedef int32_t segue_error_code;
enum {
  /* The codes that Apple's NSUserActivity uses, with the same numbers and meanings. */
  SEGUE_ERROR_USER_CANCELLED = 3072,               /**< the user chose something else; do not show it */
  SEGUE_ERROR_HANDOFF_FAILED = 4608,               /**< the activity's data was not available */
  SEGUE_ERROR_CONNECTION_UNAVAILABLE = 4609,       /**< the other device, the bus or the daemon cannot be reached */
  SEGUE_ERROR_REMOTE_APPLICATION_TIMED_OUT = 4610, /**< the application on the other device did not answer in time */
  SEGUE_ERROR_HANDOFF_USER_INFO_TOO_LARGE = 4611,  /**< -E2BIG: userInfo exceeds 100 KiB when encoded */
  /* Ours. */
  SEGUE_ERROR_INVALID_ARGUMENT = 9001,   /**< -EINVAL: an argument, a message or a file is malformed */
  SEGUE_ERROR_NOT_FOUND = 9002,          /**< -ENOENT: what was named does not exist any more */
  SEGUE_ERROR_INVALIDATED = 9003,        /**< -ESTALE: the activity was invalidated */
  SEGUE_ERROR_ACCESS_DENIED = 9004,      /**< -EACCES: not allowed */
  SEGUE_ERROR_LIMIT_EXCEEDED = 9005,     /**< -E2BIG: a limit was reached; docs/limits.md lists them */
  SEGUE_ERROR_NO_APPLICATION = 9006,     /**< no installed application can continue the activity */
  SEGUE_ERROR_LAUNCH_FAILED = 9007,      /**< the application could not be launched */
  SEGUE_ERROR_LAUNCH_TIMED_OUT = 9008,   /**< the application was launched but did not claim the continuation */
  SEGUE_ERROR_APPLICATION_EXITED = 9009, /**< the application ended before the continuation did */
  SEGUE_ERROR_NAME_TAKEN = 9010,         /**< another process owns the application's name */
  SEGUE_ERROR_VERSION_MISMATCH = 9011,   /**< the two sides have no version in common */
  SEGUE_ERROR_PROTOCOL_VIOLATION = 9012, /**< -EBADMSG: the other side broke the protocol */
  SEGUE_ERROR_SYSTEM = 9013,             /**< the operating system refused */
  SEGUE_ERROR_NOT_HANDLED = 9014,        /**< the application did not take the activity */
  SEGUE_ERROR_PLUGIN_FAILED = 9015,      /**< a plugin did not do what it says, or said that it could not */
  SEGUE_ERROR_WRONG_THREAD = 9016,       /**< -EPERM: the application belongs to another thread */
  SEGUE_ERROR_AFTER_FORK = 9017,         /**< -ECHILD: it belongs to the process that this one was forked from */
  SEGUE_ERROR_CLOSED = 9018              /**< -ESHUTDOWN: it is closed */
};

/** Adds a reference. [any-thread] */
segue_error *segue_error_ref(segue_error *error);

/** Drops a reference; returns NULL. [any-thread] */
segue_error *SEGUE_NULLABLE segue_error_unref(segue_error *SEGUE_NULLABLE error);

/** The code; 0 for NULL. [any-thread] */
segue_error_code segue_error_get_code(const segue_error *SEGUE_NULLABLE error);

/** The error's name on the bus, "org.segue.Error.HandoffFailed". Borrowed from the error; "" for NULL. [any-thread] */
const char *segue_error_get_name(const segue_error *SEGUE_NULLABLE error);

/** A sentence for a person, in English. Borrowed from the error; "" for NULL. [any-thread] */
const char *segue_error_get_message(const segue_error *SEGUE_NULLABLE error);

/** Advice on what to do about it, in English; every error has some. Borrowed from the error; "" for NULL.
 * [any-thread] */
const char *segue_error_get_advice(const segue_error *SEGUE_NULLABLE error);

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
