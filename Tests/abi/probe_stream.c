/* The commands on continuation streams. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "probe.h"

/* Waits for a line: the callback goes on until then. */
static void hold(void) {
  char byte = 0;
  puts("event holds");
  while (byte != '\n' && read(STDIN_FILENO, &byte, 1) == 1) continue;
}

/* Closes both ends inside the callback that has brought them, if `close-inside` asks for it. */
static void close_here(int input, int output) {
  if (!probe.closes) return;
  close(input);
  close(output);
  hold();
}

void received_streams(segue_activity *activity, int input, int output, void *userdata) {
  (void)userdata;
  char numbers[2][16];
  snprintf(numbers[0], sizeof numbers[0], "%d", input);
  snprintf(numbers[1], sizeof numbers[1], "%d", output);
  text_print("event received-streams", names_of_activity(activity), numbers[0], numbers[1], NULL);
  close_here(input, output);
  mischief_in("received-streams");
}

static void got_streams(segue_activity *activity, int input, int output, const segue_error *error, void *userdata) {
  (void)activity;
  char numbers[2][16];
  if (error != NULL) {
    snprintf(numbers[0], sizeof numbers[0], "%d", (int)segue_error_get_code(error));
    // On failure both are -1: there is nothing to close.
    text_print(
        "event no-streams", (const char *)userdata, numbers[0], segue_error_get_message(error),
        input == -1 && output == -1 ? NULL : "descriptors", NULL);
  } else {
    snprintf(numbers[0], sizeof numbers[0], "%d", input);
    snprintf(numbers[1], sizeof numbers[1], "%d", output);
    text_print("event streams", (const char *)userdata, numbers[0], numbers[1], NULL);
    close_here(input, output);
  }
  mischief_in("streams");
}

static int ask(const char *tag, segue_activity *activity) {
  return segue_activity_get_continuation_streams(activity, got_streams, strdup(tag), free);
}

void streams_inside(segue_activity *activity) {
  for (int i = 0; i < probe.asks; i++) {
    char result[16];
    snprintf(result, sizeof result, "%d", ask("inside", activity));
    text_print("event asked", result, NULL);
  }
  if (probe.holds) hold();
}

static int ask_inside(char **arguments) {
  probe.asks = atoi(arguments[1]);
  probe.holds = strcmp(arguments[2], "hold") == 0;
  return 0;
}

static int close_inside(char **arguments) {
  probe.closes = atoi(arguments[1]) != 0;
  return 0;
}

static int get_streams(char **arguments) {
  const named *found = names_activity(arguments[2]);
  return ask(arguments[1], found == NULL ? NULL : found->activity);
}

static int support_streams(char **arguments) {
  const named *found = names_activity(arguments[1]);
  segue_activity *activity = found == NULL ? NULL : found->activity;
  bool supported = atoi(arguments[2]) != 0;
  int result = segue_activity_set_supports_continuation_streams(activity, supported);
  return result == 0 && segue_activity_supports_continuation_streams(activity) != supported ? -EIO : result;
}

/* Sends two descriptors to the process that listens at a path. */
static int send_descriptors(const int *descriptors, const char *path) {
  union {
    char bytes[CMSG_SPACE(2 * sizeof(int))];
    struct cmsghdr aligned;
  } control;
  char byte = 0;
  struct iovec body = {.iov_base = &byte, .iov_len = 1};
  struct msghdr message = {
      .msg_iov = &body, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  memset(&control, 0, sizeof control);
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(2 * sizeof(int));
  memcpy(CMSG_DATA(header), descriptors, 2 * sizeof(int));
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
  strcpy(address.sun_path, path);
  int to = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool sent = connect(to, (struct sockaddr *)&address, sizeof address) == 0 && sendmsg(to, &message, 0) == 1;
  int result = sent ? 0 : -errno;
  close(to);
  return result;
}

static int lend(char **arguments) {
  int descriptors[] = {atoi(arguments[1]), atoi(arguments[2])};
  return send_descriptors(descriptors, text_decode(arguments[3]));
}

static int give(char **arguments) {
  int result = lend(arguments);
  close(atoi(arguments[1]));
  close(atoi(arguments[2]));
  return result;
}

static int print_error(char **arguments) {
  segue_error *error = NULL;
  int result = segue_stream_copy_error(atoi(arguments[1]), &error);
  if (result < 0) return result;
  char code[16];
  snprintf(code, sizeof code, "%d", (int)segue_error_get_code(error));
  text_print("stream-error", code, segue_error_get_message(error), NULL);
  segue_error_unref(error);
  return 0;
}

const command stream_commands[] = {
    {"support-streams", 2, support_streams},
    {"get-streams", 2, get_streams},
    {"ask-inside", 2, ask_inside},
    {"close-inside", 1, close_inside},
    {"give", 3, give},
    {"lend", 3, lend},
    {"stream-error", 1, print_error},
    {NULL, 0, NULL},
};
