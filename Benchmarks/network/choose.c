/*
 * choose BUS RESTORED CONTINUED COUNT LENGTH KDE-FROM KDE-TO KDE-PATH: a continuation in a running application, and a
 * text as long as its state by KDE Connect, in turn. BUS is the continuing device's; RESTORED and CONTINUED are the
 * FIFOs of continuing.c and origin.c. Prints "ours" (choice to restore callback) and "kde", each with microseconds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "signals.h"

/* Samples that are not counted: caches, the allocator's first growth, the first activation of what was not running. */
#define WARM_UP 20

int main(int arguments, char **given) {
  if (arguments != 9) fail("choose", "usage: choose BUS RESTORED CONTINUED COUNT LENGTH KDE-FROM KDE-TO KDE-PATH");
  DBusConnection *bus = open_bus(given[1]);
  int restored = open_fifo(given[2]);
  int continued = open_fifo(given[3]);
  int count = atoi(given[4]);
  int length = atoi(given[5]);
  struct kde kde;
  int has_kde = open_kde(&kde, given[6], given[7], given[8]);
  char offer[33];
  wait_for_offer(bus, offer);
  for (int i = -WARM_UP; i < count; i++) {
    uint64_t called = now();
    continue_offer(bus, offer);
    double ours = (double)(read_stamp(restored) - called) / 1e3;
    (void)read_stamp(continued);
    double theirs = has_kde ? (double)share(&kde, "shareText", length) / 1e3 : 0;
    if (i < 0) continue;
    printf("ours %.1f\n", ours);
    if (has_kde) printf("kde %.1f\n", theirs);
  }
  return 0;
}
