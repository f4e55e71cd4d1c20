/**
 * @file segue/stream.h
 * Continuation streams: bytes between the two applications of one continuation, for what userInfo should not carry.
 *
 * The application that continues asks for them on the activity that continue_activity was given; the one that it came
 * from gets its own in its activity's delegate (segue/activity.h). Each has a pair of descriptors: what one writes to
 * its output, the other reads from its input.
 *
 *     static void got_streams(
 *         segue_activity *activity, int input, int output, const segue_error *error, void *window) {
 *       void *draft;
 *       size_t length;
 *       if (error != NULL) {
 *         show_text(window, segue_error_get_message(error));
 *         return;
 *       }
 *       if (segue_stream_write_message(output, "draft", 5, 5000) == 0 &&
 *           segue_stream_read_message(input, 1048576, 5000, &draft, &length) == 0) {
 *         show_draft(window, draft, length);
 *         segue_free(draft);
 *       }
 *       close(input);
 *       close(output);
 *     }
 *
 * They are plain descriptors, for read, write, poll and every loop: blocking, close-on-exec, the application's to
 * close. An input cannot be written, nor an output read. Closing an output, or exiting, is the end of file for the
 * other side; closing an input makes the other side's write fail with EPIPE, and raises SIGPIPE there as every pipe
 * does. A child that was forked holds them open too. An input whose stream was lost, with the other device, its link or
 * a daemon, gives what has arrived and then ECONNRESET, never an end of file. An application that is killed cannot be
 * told from one that closes: a reader that must know whether all has come needs the length, which messages below carry.
 *
 * The functions below are a convenience; an application need not use them. They serve blocking and non-blocking
 * descriptors, raise no SIGPIPE, and go on after signals. Each takes a time in milliseconds for all of its work, -1 for
 * no end, and fails with -ETIMEDOUT when it has passed; then, as after any other failure, it is not known how much has
 * crossed, and all that is left to do with the descriptor is to close it. Other failures are what the descriptor itself
 * gives: -EPIPE, where the other side reads no more; -ECONNRESET, where the stream was lost; -EBADF, where it is closed
 * or of the other direction. One thread at a time reads from an input, and one writes to an output.
 */
#ifndef SEGUE_STREAM_H
#define SEGUE_STREAM_H

#include "base.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

/** A reading function's outcome at the end of file: the other side writes no more. */
#define SEGUE_STREAM_ENDED 1

/**
 * Reads so many bytes, and no more. [any-thread]
 * @param buffer room for them; may be NULL if length is 0.
 * @param timeout in milliseconds; -1: none.
 * @param out_length how many were read; NULL: not wanted.
 * @return SEGUE_STREAM_ENDED at the end of file, where out_length is less than length.
 */
int segue_stream_read_exactly(
    int input, void *SEGUE_NULLABLE buffer, size_t length, int32_t timeout, size_t *SEGUE_NULLABLE out_length);
/**
 * Writes all of the bytes. [any-thread]
 * @param bytes may be NULL if length is 0.
 * @param timeout in milliseconds; -1: none.
 */
int segue_stream_write_all(int output, const void *SEGUE_NULLABLE bytes, size_t length, int32_t timeout);

/**
 * Reads a message, as segue_stream_write_message writes it. [any-thread]
 * @param maximum the most that the caller takes: a message that says that it is longer is not read, and -E2BIG.
 * @param timeout in milliseconds, from the call on; -1: none. To wait for a message among other things, poll the input.
 * @param out_bytes the caller's; segue_free. Not NULL, also where out_length is 0.
 * @return SEGUE_STREAM_ENDED at the end of file; -EBADMSG if that comes in the middle of a message.
 */
int segue_stream_read_message(
    int input, size_t maximum, int32_t timeout, SEGUE_OUT(void *) out_bytes, size_t *out_length);
/**
 * Writes a message: its length in four bytes, the highest first, then its bytes. [any-thread]
 * @param bytes may be NULL if length is 0.
 * @param length less than 2^32, else -E2BIG.
 * @param timeout in milliseconds; -1: none.
 */
int segue_stream_write_message(int output, const void *SEGUE_NULLABLE bytes, size_t length, int32_t timeout);

/**
 * Why a stream was lost. Ask after ECONNRESET, while the input is open. The reason comes by the application's dispatch,
 * which may be later than ECONNRESET; until then the error says no more than that it is lost. [any-thread]
 * @param out_error the caller's, or NULL where nothing is known of a loss: the stream goes on or ended in order, or
 *     only the caller's own read(2) has seen it.
 * @return -EBADF if input is no open descriptor.
 */
int segue_stream_copy_error(int input, SEGUE_OUT(segue_error *) out_error);

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
