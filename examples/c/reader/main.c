#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "script.h"
#include "terminal.h"

static const char usage[] =
    "usage: segue-reader [--script] FILE\n"
    "       segue-reader [--script] --service    (launched to continue what another device was reading)\n";

typedef struct arguments {
  bool script;
  bool service;
  const char *path;
} arguments;

static bool parse(int count, char **given, arguments *out_arguments) {
  bool options = true;
  for (int i = 1; i < count; i++) {
    if (options && strcmp(given[i], "--") == 0) {
      options = false;
    } else if (options && strcmp(given[i], "--script") == 0) {
      out_arguments->script = true;
    } else if (options && strcmp(given[i], "--service") == 0) {
      out_arguments->service = true;
    } else if ((options && given[i][0] == '-') || out_arguments->path != NULL) {
      return false;
    } else {
      out_arguments->path = given[i];
    }
  }
  /* A script may open its file by a command. */
  return out_arguments->service ? out_arguments->path == NULL : out_arguments->path != NULL || out_arguments->script;
}

/* Joins Segue and runs the user interface; a failure's reason is printed when the terminal is the shell's again. */
static int run(const arguments *given, reader *model) {
  script *running = given->script ? script_new(model) : NULL;
  terminal *shown = given->script ? NULL : terminal_new(model);
  if (running == NULL && shown == NULL) {
    fputs("segue-reader: this is not a terminal; see --script\n", stderr);
    return 1;
  }
  handoff_listener listener = running != NULL ? script_listener(running) : terminal_listener(shown);
  char *reason = NULL;
  handoff *joined = handoff_new(model, &listener, &reason);
  if (joined != NULL && !handoff_takes_part(joined) && !given->service) {
    /* The reader shows files even so. */
    listener.state_changed(listener.self, "off", reason);
    g_free(reason);
    reason = NULL;
  }
  if (joined != NULL && reason == NULL) {
    if (model->open != NULL) handoff_opened(joined);
    if (running != NULL) {
      script_run(running, joined);
    } else {
      terminal_run(shown, joined);
    }
  }
  if (joined != NULL) handoff_free(joined);
  if (shown != NULL) terminal_free(shown);
  if (running != NULL) script_free(running);
  if (reason == NULL) return 0;
  fprintf(stderr, "segue-reader: %s\n", reason);
  g_free(reason);
  return 1;
}

int main(int count, char **given) {
  arguments parsed = {0};
  if (!parse(count, given, &parsed)) {
    fputs(usage, stderr);
    return 2;
  }
  reader model;
  reader_init(&model);
  int status = 0;
  if (parsed.path != NULL && !reader_open(&model, parsed.path)) {
    fprintf(stderr, "segue-reader: %s\n", model.notice);
    status = 1;
  } else {
    status = run(&parsed, &model);
  }
  reader_clear(&model);
  return status;
}
