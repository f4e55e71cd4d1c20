/* Streams, as far as they can be tested without a daemon. Tests/system/streams_test.py has the rest. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "abi_test.h"

#define LARGE ((size_t)1024 * 1024)
/* Longer than anything here takes. */
#define PATIENCE 20000

static int signals;

SEGUE_BEGIN_DECLS
static void count_signal(int number) {
  (void)number;
  signals++;
}

static void never(segue_activity *activity, int input, int output, const segue_error *error, void *userdata) {
  (void)activity;
  (void)input;
  (void)output;
  (void)error;
  (void)userdata;
  CHECK(0);
}
SEGUE_END_DECLS

static void make_pipe(int *ends) {
  if (pipe(ends) != 0) abort();
}

static void set_waiting(int descriptor, int waits) {
  int flags = fcntl(descriptor, F_GETFL);
  CHECK_INT(fcntl(descriptor, F_SETFL, waits ? flags & ~O_NONBLOCK : flags | O_NONBLOCK), 0);
}

/* An input as the daemon makes it for a stream to another device, and the daemon's end. */
static void make_input(int *input, int *theirs) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) abort();
  CHECK_INT((long)write(ends[0], "!", 1), 1);
  CHECK_INT(shutdown(ends[0], SHUT_WR), 0);
  *input = ends[0];
  *theirs = ends[1];
}

static void T1_anActivitySupportsStreamsOrNot(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  CHECK(!segue_activity_supports_continuation_streams(activity));
  CHECK_INT(segue_activity_set_supports_continuation_streams(activity, true), 0);
  CHECK(segue_activity_supports_continuation_streams(activity));
  CHECK_INT(segue_activity_set_supports_continuation_streams(activity, false), 0);
  CHECK(!segue_activity_supports_continuation_streams(activity));
  CHECK_INT(segue_activity_invalidate(activity), 0);
  CHECK_INT(segue_activity_set_supports_continuation_streams(activity, true), -ESTALE);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static int ask_elsewhere(void *activity) {
  return segue_activity_get_continuation_streams((segue_activity *)activity, never, NULL, NULL);
}

static void T2_streamsAreForWhatContinueReceived(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  int destroyed = 0;
  CHECK_INT(segue_activity_get_continuation_streams(activity, never, &destroyed, abi_count), -EINVAL);
  CHECK_INT(destroyed, 1);
  CHECK_INT(segue_activity_become_current(activity), 0);
  CHECK_INT(segue_activity_get_continuation_streams(activity, never, &destroyed, abi_count), -EINVAL);
  CHECK_INT(destroyed, 2);
  CHECK_INT(abi_on_another_thread(ask_elsewhere, activity), -EPERM);
  CHECK_INT(segue_application_dispatch(application) >= 0, 1);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

/* The struct of a program that was built before there were streams. */
static void T1_aDelegateWithoutTheirMember(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_activity_delegate delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  CHECK_INT(segue_activity_set_delegate(activity, &delegate, NULL, NULL), 0);
  delegate.struct_size = (uint32_t)offsetof(segue_activity_delegate, did_receive_streams);
  CHECK_INT(segue_activity_set_delegate(activity, &delegate, NULL, NULL), 0);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void T4_theEndIsToldFromWhatCameBeforeIt(void) {
  int ends[2];
  int waits;
  char buffer[8];
  size_t length;
  for (waits = 0; waits < 2; waits++) {
    make_pipe(ends);
    set_waiting(ends[0], waits);
    set_waiting(ends[1], waits);
    length = 77;
    CHECK_INT(segue_stream_write_all(ends[1], "abcdef", 6, PATIENCE), 0);
    CHECK_INT(segue_stream_read_exactly(ends[0], buffer, 4, PATIENCE, &length), 0);
    CHECK_INT((long)length, 4);
    CHECK(memcmp(buffer, "abcd", 4) == 0);
    CHECK_INT(close(ends[1]), 0);
    CHECK_INT(segue_stream_read_exactly(ends[0], buffer, 4, -1, &length), SEGUE_STREAM_ENDED);
    CHECK_INT((long)length, 2);
    CHECK(memcmp(buffer, "ef", 2) == 0);
    CHECK_INT(segue_stream_read_exactly(ends[0], buffer, 4, 0, NULL), SEGUE_STREAM_ENDED);
    CHECK_INT(segue_stream_read_exactly(ends[0], NULL, 0, 0, &length), 0);
    CHECK_INT((long)length, 0);
    close(ends[0]);
  }
}

static void T4_nobodyIsWaitedForPastTheTime(void) {
  static char bytes[LARGE];
  int ends[2];
  int waits;
  int input;
  int theirs;
  size_t length = 77;
  char buffer[8];
  for (waits = 0; waits < 2; waits++) {
    make_pipe(ends);
    set_waiting(ends[0], waits);
    set_waiting(ends[1], waits);
    CHECK_INT(segue_stream_read_exactly(ends[0], buffer, 1, 0, &length), -ETIMEDOUT);
    CHECK_INT(segue_stream_read_exactly(ends[0], buffer, 1, 5, &length), -ETIMEDOUT);
    CHECK_INT((long)length, 77);
    /* More than a pipe holds. */
    CHECK_INT(segue_stream_write_all(ends[1], bytes, LARGE, 5), -ETIMEDOUT);
    CHECK_INT(segue_stream_write_all(ends[1], bytes, 1, 0), -ETIMEDOUT);
    close(ends[0]);
    close(ends[1]);
    make_input(&input, &theirs);
    set_waiting(input, waits);
    CHECK_INT(segue_stream_read_exactly(input, buffer, 1, 5, &length), -ETIMEDOUT);
    set_waiting(theirs, waits);
    CHECK_INT(segue_stream_write_all(theirs, bytes, LARGE, 5), -ETIMEDOUT);
    close(input);
    close(theirs);
  }
}

typedef struct reading {
  int input;
  size_t length;
  char *buffer;
  int result;
} reading;

SEGUE_BEGIN_DECLS
static void *read_and_close(void *given) {
  reading *made = (reading *)given;
  made->result = segue_stream_read_exactly(made->input, made->buffer, made->length, PATIENCE, NULL);
  close(made->input);
  return NULL;
}
SEGUE_END_DECLS

/* Writes to another thread, which reads a part and closes; returns the result of the write. */
static int write_to_reader(const char *bytes, size_t length, int waits, int timeout) {
  int ends[2];
  int result;
  reading made;
  pthread_t thread;
  make_pipe(ends);
  set_waiting(ends[1], waits);
  made.input = ends[0];
  made.length = length;
  made.buffer = (char *)malloc(length);
  if (made.buffer == NULL || pthread_create(&thread, NULL, read_and_close, &made) != 0) abort();
  result = segue_stream_write_all(ends[1], bytes, LARGE, timeout);
  pthread_join(thread, NULL);
  CHECK_INT(made.result, 0);
  CHECK(memcmp(made.buffer, bytes, length) == 0);
  free(made.buffer);
  close(ends[1]);
  return result;
}

static char *numbered(void) {
  char *bytes = (char *)malloc(LARGE);
  size_t i;
  if (bytes == NULL) abort();
  for (i = 0; i < LARGE; i++) bytes[i] = (char)(i * 7 + i / 251);
  return bytes;
}

static void T4_allIsWrittenHoweverMuchAPipeHolds(void) {
  char *bytes = numbered();
  int waits;
  for (waits = 0; waits < 2; waits++) {
    CHECK_INT(write_to_reader(bytes, LARGE, waits, -1), 0);
    CHECK_INT(write_to_reader(bytes, LARGE, waits, PATIENCE), 0);
  }
  free(bytes);
}

static void T4_noSignalComesOfAReaderThatWent(void) {
  struct sigaction action;
  struct sigaction former;
  sigset_t pipe_signal;
  sigset_t mask;
  sigset_t pending;
  int ends[2];
  int sockets[2];
  int number = 0;
  char *bytes = numbered();
  memset(&action, 0, sizeof action);
  action.sa_handler = count_signal;
  sigaction(SIGPIPE, &action, &former);
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  signals = 0;
  make_pipe(ends);
  close(ends[0]);
  CHECK_INT(segue_stream_write_all(ends[1], "a", 1, -1), -EPIPE);
  CHECK_INT(segue_stream_write_all(ends[1], "a", 1, PATIENCE), -EPIPE);
  CHECK_INT(segue_stream_write_message(ends[1], "a", 1, -1), -EPIPE);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) abort();
  close(sockets[0]);
  CHECK_INT(segue_stream_write_all(sockets[1], "a", 1, -1), -EPIPE);
  close(sockets[1]);
  /* The reader closes in the middle of a call that has written something. */
  CHECK_INT(write_to_reader(bytes, 100000, 1, -1), -EPIPE);
  CHECK_INT(signals, 0);
  /* A signal that was pending before is the program's, and stays. */
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &mask);
  pthread_kill(pthread_self(), SIGPIPE);
  CHECK_INT(segue_stream_write_all(ends[1], "a", 1, -1), -EPIPE);
  sigpending(&pending);
  CHECK_INT(sigismember(&pending, SIGPIPE), 1);
  CHECK_INT(sigwait(&pipe_signal, &number), 0);
  /* The signal was blocked before and is blocked afterwards, and the call leaves none pending. */
  CHECK_INT(segue_stream_write_all(ends[1], "a", 1, -1), -EPIPE);
  sigpending(&pending);
  CHECK_INT(sigismember(&pending, SIGPIPE), 0);
  pthread_sigmask(SIG_SETMASK, &mask, &pending);
  CHECK_INT(sigismember(&pending, SIGPIPE), 1);
  CHECK_INT(signals, 0);
  sigaction(SIGPIPE, &former, NULL);
  close(ends[1]);
  free(bytes);
}

/* The result of read_message for these bytes and an end of file. */
static int message_of(const void *bytes, size_t count, size_t maximum, size_t *out_length) {
  int ends[2];
  int result;
  void *message = NULL;
  size_t length = 77;
  make_pipe(ends);
  CHECK_INT(segue_stream_write_all(ends[1], bytes, count, PATIENCE), 0);
  close(ends[1]);
  result = segue_stream_read_message(ends[0], maximum, PATIENCE, &message, &length);
  CHECK((message == NULL) == (result != 0));
  if (result != 0) CHECK_INT((long)length, 77);
  segue_free(message);
  close(ends[0]);
  *out_length = length;
  return result;
}

static void T4_messagesComeWholeOrNotAtAll(void) {
  size_t length;
  CHECK_INT(message_of("\0\0\0\3abc", 7, 3, &length), 0);
  CHECK_INT((long)length, 3);
  CHECK_INT(message_of("\0\0\0\0", 4, 0, &length), 0);
  CHECK_INT((long)length, 0);
  CHECK_INT(message_of("\0\0\0\3abc", 7, 2, &length), -E2BIG);
  CHECK_INT(message_of("", 0, 3, &length), SEGUE_STREAM_ENDED);
  CHECK_INT(message_of("\0\0\0", 3, 3, &length), -EBADMSG);
  CHECK_INT(message_of("\0\0\0\3ab", 6, 3, &length), -EBADMSG);
  CHECK_INT(message_of("\0\0\0\3", 4, 3, &length), -EBADMSG);
  /* The length says 4 GiB, which do not follow. */
  CHECK_INT(message_of("\377\377\377\377abc", 7, (size_t)-1 / 2, &length), -EBADMSG);
  CHECK_INT(message_of("\377\377\377\377abc", 7, 65536, &length), -E2BIG);
}

SEGUE_BEGIN_DECLS
static void *write_messages(void *given) {
  int output = *(int *)given;
  char *bytes = numbered();
  CHECK_INT(segue_stream_write_message(output, bytes, LARGE, PATIENCE), 0);
  CHECK_INT(segue_stream_write_message(output, NULL, 0, PATIENCE), 0);
  close(output);
  free(bytes);
  return NULL;
}
SEGUE_END_DECLS

static void T4_messagesFollowEachOther(void) {
  int ends[2];
  void *message = NULL;
  size_t length = 0;
  char *bytes = numbered();
  pthread_t thread;
  make_pipe(ends);
  if (pthread_create(&thread, NULL, write_messages, &ends[1]) != 0) abort();
  CHECK_INT(segue_stream_read_message(ends[0], LARGE, PATIENCE, &message, &length), 0);
  CHECK_INT((long)length, (long)LARGE);
  CHECK(message != NULL && memcmp(message, bytes, LARGE) == 0);
  segue_free(message);
  CHECK_INT(segue_stream_read_message(ends[0], LARGE, PATIENCE, &message, &length), 0);
  CHECK_INT((long)length, 0);
  segue_free(message);
  CHECK_INT(segue_stream_read_message(ends[0], LARGE, PATIENCE, &message, &length), SEGUE_STREAM_ENDED);
  pthread_join(thread, NULL);
  close(ends[0]);
  free(bytes);
}

static void T4_aLostStreamIsNoEndOfFile(void) {
  int input;
  int theirs;
  char buffer[8];
  segue_error *error = NULL;
  make_input(&input, &theirs);
  CHECK_INT((long)write(theirs, "tail", 4), 4);
  CHECK_INT(segue_stream_copy_error(input, &error), 0);
  CHECK(error == NULL);
  close(theirs);
  /* The error is copied before the input is read: the bytes that have arrived can be read all the same. */
  CHECK_INT(segue_stream_copy_error(input, &error), 0);
  CHECK_INT(segue_error_get_code(error), SEGUE_ERROR_CONNECTION_UNAVAILABLE);
  error = segue_error_unref(error);
  CHECK_INT(segue_stream_read_exactly(input, buffer, 4, PATIENCE, NULL), 0);
  CHECK_INT(segue_stream_read_exactly(input, buffer, 1, PATIENCE, NULL), -ECONNRESET);
  CHECK_INT(segue_stream_copy_error(input, &error), 0);
  CHECK_INT(segue_error_get_code(error), SEGUE_ERROR_CONNECTION_UNAVAILABLE);
  CHECK(segue_error_get_advice(error)[0] != '\0');
  error = segue_error_unref(error);
  close(input);
  CHECK_INT(segue_stream_copy_error(input, &error), -EBADF);
  CHECK(error == NULL);
}

static void T4_anEndInOrderIsNoLoss(void) {
  int input;
  int theirs;
  char buffer[8];
  segue_error *error = NULL;
  make_input(&input, &theirs);
  CHECK_INT((long)read(theirs, buffer, 1), 1);
  close(theirs);
  CHECK_INT(segue_stream_read_exactly(input, buffer, 1, PATIENCE, NULL), SEGUE_STREAM_ENDED);
  CHECK_INT(segue_stream_copy_error(input, &error), 0);
  CHECK(error == NULL);
  close(input);
}

static void T3_theOtherDirectionIsAnError(void) {
  int ends[2];
  int input;
  int theirs;
  char buffer[8];
  make_pipe(ends);
  make_input(&input, &theirs);
  CHECK_INT(segue_stream_write_all(ends[0], "a", 1, -1), -EBADF);
  CHECK_INT(segue_stream_read_exactly(ends[1], buffer, 1, -1, NULL), -EBADF);
  CHECK_INT(segue_stream_write_all(input, "a", 1, PATIENCE), -EPIPE);
  CHECK_INT(segue_stream_write_all(-1, "a", 1, PATIENCE), -EBADF);
  CHECK_INT(segue_stream_write_all(-1, "a", 1, -1), -EBADF);
  CHECK_INT(segue_stream_read_exactly(-1, buffer, 1, PATIENCE, NULL), -EBADF);
  CHECK_INT(segue_stream_read_exactly(-1, buffer, 1, -1, NULL), -EBADF);
  close(ends[0]);
  close(ends[1]);
  close(input);
  close(theirs);
}

static void streams_whatIsTooLargeIsRefused(void) {
  int ends[2];
  char byte = 0;
  make_pipe(ends);
  if (sizeof(size_t) > 4) {
    CHECK_INT(segue_stream_write_message(ends[1], &byte, (size_t)-1 / 4, 0), -E2BIG);
  }
  CHECK_INT(segue_stream_write_all(ends[1], &byte, (size_t)-1, 0), -EINVAL);
  CHECK_INT(segue_stream_read_exactly(ends[0], &byte, (size_t)-1, 0, NULL), -EINVAL);
  close(ends[0]);
  close(ends[1]);
}

const abi_test stream_tests[] = {
    TEST(T1_anActivitySupportsStreamsOrNot),    TEST(T1_aDelegateWithoutTheirMember),
    TEST(T2_streamsAreForWhatContinueReceived), TEST(T3_theOtherDirectionIsAnError),
    TEST(T4_theEndIsToldFromWhatCameBeforeIt),  TEST(T4_nobodyIsWaitedForPastTheTime),
    TEST(T4_allIsWrittenHoweverMuchAPipeHolds), TEST(T4_noSignalComesOfAReaderThatWent),
    TEST(T4_messagesComeWholeOrNotAtAll),       TEST(T4_messagesFollowEachOther),
    TEST(T4_aLostStreamIsNoEndOfFile),          TEST(T4_anEndInOrderIsNoLoss),
    TEST(streams_whatIsTooLargeIsRefused),      {NULL, NULL},
};
