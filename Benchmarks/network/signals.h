/* Helpers that the programs here share: waiting for a signal, and sharing by KDE Connect. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include "../common.h"

/* Has the bus pass such a signal on. */
void follow(DBusConnection *bus, const char *interface, const char *member);

/* Waits for the next such signal; returns when it was read. */
uint64_t wait_for_signal(DBusConnection *bus, const char *interface, const char *member);

/* KDE Connect on two hosts. */
struct kde {
  DBusConnection *from;
  DBusConnection *to;
  const char *path;
};

/* Where it is not installed, both addresses are "-". Returns whether it is. */
int open_kde(struct kde *kde, const char *from, const char *to, const char *path);

/* Shares a URL of so many bytes, by "shareUrl" or as a text by "shareText": from the call to the signal on the other
 * host, in nanoseconds. */
uint64_t share(const struct kde *kde, const char *member, int length);

/* Sleeps for so many milliseconds. */
void rest(int milliseconds);

#endif
