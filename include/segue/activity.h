/**
 * @file segue/activity.h
 * An activity: what the user is doing, so that another device can take it over.
 *
 * An activity has a type (fixed), a title, userInfo (the state), perhaps a webpage URL. One activity of an application
 * is current; that one is on offer to the user's other devices. Only a small offer leaves this device until somebody
 * chooses it: id, type, title, application. userInfo is asked for at that moment: the library calls the responders and
 * delegates that have something to save, if segue_activity_set_needs_save was set since, and sends what userInfo then
 * holds. So set needs_save at every change; it costs nothing. They are called once before the activity is first offered
 * too, if needs_save is set by then, since the title may come from there; not before it is eligible for hand-off.
 *
 * Setters and getters may be called from any thread; a snapshot sees each call wholly or not at all. After
 * segue_activity_invalidate, setters return -ESTALE.
 */
#ifndef SEGUE_ACTIVITY_H
#define SEGUE_ACTIVITY_H

#include "base.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

/** The type of a web page in a browser. */
#define SEGUE_ACTIVITY_TYPE_BROWSING_WEB "org.segue.BrowsingWeb"
/** SEGUE_ACTIVITY_TYPE_BROWSING_WEB, for languages without macros. Static. [any-thread] */
const char *segue_activity_type_browsing_web(void);

/** segue_activity_become_current's outcome on an invalidated activity: nothing was done. */
#define SEGUE_ACTIVITY_IS_INVALID 1

/** Why the save callbacks run. Open. */
typedef int32_t segue_save_reason;
enum {
  SEGUE_SAVE_REASON_NONE = 0,       /**< they do not */
  SEGUE_SAVE_REASON_OFFER = 1,      /**< the activity is about to be offered; nobody has asked for its state yet */
  SEGUE_SAVE_REASON_REQUEST = 2,    /**< somebody continues the activity now */
  SEGUE_SAVE_REASON_SNAPSHOT = 3,   /**< to be kept, for when the application has gone */
  SEGUE_SAVE_REASON_SEARCH = 4,     /**< to be stored for search on this device */
  SEGUE_SAVE_REASON_RESTORATION = 5 /**< to be stored for this application's own return */
};

/** An answer of check_version. Open; the library treats a value that it does not know as refused. */
typedef int32_t segue_version_verdict;
enum {
  SEGUE_VERSION_AGREES = 0,  /**< continue */
  SEGUE_VERSION_REFUSED = 1, /**< the other device gets SEGUE_ERROR_ACCESS_DENIED */
  SEGUE_VERSION_MISMATCH = 2 /**< the other device gets SEGUE_ERROR_VERSION_MISMATCH: one of them is to be updated */
};

/** The callbacks of an activity to its owner. Every member may be NULL. */
typedef struct segue_activity_delegate {
  uint32_t struct_size; /**< sizeof(segue_activity_delegate) */
  uint32_t reserved;    /**< 0 */
  /** The activity is about to be sent; bring userInfo up to date. Last in the round, after responders. */
  void (*SEGUE_NULLABLE will_save)(segue_activity *activity, void *SEGUE_NULLABLE userdata);
  /** Another device, or another application, has continued the activity. Once for each successful continuation, however
   * long it took, and also when the activity is not current any more; not after invalidate. */
  void (*SEGUE_NULLABLE was_continued)(segue_activity *activity, void *SEGUE_NULLABLE userdata);
  /**
   * Somebody continues the activity with an application that states this version of its type (in its desktop file,
   * X-Segue-ActivityVersions). Called before each save that somebody waits for. Absent: every version agrees.
   * @param version 0 where it states none.
   */
  segue_version_verdict (*SEGUE_NULLABLE check_version)(
      segue_activity *activity, uint64_t version, void *SEGUE_NULLABLE userdata);
  /**
   * The application that continues the activity has asked for streams (segue/stream.h): this is the pair of this side,
   * for this application to close. Called once for each request. A request made inside continue_activity comes before
   * was_continued. Absent: every request fails, with an error that says so.
   */
  void (*SEGUE_NULLABLE did_receive_streams)(
      segue_activity *activity, int input, int output, void *SEGUE_NULLABLE userdata);
} segue_activity_delegate;
#ifdef __cplusplus
#define SEGUE_ACTIVITY_DELEGATE_INIT \
  { sizeof(segue_activity_delegate), 0, 0, 0, 0, 0 }
#else
#define SEGUE_ACTIVITY_DELEGATE_INIT \
  { .struct_size = sizeof(segue_activity_delegate) }
#endif
/** Empties a delegate and sets its struct_size. [any-thread] */
void segue_activity_delegate_init(segue_activity_delegate *delegate, uint32_t struct_size);

/**
 * Makes an activity. It is on offer only after segue_activity_become_current, or on a responder. [application-thread]
 * @param type two or more elements of A-Z a-z 0-9 _ - joined by single dots, at most 255 bytes; by convention
 *     company.app.activity, or company.activity where several applications share it. -EINVAL otherwise.
 */
int segue_activity_new(
    segue_application *application, const char *type, SEGUE_OUT(segue_activity *) out_activity,
    SEGUE_OUT_NULLABLE(segue_error *) out_error);

/** Adds a reference. [any-thread] */
segue_activity *segue_activity_ref(segue_activity *activity);
/**
 * Drops a reference; returns NULL. Dropping the last one of an activity that is current, and on no responder,
 * withdraws it and logs a warning: keep it as long as the user does what it describes. [any-thread]
 */
segue_activity *SEGUE_NULLABLE segue_activity_unref(segue_activity *SEGUE_NULLABLE activity);

/** Sets the delegate, or removes it with NULL. The struct is copied. [application-thread] */
int segue_activity_set_delegate(
    segue_activity *activity, const segue_activity_delegate *SEGUE_NULLABLE delegate, void *SEGUE_NULLABLE userdata,
    segue_destroy_function SEGUE_NULLABLE destroy);

/* The activity's identity. [any-thread] */

/** The type. Borrowed from the activity. */
const char *SEGUE_NULLABLE segue_activity_get_type(const segue_activity *activity);
/** The 128-bit id: new for each object, never reused. @param out_bytes room for 16 bytes. */
int segue_activity_get_id(const segue_activity *activity, uint8_t *out_bytes);
/** A number that grows with each snapshot that differs from the last: if something was set since, or needs_save. */
int segue_activity_get_revision(const segue_activity *activity, uint64_t *out_revision);
/**
 * The id and the revision of the activity that this one continues, until this one's first change.
 * @param out_bytes room for the 16 bytes of that id.
 * @return -ENOENT if this activity was made here, or has changed since.
 */
int segue_activity_get_continued_from(const segue_activity *activity, uint8_t *out_bytes, uint64_t *out_revision);
/** Whether this is the application's current activity. */
bool segue_activity_is_current(const segue_activity *activity);
/** Whether segue_activity_invalidate was called, or done by the library. */
bool segue_activity_is_invalid(const segue_activity *activity);

/* The parts that the user sees. [any-thread] */

/** Sets the title. @param title up to 512 bytes, else -E2BIG; NULL: none, the application's name is shown. */
int segue_activity_set_title(segue_activity *activity, const char *SEGUE_NULLABLE title);
/** The title. @param out_title the caller's, or NULL where there is none; segue_free. */
int segue_activity_copy_title(const segue_activity *activity, SEGUE_OUT(char *) out_title);
/**
 * Sets the web page that shows the same: a browser opens it where the application there does not take the activity.
 * The library keeps it unchanged, query and fragment included.
 * @param url http or https, with a host in ASCII and no user name, else -EINVAL; over 2048 bytes: -E2BIG. A call that
 *   fails changes nothing. NULL: none.
 */
int segue_activity_set_webpage_url(segue_activity *activity, const char *SEGUE_NULLABLE url);
/** The webpage URL. @param out_url the caller's, or NULL where there is none; segue_free. */
int segue_activity_copy_webpage_url(const segue_activity *activity, SEGUE_OUT(char *) out_url);
/**
 * Sets the web page that led the user to webpage_url. It stays with this object.
 * @param url http or https, else -EINVAL and nothing changes; NULL: none.
 */
int segue_activity_set_referrer_url(segue_activity *activity, const char *SEGUE_NULLABLE url);
/** The referrer URL. @param out_url the caller's, or NULL where there is none; segue_free. */
int segue_activity_copy_referrer_url(const segue_activity *activity, SEGUE_OUT(char *) out_url);
/**
 * Sets the words by which a stored copy is found, in place of the former ones; they do not leave this device.
 * @param keywords may be NULL if count is 0.
 * @param count at most 64, of 128 bytes each, else -E2BIG.
 */
int segue_activity_set_keywords(
    segue_activity *activity, const char *SEGUE_NONNULL const *SEGUE_NULLABLE keywords, size_t count);
/** The keywords. @param out_keywords the caller's, one block for one segue_free; NULL where there are none. */
int segue_activity_copy_keywords(
    const segue_activity *activity, SEGUE_OUT(char *SEGUE_NONNULL *) out_keywords, size_t *out_count);
/** Says which window the activity goes to (segue/window.h). Does not count as a change. @param identifier up to 512
 * bytes, else -E2BIG; NULL: any. */
int segue_activity_set_target_content_identifier(segue_activity *activity, const char *SEGUE_NULLABLE identifier);
/** The target content identifier. @param out_identifier the caller's, or NULL where there is none; segue_free. */
int segue_activity_copy_target_content_identifier(const segue_activity *activity, SEGUE_OUT(char *) out_identifier);

/* Where it may go, and for how long. [any-thread] */

/** Whether other devices may be offered it: true at first. Not eligible means never offered. */
int segue_activity_set_eligible_for_handoff(segue_activity *activity, bool eligible);
/** Whether other devices may be offered it. */
bool segue_activity_is_eligible_for_handoff(const segue_activity *activity);
/**
 * Whether its state is stored for this application itself, which gets it back by segue_application_get_last_states
 * after a crash or a new login: false at first. It stays on this device, also where the activity is not eligible for
 * hand-off: a private window just leaves it false. The state is saved, with SEGUE_SAVE_REASON_RESTORATION, when the
 * activity becomes current, at most every 10 seconds after a change, and when it is resigned. A later state of the same
 * type, target content identifier and persistent identifier takes its place: give each window one of the two. It is
 * removed when the activity is invalidated, so that a window which the user has closed does not come back; an
 * application that ends does not invalidate what is to come back. docs/state-restoration.md tells the rest.
 */
int segue_activity_set_eligible_for_restoration(segue_activity *activity, bool eligible);
/** Whether its state is stored for this application itself. */
bool segue_activity_is_eligible_for_restoration(const segue_activity *activity);
/** Whether a copy is stored so that the user can search for it on this device: false at first. */
int segue_activity_set_eligible_for_search(segue_activity *activity, bool eligible);
/** Whether a copy is stored for search. */
bool segue_activity_is_eligible_for_search(const segue_activity *activity);
/** Whether the activity's content is public, for programs that index it: false at first. Segue only keeps this flag. */
int segue_activity_set_eligible_for_public_indexing(segue_activity *activity, bool eligible);
/** Whether it is said to be public. */
bool segue_activity_is_eligible_for_public_indexing(const segue_activity *activity);
/** Whether the user may be reminded of it at a fitting time: false at first. Segue only keeps this flag. */
int segue_activity_set_eligible_for_prediction(segue_activity *activity, bool eligible);
/** Whether the user may be reminded of it. */
bool segue_activity_is_eligible_for_prediction(const segue_activity *activity);
/**
 * Whether its last snapshot may be kept, so that it can be continued after the application has gone: false at first.
 * The state is then saved in advance too, with SEGUE_SAVE_REASON_SNAPSHOT. The user's settings have a say too.
 */
int segue_activity_set_allows_snapshot(segue_activity *activity, bool allowed);
/** Whether its last snapshot may be kept. */
bool segue_activity_allows_snapshot(const segue_activity *activity);

/**
 * Sets when it expires: its offer ends at that instant, and stored copies are removed. It stays current; with a later
 * date it is offered again. The date also holds for an activity that is not current any more, and is stored or can
 * still be taken. This call looks the date up on the clock; if the clock is set afterwards, the instant stays where it
 * was, and time in which the machine sleeps counts. Other devices get the time that is left, since clocks differ.
 * @param seconds since 1970-01-01T00:00:00Z; HUGE_VAL: never, as at first; one that has passed: at once. -EINVAL for
 *     not a number.
 */
int segue_activity_set_expiration_date(segue_activity *activity, double seconds);
/** The date that was set, HUGE_VAL for never. */
int segue_activity_get_expiration_date(const segue_activity *activity, double *out_seconds);

/* userInfo: a dictionary that is never absent, at first empty. Over 3 KiB there is a warning in the log, over 100 KiB
 * a continuation fails with SEGUE_ERROR_HANDOFF_USER_INFO_TOO_LARGE. [any-thread] */

/** Replaces userInfo. @param dictionary copied; NULL empties. -ENXIO for another kind, -E2BIG past a limit. */
int segue_activity_set_user_info(segue_activity *activity, const segue_value *SEGUE_NULLABLE dictionary);
/** Adds entries; where a key exists already, the new value wins, the other keys stay. */
int segue_activity_add_user_info_entries(segue_activity *activity, const segue_value *dictionary);
/** A copy of userInfo. @param out_dictionary the caller's. */
int segue_activity_copy_user_info(const segue_activity *activity, SEGUE_OUT(segue_value *) out_dictionary);

/* One entry with a string as key. Adding is segue_activity_add_user_info_entries with one entry; the getters return
 * -ENOENT where the key is missing and -ENXIO where its value is of another kind. [any-thread] */

/** Removes an entry. @return -ENOENT if there is none. */
int segue_activity_remove(segue_activity *activity, const char *key);
int segue_activity_add_bool(segue_activity *activity, const char *key, bool boolean);
int segue_activity_add_integer(segue_activity *activity, const char *key, int64_t integer);
int segue_activity_add_double(segue_activity *activity, const char *key, double number);
int segue_activity_add_string(segue_activity *activity, const char *key, const char *string);
/** @param bytes copied; may be NULL if length is 0. @param length at most 64 KiB, else -E2BIG. */
int segue_activity_add_data(segue_activity *activity, const char *key, const void *SEGUE_NULLABLE bytes, size_t length);
/** @param seconds since 1970-01-01T00:00:00Z. -EINVAL unless finite. */
int segue_activity_add_date(segue_activity *activity, const char *key, double seconds);
/**
 * Only a URL, not a string, arrives as that of the same file on the other device, where it names one in a container.
 * @param url absolute, of any scheme, percent-encoded. -EINVAL if it has no scheme or holds a space or a control
 *     character.
 */
int segue_activity_add_url(segue_activity *activity, const char *key, const char *url);
/** @param bytes the UUID's 16 bytes in network order. */
int segue_activity_add_uuid(segue_activity *activity, const char *key, const uint8_t *bytes);
int segue_activity_get_bool(const segue_activity *activity, const char *key, bool *out_boolean);
int segue_activity_get_integer(const segue_activity *activity, const char *key, int64_t *out_integer);
int segue_activity_get_double(const segue_activity *activity, const char *key, double *out_number);
/** @param out_string the caller's; segue_free. Reads a URL too. */
int segue_activity_copy_string(const segue_activity *activity, const char *key, SEGUE_OUT(char *) out_string);
/** @param out_bytes the caller's; segue_free. Not NULL, also where out_length is 0. */
int segue_activity_copy_data(
    const segue_activity *activity, const char *key, SEGUE_OUT(void *) out_bytes, size_t *out_length);
/** Seconds since 1970-01-01T00:00:00Z. */
int segue_activity_get_date(const segue_activity *activity, const char *key, double *out_seconds);
/** @param out_url the caller's; segue_free. Reads a URL only: -ENXIO for a string. */
int segue_activity_copy_url(const segue_activity *activity, const char *key, SEGUE_OUT(char *) out_url);
/** @param out_bytes room for 16 bytes. */
int segue_activity_get_uuid(const segue_activity *activity, const char *key, uint8_t *out_bytes);

/**
 * Says which entries of userInfo a stored copy needs; it then holds no others. Unset, it holds all of them, or none
 * where the activity has a webpage URL, which says enough. Continuing on other devices always brings all of them.
 * [any-thread]
 * @param keys NULL: unset, as at first. Not NULL, and count 0: none is needed.
 * @param count at most 256, of 128 bytes each, else -E2BIG.
 */
int segue_activity_set_required_keys(
    segue_activity *activity, const char *SEGUE_NONNULL const *SEGUE_NULLABLE keys, size_t count);
/** The required keys. @param out_keys the caller's, one block for one segue_free; NULL where unset. [any-thread] */
int segue_activity_copy_required_keys(
    const segue_activity *activity, SEGUE_OUT(char *SEGUE_NONNULL *) out_keys, size_t *out_count);

/* Its life. */

/** Says that the state changed since the last save (true), or that it did not (false). Cheap: call it at every change.
 * Any number of calls lead to at most one save, when the state is next asked for. [any-thread] */
int segue_activity_set_needs_save(segue_activity *activity, bool needs_save);
/** Whether the state changed since the last save, so that the next asks for it. [any-thread] */
bool segue_activity_needs_save(const segue_activity *activity);

/** Why the save callbacks run, inside them; SEGUE_SAVE_REASON_NONE elsewhere. One round may serve several; the reason
 * is that of the first. [any-thread] */
segue_save_reason segue_activity_get_save_reason(const segue_activity *activity);
/** Inside was_continued: whether a browser that shows the activity's web page continued it, and not an application.
 * [any-thread] */
bool segue_activity_was_continued_in_browser(const segue_activity *activity);

/**
 * Makes it the application's current activity, the one on offer; the former one becomes inactive.
 * Returns SEGUE_ACTIVITY_IS_INVALID and does nothing after invalidate. [application-thread]
 */
int segue_activity_become_current(segue_activity *activity);
/** Takes it off offer; the application has no current activity then. It stays valid. [application-thread] */
int segue_activity_resign_current(segue_activity *activity);
/** Ends it for good: withdrawn from every device. Doing it twice is fine. [application-thread] */
int segue_activity_invalidate(segue_activity *activity);

/* Continuation streams (segue/stream.h). */

/**
 * Whether the application that continues the activity may ask for streams to this one: false at first. It can be set
 * and unset at any time, and holds for requests that come from then on; streams that are open go on. [any-thread]
 */
int segue_activity_set_supports_continuation_streams(segue_activity *activity, bool supported);
/** Whether the application that continues the activity may ask for streams. [any-thread] */
bool segue_activity_supports_continuation_streams(const segue_activity *activity);

/**
 * Delivers the requested streams, or says why there are none. Called once, inside segue_application_dispatch; if the
 * application closes before, inside segue_application_unref.
 * @param input to be read, the application's to close; -1 where there are none.
 * @param output to be written, likewise.
 * @param error NULL: they are there. Borrowed for the call.
 */
typedef void (*segue_streams_function)(
    segue_activity *activity, int input, int output, const segue_error *SEGUE_NULLABLE error,
    void *SEGUE_NULLABLE userdata);

/**
 * Asks the application that this activity was continued from for streams; each request gives both sides a new pair.
 * For the object that continue_activity was given, inside it or at any time after. [application-thread]
 * @param callback gets them, or the reason why there are none: the activity does not support them, the application
 *     there does not receive them (SEGUE_ERROR_NOT_HANDLED), too many are open, the other device is gone. Not called if
 *     this call fails.
 * @return -EINVAL for any other activity, -ESTALE once it is invalidated, -E2BIG while 64 requests are under way.
 */
int segue_activity_get_continuation_streams(
    segue_activity *activity, segue_streams_function callback, void *SEGUE_NULLABLE userdata,
    segue_destroy_function SEGUE_NULLABLE destroy);

/* Files that userInfo names, and that lie in no folder that both devices share. */

/**
 * Whether the application that continues the activity may bring the files that its userInfo names, each by its URL (as
 * segue_activity_add_url adds it, at any depth): false at first. The library opens such a file with this application's
 * rights, inside segue_application_dispatch: a regular file at that path, and no link. The permission holds for the
 * userInfo that was last given to another device while it was set, and can be unset at any time; files that are on
 * their way go on. [any-thread]
 */
int segue_activity_set_allows_files(segue_activity *activity, bool allowed);
/** Whether the application that continues the activity may bring the files that its userInfo names. [any-thread] */
bool segue_activity_allows_files(const segue_activity *activity);

/**
 * How far a file is. Called inside segue_application_dispatch, at most ten times a second, and at the end; never after
 * the segue_file_function. The count goes back to 0 where the file changed meanwhile and is brought anew.
 * @param done bytes that are here.
 * @param size of the whole file.
 */
typedef void (*segue_file_progress_function)(
    segue_activity *activity, uint64_t done, uint64_t size, void *SEGUE_NULLABLE userdata);

/**
 * The file is here, or will not be. Called once, inside segue_application_dispatch; if the application closes before,
 * inside segue_application_unref.
 * @param path of the file, in a folder of its own with a random name; the path's last element is the file's name,
 *     without characters that hide or turn text. Borrowed for the call; NULL where there is none.
 * @param size in bytes.
 * @param sha256 of a copy, 32 bytes, as the other device computed it too; NULL where path is that of the file itself,
 *     in a folder that both devices share, or of another application of this device.
 * @param error NULL: it is here. Borrowed for the call.
 */
typedef void (*segue_file_function)(
    segue_activity *activity, const char *SEGUE_NULLABLE path, uint64_t size, const uint8_t *SEGUE_NULLABLE sha256,
    const segue_error *SEGUE_NULLABLE error, void *SEGUE_NULLABLE userdata);

/**
 * Brings a file that userInfo names from the device that the activity was continued from, into a cache on this one. For
 * the object that continue_activity was given, inside it or at any time after. A file whose link is lost waits for
 * another for two minutes, and the rest comes over that one. The application opens, links or moves the copy at once:
 * the cache removes copies, the oldest first, where it needs room, and after a week. [application-thread]
 * @param url as userInfo has it.
 * @param progress NULL: no reports.
 * @param callback gets the file, or the reason why it does not come: SEGUE_ERROR_ACCESS_DENIED, it is not allowed, or
 *     cannot be read; SEGUE_ERROR_NOT_FOUND, userInfo does not name it, or it, the activity or its application is gone;
 *     SEGUE_ERROR_INVALID_ARGUMENT, it is not a regular file; SEGUE_ERROR_HANDOFF_FAILED, it changed while it was read;
 *     SEGUE_ERROR_LIMIT_EXCEEDED, there is no room for it; SEGUE_ERROR_USER_CANCELLED, segue_activity_cancel_file was
 *     called; SEGUE_ERROR_CONNECTION_UNAVAILABLE, the other device or the daemon is gone. Not called if this call
 *     fails.
 * @return -EINVAL for any other activity, and for a URL that is none of a file; -ESTALE once it is invalidated, -E2BIG
 *     while 64 files are on their way.
 */
int segue_activity_bring_file(
    segue_activity *activity, const char *url, segue_file_progress_function SEGUE_NULLABLE progress,
    segue_file_function callback, void *SEGUE_NULLABLE userdata, segue_destroy_function SEGUE_NULLABLE destroy);
/**
 * Ends what segue_activity_bring_file began for the URL; its callback gets SEGUE_ERROR_USER_CANCELLED.
 * [application-thread]
 * @return -ENOENT if it is not on its way.
 */
int segue_activity_cancel_file(segue_activity *activity, const char *url);

/* An activity that segue_application_get_last_states gave. [any-thread] */

/** Milliseconds since its state was saved. @return -ENOENT for any other activity. */
int segue_activity_get_restored_age(const segue_activity *activity, uint64_t *out_milliseconds);
/** The version of its type that the application stated when the state was saved (X-Segue-ActivityVersions of its
 * desktop file); 0 where it stated none. An application that cannot read the states of another version leaves them.
 * @return -ENOENT for any other activity. */
int segue_activity_get_restored_version(const segue_activity *activity, uint64_t *out_version);

/* The name of its stored copies, by which segue_application_delete_saved finds them (segue/application.h). */

/**
 * Sets the name of what this activity shows, the same whenever it is shown; it does not leave this device.
 * @param identifier up to 512 bytes, else -E2BIG; NULL: none. [any-thread]
 */
int segue_activity_set_persistent_identifier(segue_activity *activity, const char *SEGUE_NULLABLE identifier);
/** The persistent identifier. @param out_identifier the caller's, or NULL where there is none; segue_free.
 * [any-thread] */
int segue_activity_copy_persistent_identifier(const segue_activity *activity, SEGUE_OUT(char *) out_identifier);

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
