/*
 * warm BUS ECHO RESTORED CONTINUED COUNT: one D-Bus round trip and one continuation in a running application, in turn.
 * BUS is the continuing device's; RESTORED and CONTINUED are the FIFOs of continuing.c and origin.c.
 * Prints "floor", "restored" (call to restore callback) and "answered" (call to reply), each with microseconds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

/* Samples that are not counted: caches, the allocator's first growth, the first activation of what was not running. */
#define WARM_UP 50

static double microseconds(uint64_t from, uint64_t to) {
  return (double)(to - from) / 1e3;
}

int main(int count, char **given) {
  if (count != 6) fail("warm", "usage: warm BUS ECHO RESTORED CONTINUED COUNT");
  DBusConnection *bus = open_bus(given[1]);
  int restored = open_fifo(given[3]);
  int continued = open_fifo(given[4]);
  int samples = atoi(given[5]);
  char offer[33];
  wait_for_offer(bus, offer);
  for (int i = -WARM_UP; i < samples; i++) {
    uint64_t start = now();
    call_echo(bus, given[2]);
    uint64_t echoed = now();
    uint64_t called = now();
    continue_offer(bus, offer);
    uint64_t answered = now();
    uint64_t stamp = read_stamp(restored);
    (void)read_stamp(continued);
    if (i < 0) continue;
    printf("floor %.1f\n", microseconds(start, echoed));
    printf("restored %.1f\n", microseconds(called, stamp));
    printf("answered %.1f\n", microseconds(called, answered));
  }
  return 0;
}
