// Terminals for segue-shell: what Swift cannot call by itself, or not between fork and exec.
#ifndef SEGUE_CTERMINAL_H
#define SEGUE_CTERMINAL_H

#include <stddef.h>
#include <sys/types.h>

// A new terminal: its first side, non-blocking, and the path of its other one. -errno.
int segue_terminal_open(char *path, size_t length);

// Starts a program, searched for in PATH, on the terminal at `path`, in a session of its own that the terminal
// controls. A descriptor (pidfd) that is readable when it has ended, or -errno.
int segue_terminal_spawn(char *const *arguments, char *const *environment, const char *path, pid_t *pid);

// Starts a program by its path in a session of its own, with nothing on its standard descriptors, and `handed` as
// descriptor 3 unless that is -1. 0 or -errno.
#define SEGUE_HANDED_FILENO 3
int segue_terminal_detach(char *const *arguments, char *const *environment, const char *folder, int handed, pid_t *pid);

int segue_terminal_set_size(int terminal, int rows, int columns);

// The rows and columns of a terminal. -1 with errno where it is none.
int segue_terminal_size(int terminal, int *rows, int *columns);

// A descriptor that becomes readable at the signals at which a viewer or a session has something to do, which are
// blocked from then on. -1 with errno.
int segue_terminal_signals(void);

// The next of them, 0 if there is none.
int segue_terminal_next_signal(int descriptor);

// Stops this process as SIGTSTP does, and returns when it is continued.
void segue_terminal_stop(void);

// From now on a crash of this process gives the terminal its present settings back, and prints `farewell` there, before
// it ends the process.
void segue_terminal_guard(int terminal, const char *farewell, size_t length);
void segue_terminal_unguard(void);

// Sends up to 2 descriptors with at least one byte over a unix socket. What was written, or -1 with errno.
ssize_t segue_terminal_send(int socket, const void *bytes, size_t length, const int *descriptors, int count);

// Receives bytes, and up to 2 descriptors, close-on-exec; further ones are closed. What was read, or -1 with errno.
ssize_t segue_terminal_receive(int socket, void *bytes, size_t length, int *descriptors, int *count);

#endif
