/*
 * launch PROGRAM ARGUMENT...: connects to the test that waits for this Flatpak, and becomes the program. A sandbox has
 * no Python for Tests/system/harness/launcher.py.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **arguments) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *device = getenv("SEGUE_TEST_DEVICE");
  const char *id = getenv("FLATPAK_ID");
  if (count < 2 || device == NULL || id == NULL) return 2;
  snprintf(address.sun_path, sizeof address.sun_path, "%s/launch/%s", device, id);
  int test = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (test < 0 || connect(test, (struct sockaddr *)&address, sizeof address) != 0) {
    perror(address.sun_path);
    return 1;
  }
  if (dup2(test, STDIN_FILENO) < 0 || dup2(test, STDOUT_FILENO) < 0) return 1;
  execv(arguments[1], arguments + 1);
  perror(arguments[1]);
  return 1;
}
