/*
 * stream-crowd STREAMS SECONDS FIFO: an application that continues the activity of stream-origin, writes a time stamp
 * to the FIFO each time, and asks for streams until it has so many, at most four by one continuation. Then all of them
 * read as fast as they can, for so long, and it prints for each "share" and its MiB/s.
 */
#include <pthread.h>
#include <segue/segue.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common.h"
#include "bytes.h"

#define MOST 64
#define BY_ONE_CONTINUATION 4
#define CHUNK (1024 * 1024)

typedef struct stream {
  int input, output;
  uint64_t end;    /* of the measurement; now() */
  uint64_t chunks; /* that had come by then */
  pthread_t thread;
} stream;

static stream streams[MOST];
static int fifo, wanted, seconds, asked, open_streams;

static void *use(void *given) {
  stream *used = given;
  while (now() < used->end) {
    ask(used->input, used->output, CHUNK);
    if (now() < used->end) used->chunks++;
  }
  close(used->output);
  return NULL;
}

static void *measure_all(void *none) {
  uint64_t end = now() + (uint64_t)seconds * 1000000000;
  (void)none;
  for (int i = 0; i < wanted; i++) {
    streams[i].end = end;
    if (pthread_create(&streams[i].thread, NULL, use, &streams[i]) != 0) fail("stream-crowd", "no thread");
  }
  for (int i = 0; i < wanted; i++) {
    pthread_join(streams[i].thread, NULL);
    close(streams[i].input);
    printf("share %.2f\n", (double)streams[i].chunks * CHUNK / 1048576 / seconds);
  }
  fflush(stdout);
  return NULL;
}

static void got_streams(segue_activity *activity, int input, int output, const segue_error *error, void *data) {
  pthread_t thread;
  (void)activity, (void)data;
  if (error != NULL) fail("stream-crowd", segue_error_get_message(error));
  streams[open_streams].input = input;
  streams[open_streams].output = output;
  if (++open_streams < wanted) return;
  if (pthread_create(&thread, NULL, measure_all, NULL) != 0) fail("stream-crowd", "no thread");
  pthread_detach(thread);
}

static void state_changed(segue_application *of, segue_application_state state, const segue_error *error, void *data) {
  (void)of, (void)error, (void)data;
  if (state == SEGUE_APPLICATION_REGISTERED) puts("ready");
  fflush(stdout);
}

static bool take(segue_application *app, segue_activity *activity, segue_restoration *restoration, void *data) {
  uint64_t stamp = now();
  (void)app, (void)restoration, (void)data;
  if (write(fifo, &stamp, sizeof stamp) != sizeof stamp) abort();
  for (int i = 0; i < BY_ONE_CONTINUATION && asked < wanted; i++, asked++)
    if (segue_activity_get_continuation_streams(activity, got_streams, NULL, NULL) < 0)
      fail("stream-crowd", "no streams");
  return true;
}

int main(int count, char **given) {
  segue_application *app;
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  if (count != 4 || atoi(given[1]) > MOST) fail("stream-crowd", "usage: stream-crowd STREAMS SECONDS FIFO");
  wanted = atoi(given[1]);
  seconds = atoi(given[2]);
  fifo = open_fifo(given[3]);
  if (segue_application_new(BENCH_APP, NULL, &app, NULL) < 0) fail("stream-crowd", "no application");
  delegate.continue_activity = take;
  delegate.state_changed = state_changed;
  segue_application_set_delegate(app, &delegate, NULL, NULL);
  segue_application_ready(app);
  return segue_application_run(app) < 0;
}
