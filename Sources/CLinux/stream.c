#define _GNU_SOURCE
#include "CLinux.h"

#include <limits.h>

// Writes to a pipe. The signal is blocked and taken back, since neither the process's handler nor another thread may
// see it; one that was pending before stays.
static ssize_t write_to_pipe(int fd, const void *bytes, size_t count) {
  sigset_t signal, former, pending;
  sigemptyset(&signal);
  sigaddset(&signal, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &signal, &former);
  ssize_t written = write(fd, bytes, count);
  int error = errno;
  // If the reader closed its end in the middle of the write, the signal is pending beside a partial result.
  if (written != (ssize_t)count && sigismember(&pending, SIGPIPE) == 0) {
    const struct timespec at_once = {0, 0};
    while (sigtimedwait(&signal, NULL, &at_once) < 0 && errno == EINTR) continue;
  }
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  errno = error;
  return written;
}

ssize_t segue_write_quietly(int fd, const void *bytes, size_t count, int waits) {
  ssize_t sent = send(fd, bytes, count, waits ? MSG_NOSIGNAL : MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  // A pipe that poll(2) calls writable takes PIPE_BUF bytes without waiting.
  return write_to_pipe(fd, bytes, waits || count < PIPE_BUF ? count : PIPE_BUF);
}
