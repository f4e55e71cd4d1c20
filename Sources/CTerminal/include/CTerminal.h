// Terminals for segue-shell: functions that Swift cannot call by itself, or not between fork and exec.
#ifndef SEGUE_CTERMINAL_H
#define SEGUE_CTERMINAL_H

#include <stddef.h>
#include <sys/types.h>

// Opens a new pseudo-terminal. Returns its master side, non-blocking, and writes the path of its slave; or -errno.
int segue_terminal_open(char *path, size_t length);

// Starts a program, searched for in PATH, on the terminal at `path`, in a session of its own that the terminal
// controls. Returns a descriptor (pidfd) that is readable when the program has ended, or -errno.
int segue_terminal_spawn(char *const *arguments, char *const *environment, const char *path, pid_t *pid);

// Starts a program by its path in a session of its own, with nothing on its standard descriptors, and `handed` as
// descriptor 3 unless that is -1. 0 or -errno.
#define SEGUE_HANDED_FILENO 3
int segue_terminal_detach(char *const *arguments, char *const *environment, const char *folder, int handed, pid_t *pid);

int segue_terminal_set_size(int terminal, int rows, int columns);

// Reads the rows and columns of a terminal. -1 with errno for a descriptor that is no terminal.
int segue_terminal_size(int terminal, int *rows, int *columns);

// Blocks the signals that a viewer or a session acts on, and returns a descriptor that becomes readable when one comes.
// -1 with errno.
int segue_terminal_signals(void);

// The next of these signals, 0 if there is none.
int segue_terminal_next_signal(int descriptor);

// Stops this process as SIGTSTP does, and returns when it is continued.
void segue_terminal_stop(void);

// From now on a crash of this process gives the terminal its present settings back, and prints `farewell` there, before
// it ends the process.
void segue_terminal_guard(int terminal, const char *farewell, size_t length);
void segue_terminal_unguard(void);

// Sends up to 2 descriptors with at least one byte over a unix socket. Returns the bytes written, or -1 with errno.
ssize_t segue_terminal_send(int socket, const void *bytes, size_t length, const int *descriptors, int count);

// Receives bytes, and up to 2 descriptors, close-on-exec; further ones are closed. Returns the bytes read, or -1 with
// errno.
ssize_t segue_terminal_receive(int socket, void *bytes, size_t length, int *descriptors, int *count);

#endif
