/**
 * @file segue/document.h
 * A document: a file that the application has open.
 *
 *     segue_document_new(app, "file:///home/a/Notes/list.txt", "text/plain", &methods, view, NULL, &document, NULL);
 *
 * Where the desktop file declares an activity type for the MIME type, X-Segue-DocumentActivityTypes=text/plain=<type>;
 * and the file lies in a container, a folder that the user's devices share, the document has an activity by itself: the
 * library makes it, titles it with the file's name, puts the file's URL into its userInfo under SEGUE_DOCUMENT_URL_KEY,
 * and ends it when the document is closed or its file leaves the container. The document follows where another program,
 * a file manager for instance, renames or moves the file or a folder above it. On another device the URL arrives as
 * that of the same file there, and the application's open_document is called (segue/application.h).
 *
 * A document is a responder too (segue_document_get_responder): it has a part in an activity, stands in a chain, and is
 * restored, like any other.
 */
#ifndef SEGUE_DOCUMENT_H
#define SEGUE_DOCUMENT_H

#include "base.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

/** The key in userInfo under which a document's URL stands. */
#define SEGUE_DOCUMENT_URL_KEY "SegueDocumentURL"
/** SEGUE_DOCUMENT_URL_KEY, for languages without macros. Static. [any-thread] */
const char *segue_document_url_key(void);

/** The callbacks by which an application adds to the library's work on a document. Every member may be NULL. */
typedef struct segue_document_methods {
  uint32_t struct_size; /**< sizeof(segue_document_methods) */
  uint32_t reserved;    /**< 0 */
  /** Add the user's place in the document to the activity's userInfo. The URL is there already. */
  void (*SEGUE_NULLABLE update_user_activity_state)(
      segue_document *document, segue_activity *activity, void *SEGUE_NULLABLE userdata);
  /** Go where the activity's userInfo says. Keys may be missing: another version may have written it. */
  void (*SEGUE_NULLABLE restore_user_activity_state)(
      segue_document *document, segue_activity *activity, void *SEGUE_NULLABLE userdata);
  /** The document's activity is another one, whoever made it, or there is none any more. Comes once for all changes
   * since the last dispatch, and not if they came to nothing. */
  void (*SEGUE_NULLABLE user_activity_changed)(
      segue_document *document, segue_activity *SEGUE_NULLABLE activity, void *SEGUE_NULLABLE userdata);
  /** Another program has renamed or moved the file, and the document has followed: save to this URL from now on. Comes
   * about half a second later, since a file that is saved anew may leave its name for a moment. @param url borrowed for
   * the call. */
  void (*SEGUE_NULLABLE url_changed)(segue_document *document, const char *url, void *SEGUE_NULLABLE userdata);
} segue_document_methods;
#ifdef __cplusplus
#define SEGUE_DOCUMENT_METHODS_INIT \
  { sizeof(segue_document_methods), 0, 0, 0, 0, 0 }
#else
#define SEGUE_DOCUMENT_METHODS_INIT \
  { .struct_size = sizeof(segue_document_methods) }
#endif
/** Empties the methods and sets struct_size. [any-thread] */
void segue_document_methods_init(segue_document_methods *methods, uint32_t struct_size);

/**
 * Says that the application has a document open. Its activity follows when the daemon has said that there is to be one.
 * A document for a file that an arriving activity names, made inside continue_activity or open_document or until all is
 * restored, goes on with that activity instead of another. [application-thread]
 * @param url the file's, file:///absolute/path, percent-encoded; NULL while it has none.
 * @param mime_type a type and a subtype, without parameters: text/plain.
 * @param methods copied.
 * @param userdata handed to the methods.
 * @param destroy frees userdata when the document is gone, or at once if this call fails.
 * @return -EINVAL malformed url or mime_type.
 */
int segue_document_new(
    segue_application *application, const char *SEGUE_NULLABLE url, const char *mime_type,
    const segue_document_methods *methods, void *SEGUE_NULLABLE userdata, segue_destroy_function SEGUE_NULLABLE destroy,
    SEGUE_OUT(segue_document *) out_document, SEGUE_OUT_NULLABLE(segue_error *) out_error);

/** Adds a reference. [any-thread] */
segue_document *segue_document_ref(segue_document *document);
/** Drops a reference; returns NULL. The last one closes the document. [any-thread] */
segue_document *SEGUE_NULLABLE segue_document_unref(segue_document *SEGUE_NULLABLE document);

/**
 * Closes the document and invalidates its activity; the document only leaves an activity that the application has set,
 * as a responder does. The document's setters return -ESTALE then. Closing twice is fine. [application-thread]
 */
int segue_document_close(segue_document *document);

/**
 * The file was saved under another name, or moved. Marks the activity as in need of saving; where the file has left the
 * container, the activity is invalidated, and where it has come into one, there is an activity from now on.
 * [application-thread]
 * @param url as in segue_document_new; NULL: it has no file any more.
 * @return -EINVAL malformed url.
 */
int segue_document_set_url(segue_document *document, const char *SEGUE_NULLABLE url);
/** The file's URL. @param out_url the caller's, or NULL where there is none; segue_free. [any-thread] */
int segue_document_copy_url(const segue_document *document, SEGUE_OUT(char *) out_url);

/** The user's role: what a document is open for. Open. */
typedef int32_t segue_document_role;
enum {
  SEGUE_DOCUMENT_EDITED = 0, /**< the user changes it; the role of every new document */
  SEGUE_DOCUMENT_VIEWED = 1  /**< the user only looks at it */
};
/**
 * Says what the user does with the document. Where the desktop file declares another activity type for documents that
 * are only looked at, X-Segue-ViewerActivityTypes=text/plain=<type>;, a new activity of that type replaces the
 * document's. With a call right after segue_document_new the document has only that one. [application-thread]
 * @return -EINVAL no such role; -ESTALE the document was closed.
 */
int segue_document_set_role(segue_document *document, segue_document_role role);

/**
 * Sets an activity of the application's own in place of the library's, or none with NULL. From then on the library
 * makes none for this document. Otherwise as segue_responder_set_user_activity. [any-thread]
 */
int segue_document_set_user_activity(segue_document *document, segue_activity *SEGUE_NULLABLE activity);
/**
 * The document's activity, whoever made it; it may be set on responders too, and given a title or a delegate.
 * @param out_activity a reference of the caller's, or NULL where there is none. [any-thread]
 */
int segue_document_copy_user_activity(const segue_document *document, SEGUE_OUT(segue_activity *) out_activity);

/**
 * The document as a responder: the same object, for whatever takes a responder. Among the objects of
 * segue_restoration_restore it restores in its place. Borrowed; NULL for a bad handle. [any-thread]
 */
segue_responder *SEGUE_NULLABLE segue_document_get_responder(segue_document *document);

/**
 * Adds a responder that goes with the document: it has a part in the document's activity, whichever that is from now
 * on, and restores whenever the document is restored: after it, or in its place where it is handed over too. This is
 * for a part of the document that has code of its own, such as a plugin's object (segue/hosting.h). The responder
 * leaves the document that it went with before. Not owned: the last reference to it ends this. [application-thread]
 * @return -EINVAL if the responder is of another application, or a document; -E2BIG past 256; -ESTALE the document was
 * closed.
 */
int segue_document_add_responder(segue_document *document, segue_responder *responder);
/** Takes the responder from the document, and off its activity. Fine if it was not added. [application-thread] */
int segue_document_remove_responder(segue_document *document, segue_responder *responder);

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
