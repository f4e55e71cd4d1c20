/*
 * segue-probe APP_ID [--own] [--not-ready] [--no-will-continue] [--no-continue] [--no-did-fail] [--sources]: the
 * whole C ABI, driven by lines. For the system tests and the soak.
 *
 * Commands come on standard input, one a line, words separated by spaces; text is %-encoded, "-" stands for none:
 *
 *     activity NAME TYPE | title NAME TEXT | url NAME URL | put NAME KEY int|double|bool|string VALUE
 *     info NAME HEXCBOR | add NAME HEXCBOR | dump NAME (prints "info NAME HEXCBOR") | delegate NAME | drop NAME
 *     current NAME | resign NAME | invalidate NAME | needs-save NAME 0|1 | flood NAME N | eligible NAME 0|1
 *     keywords NAME TEXT,… | required NAME KEY,…|unset | referrer NAME URL | target NAME TEXT | persistent NAME TEXT
 *     search NAME 0|1 | snapshot NAME 0|1 | expire NAME MILLISECONDS|never (from now; "-1" has passed)
 *     show NAME (prints "show TITLE URL TARGET REVISION") | delete-saved TAG ID,… | delete-all TAG
 *     reasons 0|1 (whether will-save tells why) | start-pairs NAME (another thread sets left and right) | stop-pairs
 *     responder R | attach R NAME | drop-responder R | state R KEY int|string VALUE (what R's update adds)
 *     hammer R NAME NAME N (four threads set and read R's activity N times) | hammer-join (prints "hammer well")
 *     window W plain|continues | prefers W TARGET|* | can W TARGET|* | drop-window W
 *     main W | focus W R | next R R | why (prints "why REASON NAME SENTENCE")
 *     document D URL MIME | move D URL | file D (prints "file URL") | close D | set-activity D NAME
 *     activity-of D NAME (gives D's activity that name) | attach, state and drop-responder as for a responder
 *     shows W D (the window shows the document) | add-responder D R | remove-responder D R
 *     object R PLUGIN-ID OBJECT KEY-PREFIX|- PREFIX|- (of a plugin; attach and drop-responder as for a responder)
 *     set-property R KEY HEXCBOR | get-property R KEY (prints "property KEY HEXCBOR")
 *     play R URL TIME RATE (by the extension of org.segue.media-position)
 *     source (prints "source ID live|stored AGE|unknown" of the continuation that came last: as will_continue had it,
 *     and in the same words as continue has it) | from NAME (prints "from ID REVISION", what it was continued from)
 *     follow-offers (a delegate with offers_changed) | hold-offer TITLE (keeps it beyond its list)
 *     offers (prints lines "offer ID TYPE TITLE HOST APP-ID APP-NAME DEVICE-ID DEVICE-NAME here|away live|stored
 *     young|old") | continue-offer TAG TITLE TOKEN|- (of the list, else what is held) | continue-elsewhere TITLE (on
 *     another thread)
 *     support-streams NAME 0|1 | get-streams TAG NAME | ask-inside N hold|- (continue asks N times, then waits for a
 *     line) | close-inside 0|1 (callbacks close the streams that they are given, and wait for a line)
 *     give INPUT OUTPUT PATH (sends both to who listens there, and closes them) | lend INPUT OUTPUT PATH (keeps them)
 *     stream-error INPUT (prints "stream-error CODE MESSAGE")
 *     allow-files NAME 0|1 | bring-file TAG NAME URL | cancel-file NAME URL
 *     without continue|open-document (takes the member out of the delegate)
 *     ready | who (prints "who NAME") | quit | stop-dispatch | resume-dispatch | await-input (until there is something
 *     to dispatch)
 *     on will-continue accept|refuse|exit
 *     on continue accept|refuse|exit|defer|drop   (accept: on the first responder, all restore; drop: no restoration)
 *     on open-document accept|refuse|drop|reuse|documents   (opens the document "opened"; drop: without restoration;
 *     reuse: none; documents: none, and only documents restore)
 *     on update normal|exit|hang|set-needs-save|set-title|drop-self|close|await-pair (close: drops the application;
 *     await-pair: until the thread of start-pairs has set a pair)
 *     on version absent|agree|refuse|mismatch (of a delegate that is set afterwards)
 *     on changed quiet|tell | on make-window none|plain|continues (the window is called "made")
 *     on streams take|absent (of a delegate that is set afterwards)
 *     mischief CALLBACK drop-responders|drop-activities|drop-windows|drop-application|drop-all|invalidate|call-back
 *     (what CALLBACK, the word of its event, does once)
 *     restore-now (on another thread) | restore-twice (so too, and keeps the handler)
 *     wrong-thread | fork-check | null-args (print their outcome, 0 is good)
 *
 * Each prints "ok", "ok N" for a positive outcome, or "error -N NAME". Callbacks print, in the same encoding:
 *
 *     event will-continue TYPE TITLE DEVICE | event continue TYPE HEXCBOR | event fail TYPE CODE MESSAGE
 *     event source CALLBACK ID live|stored AGE|unknown (before each of these, with --sources)
 *     event token ACTIVATION-TOKEN (after will-continue, where there is one)
 *     event open-document URL HEXCBOR
 *     event update R NAME | event did-update NAME | event will-save NAME | event restored R HEXCBOR
 *     event mischief CALLBACK DEED | event called-back well|CALL (that did not return what it should)
 *     event changed R NAME | event prefers W TARGET | event can W TARGET | event make-window TYPE
 *     event window-continue W (before event continue) | event window W (after it, where it goes to one)
 *     event object-failed R MESSAGE | event not-loaded PLUGIN-ID MESSAGE
 *     event was-continued NAME [browser] | event state N | event activate TOKEN | event open URL
 *
 *     event offers-changed | event chosen TAG CODE MESSAGE ADVICE [closing]
 *     event received-streams NAME INPUT OUTPUT | event streams TAG INPUT OUTPUT
 *     event progress TAG DONE SIZE | event file TAG PATH SIZE SHA256|- | event no-file TAG CODE MESSAGE
 *     event no-streams TAG CODE MESSAGE | event asked RESULT (of ask-inside) | event holds (and waits)
 *     event reason NAME N | event version NAME N | event deleted TAG CODE [closing]
 *
 * The probe names the activity that was continued "continued".
 */
#define _GNU_SOURCE
#include "probe.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS 8

probe_state probe = {
    .on =
        {.will_continue = "accept",
         .continue_activity = "accept",
         .update = "normal",
         .version = "absent",
         .changed = "quiet",
         .make_window = "none",
         .open_document = "accept",
         .streams = "take"},
    .dispatches = true,
};

/* The bytes read from standard input that are not yet a whole line. */
static struct {
  char *bytes;
  size_t length;
  size_t room;
} input;

static void print_result(int result) {
  if (result < 0) {
    const char *name = strerrorname_np(-result);
    printf("error %d %s\n", result, name == NULL ? "UNKNOWN" : name);
  } else if (result > 0) {
    printf("ok %d\n", result);
  } else {
    puts("ok");
  }
}

static const command *find_command(const char *word) {
  static const command *const tables[] = {
      activity_commands, attribute_commands, state_commands,        responder_commands, window_commands,
      document_commands, plugin_commands,    continuation_commands, mischief_commands,  offer_commands,
      stream_commands,   file_commands,      application_commands};
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    for (const command *at = tables[i]; at->word != NULL; at++) {
      if (strcmp(at->word, word) == 0) return at;
    }
  }
  return NULL;
}

static void execute(char *line) {
  char *words[WORDS] = {NULL};
  char *rest = NULL;
  int count = 0;
  for (char *word = strtok_r(line, " ", &rest); word != NULL && count < WORDS; word = strtok_r(NULL, " ", &rest)) {
    words[count++] = word;
  }
  if (count == 0) return;
  const command *found = find_command(words[0]);
  print_result(found == NULL ? -ENOSYS : found->arguments != count - 1 ? -EINVAL : found->run(words));
}

/* Executes the lines that are whole. */
static void execute_lines(void) {
  char *start = input.bytes;
  char *end;
  while (!probe.quits && (end = memchr(start, '\n', input.length)) != NULL) {
    *end = '\0';
    input.length -= (size_t)(end + 1 - start);
    execute(start);
    start = end + 1;
  }
  memmove(input.bytes, start, input.length);
}

/* @return false at the end of input. */
static bool read_input(void) {
  if (input.room - input.length < 4096) {
    input.room = 2 * input.room + 8192;
    input.bytes = realloc(input.bytes, input.room);
    if (input.bytes == NULL) abort();
  }
  ssize_t length = read(STDIN_FILENO, input.bytes + input.length, input.room - input.length);
  if (length <= 0) return length < 0 && errno == EINTR;
  input.length += (size_t)length;
  execute_lines();
  return true;
}

static void run(void) {
  while (!probe.quits) {
    struct pollfd waited[] = {
        {.fd = STDIN_FILENO, .events = POLLIN},
        {.fd = probe.dispatches ? segue_application_get_fd(probe.application) : -1, .events = POLLIN},
    };
    if (poll(waited, 2, -1) < 0 && errno != EINTR) return;
    if (waited[1].revents != 0) segue_application_dispatch(probe.application);
    if (waited[0].revents != 0 && !read_input()) return;
  }
}

int main(int count, char **given) {
  segue_application_options options = SEGUE_APPLICATION_OPTIONS_INIT;
  bool is_ready = true;
  segue_application_delegate delegate = *probe_delegate();
  for (int i = 2; i < count; i++) {
    if (strcmp(given[i], "--own") == 0) options.flags |= SEGUE_APPLICATION_OWN_APP_ID;
    if (strcmp(given[i], "--not-ready") == 0) is_ready = false;
    if (strcmp(given[i], "--sources") == 0) probe.tells_sources = true;
    if (strcmp(given[i], "--no-will-continue") == 0) delegate.will_continue = NULL;
    if (strcmp(given[i], "--no-continue") == 0) delegate.continue_activity = NULL;
    if (strcmp(given[i], "--no-did-fail") == 0) delegate.did_fail = NULL;
  }
  if (count < 2) {
    fputs("usage: segue-probe APP_ID [--own] [--not-ready]\n", stderr);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  segue_error *error = NULL;
  int result = segue_application_new(given[1], &options, &probe.application, &error);
  if (result < 0) {
    print_result(result);
    fprintf(stderr, "segue-probe: %s\n", segue_error_get_message(error));
    segue_error_unref(error);
    return 1;
  }
  segue_application_set_delegate(probe.application, &delegate, NULL, NULL);
  if (is_ready) segue_application_ready(probe.application);
  run();
  names_clear();
  offers_clear();
  segue_restoration_unref(probe.deferred);
  segue_application_unref(probe.application);
  free(input.bytes);
  return 0;
}
