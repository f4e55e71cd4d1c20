// Access to files that a process gives up for good, with Landlock (landlock(7)).
#ifndef SEGUE_CCONFINE_H
#define SEGUE_CCONFINE_H

#include <stddef.h>
#include <stdint.h>

// Kinds of access to files.
#define SEGUE_MAY_READ 1
// To change: write, make, rename and remove files.
#define SEGUE_MAY_CHANGE 2
#define SEGUE_MAY_EXECUTE 4
// Whatever else a kernel can forbid, such as commands to devices.
#define SEGUE_MAY_ELSE 8

// A file, or a directory with everything below it, and the kinds of access that stay allowed there.
struct segue_allowed {
  const char *path;
  unsigned kinds;
};

// Makes rules: the `kinds` of access are allowed only there. A path that does not exist allows nothing, also once it
// does. Returns a descriptor, to be closed by the caller; -1 where the kernel has no Landlock.
int segue_make_rules(unsigned kinds, const struct segue_allowed *allowed, size_t count);

// From here on this thread, the threads that it starts and the programs that they start obey the rules; files that are
// open stay open. They gain no privileges by executing a file any more, and cannot look into processes that obey
// fewer rules, such as at /proc/PID/root: the kernel adds that to every rule. Returns 1, or 0 where access is not
// confined.
int segue_confine_thread(int rules);

// Both, for this thread.
int segue_confine_files(unsigned kinds, const struct segue_allowed *allowed, size_t count);

#endif
