/*
 * pace BUS RESTORED CONTINUED RATE COUNT: so many continuations in a running application, RATE a second. BUS is the
 * continuing device's; RESTORED and CONTINUED are the FIFOs of continuing.c and origin.c. Prints "restored" with the
 * microseconds from each call to the restore callback.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../common.h"

#define SECOND 1000000000L

int main(int count, char **given) {
  if (count != 6) fail("pace", "usage: pace BUS RESTORED CONTINUED RATE COUNT");
  DBusConnection *bus = open_bus(given[1]);
  int restored = open_fifo(given[2]);
  int continued = open_fifo(given[3]);
  long step = SECOND / atoi(given[4]);
  int samples = atoi(given[5]);
  char offer[33];
  struct timespec next;
  wait_for_offer(bus, offer);
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (int i = 0; i < samples; i++) {
    uint64_t called = now();
    continue_offer(bus, offer);
    uint64_t stamp = read_stamp(restored);
    (void)read_stamp(continued);
    printf("restored %.1f\n", (double)(stamp - called) / 1e3);
    next.tv_nsec += step;
    next.tv_sec += next.tv_nsec / SECOND;
    next.tv_nsec %= SECOND;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR) continue;
  }
  return 0;
}
