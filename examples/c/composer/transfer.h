/**
 * Attachments over a pair of continuation streams: the continuing side asks for one after the other, and the origin
 * answers. Both block, so each runs on a thread of its own, and tells what happens by callbacks on GLib's default
 * context. A message is what segue_stream_write_message makes:
 *
 *     continuing device       origin
 *     "get 0"              ->
 *                          <- "file 12345", then 12345 bytes, then "sha256 …"; or "gone REASON"
 *     "get 1"              ->
 *     "done"               ->   everything is there and its digest right; then the end of both streams
 */
#ifndef COMPOSER_TRANSFER_H
#define COMPOSER_TRANSFER_H

#include "draft.h"

/** Called when the origin's end is over. @param is_done whether the other side has all that it asked for. */
typedef void (*transfer_served_function)(bool is_done, void *userdata);

/**
 * Answers on the streams until the other side closes them. Takes the descriptors.
 * @param mail its files are copied in this call; the mail may change afterwards.
 */
void transfer_serve(const draft *mail, int input, int output, transfer_served_function served, void *userdata);

/** The callbacks to the continuing side. */
typedef struct transfer_listener {
  /** So many bytes of a file have arrived. Called at most ten times a second. */
  void (*progress)(guint index, guint64 so_far, void *userdata);
  /** A file has arrived, and its digest is right. @param path where it is. */
  void (*arrived)(guint index, const char *path, void *userdata);
  /** A file did not arrive; the part that came is kept. */
  void (*missing)(guint index, const char *reason, void *userdata);
  /** The streams are closed. This is the last call. */
  void (*ended)(void *userdata);
  void *userdata;
} transfer_listener;

/** Asks for the files of the mail that are not here, and writes them into a directory. Takes the descriptors.
 * @param mail its list is copied in this call.
 */
void transfer_fetch(const draft *mail, const char *folder, int input, int output, const transfer_listener *listener);

#endif
