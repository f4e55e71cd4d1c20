/* The commands on the application, its callbacks' behaviour, threads and processes. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

static int ready(char **arguments) {
  (void)arguments;
  return segue_application_ready(probe.application);
}

static int who(char **arguments) {
  (void)arguments;
  segue_activity *current = NULL;
  int result = segue_application_copy_current_activity(probe.application, &current);
  if (result < 0) return result;
  text_print("who", current == NULL ? "" : names_of_activity(current), NULL);
  segue_activity_unref(current);
  return result;
}

static int launch_type(char **arguments) {
  (void)arguments;
  char *type = NULL;
  int result = segue_application_copy_launch_type(probe.application, &type);
  if (result < 0) return result;
  text_print("launch-type", type == NULL ? "" : type, NULL);
  segue_free(type);
  return result;
}

static int quit(char **arguments) {
  (void)arguments;
  probe.quits = true;
  return 0;
}

static int stop_dispatch(char **arguments) {
  (void)arguments;
  probe.dispatches = false;
  return 0;
}

static int resume_dispatch(char **arguments) {
  (void)arguments;
  probe.dispatches = true;
  return 0;
}

/* Waits until there is something to dispatch. */
static int await_input(char **arguments) {
  struct pollfd waited = {.fd = segue_application_get_fd(probe.application), .events = POLLIN};
  (void)arguments;
  return poll(&waited, 1, 10000) == 1 ? 0 : -ETIMEDOUT;
}

/* Takes the behaviour if it is one of the words; the first of them is the default. */
static int choose(char *behaviour, size_t size, const char *const *words, const char *word) {
  for (; *words != NULL; words++) {
    if (strcmp(*words, word) != 0) continue;
    snprintf(behaviour, size, "%s", word);
    return 0;
  }
  return -EINVAL;
}

static int on(char **arguments) {
  static const char *const for_will[] = {"accept", "refuse", "exit", NULL};
  static const char *const for_continue[] = {"accept", "refuse", "exit", "defer", "drop", NULL};
  static const char *const for_open[] = {"accept", "refuse", "drop", "reuse", "documents", NULL};
  static const char *const for_update[] = {"normal", "exit",       "hang", "set-needs-save", "set-title", "drop-self",
                                           "close",  "await-pair", NULL};
  static const char *const for_version[] = {"absent", "agree", "refuse", "mismatch", NULL};
  static const char *const for_changed[] = {"quiet", "tell", NULL};
  static const char *const for_make_window[] = {"none", "plain", "continues", NULL};
  static const char *const for_streams[] = {"take", "absent", NULL};
  behaviours *behaviour = &probe.on;
  const char *word = arguments[2];
  if (strcmp(arguments[1], "will-continue") == 0) {
    return choose(behaviour->will_continue, sizeof behaviour->will_continue, for_will, word);
  }
  if (strcmp(arguments[1], "continue") == 0) {
    return choose(behaviour->continue_activity, sizeof behaviour->continue_activity, for_continue, word);
  }
  if (strcmp(arguments[1], "open-document") == 0) {
    return choose(behaviour->open_document, sizeof behaviour->open_document, for_open, word);
  }
  if (strcmp(arguments[1], "update") == 0) {
    return choose(behaviour->update, sizeof behaviour->update, for_update, word);
  }
  if (strcmp(arguments[1], "version") == 0) {
    return choose(behaviour->version, sizeof behaviour->version, for_version, word);
  }
  if (strcmp(arguments[1], "changed") == 0) {
    return choose(behaviour->changed, sizeof behaviour->changed, for_changed, word);
  }
  if (strcmp(arguments[1], "make-window") == 0) {
    return choose(behaviour->make_window, sizeof behaviour->make_window, for_make_window, word);
  }
  if (strcmp(arguments[1], "streams") == 0) {
    return choose(behaviour->streams, sizeof behaviour->streams, for_streams, word);
  }
  return -EINVAL;
}

static int without(char **arguments) {
  int result = probe_without(arguments[1]);
  return result < 0 ? result : segue_application_set_delegate(probe.application, probe_delegate(), NULL, NULL);
}

/* A call that is made on another thread, with its result. */
typedef struct call {
  int (*function)(void);
  int result;
} call;

static void *make_call(void *made) {
  call *here = made;
  here->result = here->function();
  return NULL;
}

static int on_another_thread(int (*function)(void)) {
  call made = {.function = function, .result = 0};
  pthread_t thread;
  int result = pthread_create(&thread, NULL, make_call, &made);
  if (result != 0) return -result;
  pthread_join(thread, NULL);
  return made.result;
}

static int restore_responders(void) {
  segue_responder *responders[64];
  size_t count = 0;
  for (named *at = probe.first; at != NULL && count < 64; at = at->next) {
    if (at->responder != NULL) responders[count++] = at->responder;
  }
  return segue_restoration_restore(probe.deferred, responders, count);
}

static int restore_now(char **arguments) {
  (void)arguments;
  int result = on_another_thread(restore_responders);
  probe.deferred = segue_restoration_unref(probe.deferred);
  return result;
}

static int restore_twice(char **arguments) {
  (void)arguments;
  int result = on_another_thread(restore_responders);
  return result < 0 ? result : on_another_thread(restore_responders);
}

static int dispatch(void) {
  return segue_application_dispatch(probe.application);
}

static int wrong_thread(char **arguments) {
  (void)arguments;
  int result = on_another_thread(dispatch);
  printf("wrong-thread %d %s\n", result, result < 0 ? strerrorname_np(-result) : "0");
  return 0;
}

/* In the child: 0 if every call is refused, else the number of the first that is not. */
static int call_in_child(void) {
  if (segue_application_dispatch(probe.application) != -ECHILD) return 1;
  if (segue_application_ready(probe.application) != -ECHILD) return 2;
  if (segue_application_wake(probe.application) != -ECHILD) return 3;
  for (const named *at = probe.first; at != NULL; at = at->next) {
    if (at->activity != NULL && segue_activity_set_needs_save(at->activity, true) != -ECHILD) return 4;
    if (at->document != NULL && segue_document_close(at->document) != -ECHILD) return 6;
    if (at->responder != NULL && segue_responder_set_user_activity(at->responder, NULL) != -ECHILD) return 5;
  }
  names_clear();
  segue_application_unref(probe.application);
  return 0;
}

static int fork_check(char **arguments) {
  (void)arguments;
  int status = 0;
  pid_t child = fork();
  if (child == 0) _exit(call_in_child());
  if (child < 0 || waitpid(child, &status, 0) != child) return -errno;
  printf("fork-check %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  return 0;
}

const command application_commands[] = {
    {"ready", 0, ready},
    {"who", 0, who},
    {"launch-type", 0, launch_type},
    {"quit", 0, quit},
    {"stop-dispatch", 0, stop_dispatch},
    {"resume-dispatch", 0, resume_dispatch},
    {"await-input", 0, await_input},
    {"on", 2, on},
    {"without", 1, without},
    {"restore-now", 0, restore_now},
    {"restore-twice", 0, restore_twice},
    {"wrong-thread", 0, wrong_thread},
    {"fork-check", 0, fork_check},
    {"null-args", 0, null_arguments},
    {NULL, 0, NULL},
};
