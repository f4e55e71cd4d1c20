// The parts of Linux that Swift cannot see by itself, for both build modes: Embedded Swift has no Glibc module.
#ifndef SEGUE_CLINUX_H
#define SEGUE_CLINUX_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// errno is a macro over a function call, which Swift does not import.
static inline int segue_errno(void) {
  return errno;
}

// An enumerator in glibc, and a plain number in other C libraries.
static const int segue_stream_socket = SOCK_STREAM;

// fcntl is variadic.
static inline int segue_fcntl(int fd, int command, int argument) {
  return fcntl(fd, command, argument);
}

// Sealed memory stands behind _GNU_SOURCE, which this header must not define: the types of the C library would then
// differ from those of the module that ordinary Swift has of it. Calls that need it are in support.c.
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#define F_GET_SEALS 1034
#define F_SEAL_SEAL 0x0001
#define F_SEAL_SHRINK 0x0002
#define F_SEAL_GROW 0x0004
#define F_SEAL_WRITE 0x0008
#endif

// The library exports every name that begins with segue_; these functions stay inside of it.
#define SEGUE_INTERNAL __attribute__((visibility("hidden")))

// The results are those of trunc(3) and ceil(3).
SEGUE_INTERNAL double segue_trunc(double value);
SEGUE_INTERNAL double segue_ceil(double value);

// A descriptor that becomes readable at SIGTERM, SIGINT and SIGHUP, which are blocked for this thread and those that it
// starts, so that none of them ends the process elsewhere. -1 with errno.
SEGUE_INTERNAL int segue_signal_descriptor(void);

// Grows in the child of a fork(2): an object that holds an older number was made before the fork. Every function of the
// ABI compares the two.
SEGUE_INTERNAL extern uint32_t segue_fork_count;
static inline uint32_t segue_fork_generation(void) {
  return __atomic_load_n(&segue_fork_count, __ATOMIC_RELAXED);
}

// A number that no other living thread has, and never 0. pthread_self() would be a call into the C library for each
// function of the ABI.
static inline uintptr_t segue_this_thread(void) {
  return (uintptr_t)__builtin_thread_pointer();
}

SEGUE_INTERNAL int segue_memfd_create(const char *name);

// Accepts the next connection that waits at a listening socket; it is close-on-exec and non-blocking. -1 with errno.
SEGUE_INTERNAL int segue_accept(int fd);

// The credentials that the kernel noted of the other end of a unix socket, when it was connected. 0, or -1 with errno.
SEGUE_INTERNAL int segue_peer_credentials(int fd, uid_t *uid, pid_t *pid);

// Starts a program by its path, without a shell: in a session of its own, in a directory, with no descriptor of ours
// and nothing on its standard ones. Returns a descriptor (pidfd) that is readable when the program has ended, or
// -errno. Not in the library.
SEGUE_INTERNAL int segue_spawn(char *const *arguments, char *const *environment, const char *folder, pid_t *pid);

// The same for a program that reports to us: here, with our environment, standard error as both its outputs, and
// `report` as descriptor 3. Processes that it leaves behind when it ends become children of this process.
#define SEGUE_REPORT_FILENO 3
SEGUE_INTERNAL int segue_spawn_reporting(char *const *arguments, int report, pid_t *pid);

// The same for a program that works for us: with `input` (-1: nothing) and `output` as its standard ones, no standard
// error, and no other descriptor.
SEGUE_INTERNAL int segue_spawn_piped(
    char *const *arguments, char *const *environment, int input, int output, pid_t *pid);

// Writes as write(2) does, to a pipe or a socket, without raising SIGPIPE. Where it must not wait, the caller has asked
// poll(2) for room, and the function may write only a part.
SEGUE_INTERNAL ssize_t segue_write_quietly(int fd, const void *bytes, size_t count, int waits);

// The two ends of a pipe, and a pair of stream sockets; close-on-exec. 0, or -1 with errno. Not in the library.
SEGUE_INTERNAL int segue_pipe(int ends[2]);
SEGUE_INTERNAL int segue_socket_pair(int ends[2]);

// A descriptor that stands for the same file and keeps no end of it open; whether any process holds an end of the pipe
// that it stands for. Not in the library.
SEGUE_INTERNAL int segue_open_path(int fd);
SEGUE_INTERNAL int segue_pipe_has_writer(int path);
SEGUE_INTERNAL int segue_pipe_has_reader(int path);

// send(2) that neither waits nor raises SIGPIPE. Not in the library.
SEGUE_INTERNAL ssize_t segue_send(int fd, const void *bytes, size_t count);

// Has the disk keep room for so many bytes of a file, whose size stays. 0, or -1 with errno.
SEGUE_INTERNAL int segue_reserve(int fd, int64_t length);

// Names the calling thread for the system's tools: 15 bytes of the name at most.
SEGUE_INTERNAL void segue_name_thread(const char *name);

// Whether a string is somewhere among bytes.
SEGUE_INTERNAL int segue_contains(const void *bytes, size_t count, const char *text);

// Finds the file at a path below a directory, as a descriptor that only names it (O_PATH): the file is not opened, so
// no FIFO blocks and no device is touched. The path may contain neither `..`, a symbolic link nor a link of /proc, and
// it cannot leave the directory, whatever changes meanwhile. -1 with errno: ENOSYS before Linux 5.6.
SEGUE_INTERNAL int segue_find_beneath(int folder, const char *path);

// A file or directory as an O_PATH descriptor; links are followed, and the file is not opened. -1 with errno.
SEGUE_INTERNAL int segue_find_path(const char *path);

// A directory as an O_PATH descriptor; links on the way to it are followed.
SEGUE_INTERNAL int segue_find_folder(const char *path);

// The entry of a directory that has this name, as an O_PATH descriptor; for a link, of the link itself. -1 with errno.
SEGUE_INTERNAL int segue_find_element(int folder, const char *name);

// Opens for reading what an O_PATH descriptor names, and waits for neither a FIFO nor a device; a link is not followed.
// -1 with errno. O_NOFOLLOW is not needed, since the file was found before and this opens that very one; the file
// system of the document portal refuses that flag.
SEGUE_INTERNAL int segue_open_found(int found);

// The path by which the loader opened the shared library that this code is in. NULL for a program: its caller chose the
// path that a program knows of itself.
SEGUE_INTERNAL const char *segue_library_path(void);

// Exchanges the names of two files in a directory. -1 with errno; ENOENT where one of them is not there.
static inline int segue_exchange(int folder, const char *one, const char *other) {
  return (int)syscall(SYS_renameat2, folder, one, folder, other, 2 /* RENAME_EXCHANGE, behind _GNU_SOURCE */);
}

// Renames a file, also into another directory, unless there is one of that name. -1 with errno; EEXIST where there is.
static inline int segue_rename_new(int from, const char *name, int folder, const char *fresh) {
  return (int)syscall(SYS_renameat2, from, name, folder, fresh, 1 /* RENAME_NOREPLACE, behind _GNU_SOURCE */);
}

// A descriptor of a process, which outlives the process's number.
static inline int segue_pidfd_open(pid_t pid) {
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

#endif
