#define _GNU_SOURCE /* ppoll */
#include "loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t quit_asked;

static void handle_signal(int number) {
  if (number != SIGWINCH) quit_asked = 1;
}

/* Signals are blocked except while the loop waits, so none falls between the check of the flag and the wait. */
static void catch_signals(sigset_t *out_while_waiting) {
  static const int numbers[] = {SIGWINCH, SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = handle_signal};
  sigset_t caught;
  sigemptyset(&caught);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    sigaction(numbers[i], &action, NULL);
    sigaddset(&caught, numbers[i]);
  }
  sigprocmask(SIG_BLOCK, &caught, out_while_waiting);
}

void loop_run(face *shown, handoff *joined) {
  sigset_t while_waiting;
  catch_signals(&while_waiting);
  struct pollfd waited[] = {
      {.fd = STDIN_FILENO, .events = POLLIN},
      {.fd = handoff_fd(joined), .events = POLLIN},
  };
  for (;;) {
    int ready = ppoll(waited, 2, NULL, &while_waiting);
    if (quit_asked || (ready < 0 && errno != EINTR)) return;
    if (ready > 0 && waited[1].revents != 0) handoff_dispatch(joined);
    if (ready > 0 && waited[0].revents != 0 && !shown->read_input(shown)) return;
    shown->refresh(shown);
  }
}
