/* The film or music that mpv plays goes on at another device: org.segue.open.Media, which any player there may take
 * (docs/open-types.md). mpv calls mpv_open_cplugin on a thread of the plugin's own, which is the application's thread.
 */
#include <math.h>
#include <mpv/client.h>
#include <poll.h>
#include <segue/segue.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "address.h"

#define TYPE "org.segue.open.Media"

typedef struct player {
  mpv_handle *mpv;
  segue_application *app;
  segue_activity *activity; /* of what is played; NULL for nothing */
  char url[ADDRESS_SIZE];   /* its address */
  bool was_saved;           /* its state was asked for: a film that plays on has another one since */
} player;

static double number(const player *here, const char *property) {
  double value = NAN;
  return mpv_get_property(here->mpv, property, MPV_FORMAT_DOUBLE, &value) < 0 ? NAN : value;
}

static bool is_set(const player *here, const char *property) {
  int flag = 0;
  return mpv_get_property(here->mpv, property, MPV_FORMAT_FLAG, &flag) >= 0 && flag != 0;
}

static void show(const player *here, const char *text) {
  const char *command[] = {"show-text", text, "4000", NULL};
  mpv_command(here->mpv, command);
}

/* --- The activity of the film here --- */

static void add_text(segue_activity *activity, const char *key, char *text) {
  if (text != NULL && *text != '\0') segue_activity_add_string(activity, key, text);
  mpv_free(text);
}

static void add_number(segue_activity *activity, const char *key, double value) {
  if (isfinite(value) && value >= 0) segue_activity_add_double(activity, key, value);
}

/* Somebody asks for the state. */
static void save(segue_activity *activity, void *userdata) {
  player *here = userdata;
  bool is_live = !isfinite(number(here, "duration"));
  segue_activity_add_url(activity, "uri", here->url);
  if (is_live) segue_activity_add_bool(activity, "live", true);
  if (!is_live) add_number(activity, "position", number(here, "time-pos"));
  add_number(activity, "duration", number(here, "duration"));
  add_number(activity, "rate", number(here, "speed"));
  segue_activity_add_bool(activity, "playing", !is_set(here, "pause"));
  add_text(activity, "title", mpv_get_property_string(here->mpv, "media-title"));
  add_text(activity, "audio-track", mpv_get_property_string(here->mpv, "aid"));
  add_text(activity, "subtitle-track", mpv_get_property_string(here->mpv, "sid"));
  here->was_saved = true;
}

/* The film goes on elsewhere, so this one pauses. */
static void was_continued(segue_activity *activity, void *userdata) {
  player *here = userdata;
  int yes = 1;
  (void)activity;
  mpv_set_property(here->mpv, "pause", MPV_FORMAT_FLAG, &yes);
}

static void end(player *here) {
  if (here->activity == NULL) return;
  segue_activity_invalidate(here->activity);
  here->activity = segue_activity_unref(here->activity);
}

static void begin(player *here) {
  segue_activity_delegate delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  char *path = mpv_get_property_string(here->mpv, "path");
  char *folder = mpv_get_property_string(here->mpv, "working-directory");
  char *title = mpv_get_property_string(here->mpv, "media-title");
  end(here);
  if (path != NULL && address_url(folder != NULL ? folder : "", path, here->url) &&
      segue_activity_new(here->app, TYPE, &here->activity, NULL) == 0) {
    delegate.will_save = save;
    delegate.was_continued = was_continued;
    segue_activity_set_delegate(here->activity, &delegate, here, NULL);
    segue_activity_set_title(here->activity, title);
    segue_activity_set_needs_save(here->activity, true);
    segue_activity_become_current(here->activity);
  }
  mpv_free(title);
  mpv_free(folder);
  mpv_free(path);
}

/* --- Films of another device --- */

/* No film is longer: 2^40 seconds, as in the daemon's bridges. */
#define LONGEST 1099511627776.0

/* A finite number, brought into a range; `otherwise` where there is none. */
static double clamped(const segue_activity *activity, const char *key, double low, double high, double otherwise) {
  double value = 0;
  if (segue_activity_get_double(activity, key, &value) < 0 || !isfinite(value)) return otherwise;
  return value < low ? low : value > high ? high : value;
}

static double position_of(const segue_activity *activity) {
  double duration = clamped(activity, "duration", 0, LONGEST, 0);
  bool is_live = false;
  segue_activity_get_bool(activity, "live", &is_live);
  return is_live ? 0 : clamped(activity, "position", 0, duration > 0 ? duration : LONGEST, 0);
}

static bool resume(segue_application *app, segue_activity *activity, segue_restoration *restoration, void *userdata) {
  player *here = userdata;
  char path[ADDRESS_SIZE], options[192], text[256];
  const char *why = NULL;
  char *uri = NULL;
  bool playing = true, fine;
  double position = position_of(activity);
  (void)app, (void)restoration;
  if (segue_activity_copy_string(activity, "uri", &uri) < 0) return false;
  fine = address_open(uri, path, &why);
  if (fine && here->activity != NULL && strcmp(uri, here->url) == 0 && number(here, "time-pos") > position + 1) {
    /* The film stays where it is, and the other place is shown: a film never goes back by itself. */
    snprintf(text, sizeof text, "The other device is at %.0f s; you are further", position);
    show(here, text);
    segue_free(uri);
    return true;
  }
  segue_free(uri);
  if (!fine) {
    snprintf(text, sizeof text, "It does not go on here: %s", why != NULL ? why : "its address is too long");
    show(here, text);
    return false;
  }
  segue_activity_get_bool(activity, "playing", &playing);
  /* Neither a file that turns out to be a list, nor one with the names of others inside, makes mpv open those, also
   * where the user lets lists do it. A stream of the web is made of references. */
  snprintf(
      options, sizeof options, "start=%.3f,pause=%s,speed=%.3f,load-unsafe-playlists=no%s", position,
      playing ? "no" : "yes", clamped(activity, "rate", 0.1, 10, 1), path[0] == '/' ? ",access-references=no" : "");
  {
    /* From mpv 0.38 on, a place in the list stands before the options. */
    bool has_place = mpv_client_api_version() >= MPV_MAKE_VERSION(2, 3);
    const char *former[] = {"loadfile", path, "replace", options, NULL};
    const char *present[] = {"loadfile", path, "replace", "-1", options, NULL};
    return mpv_command(here->mpv, has_place ? present : former) >= 0;
  }
}

/* --- The loop --- */

/* False when mpv ends. */
static bool handle(player *here, const mpv_event *event) {
  switch (event->event_id) {
    case MPV_EVENT_SHUTDOWN: return false;
    case MPV_EVENT_FILE_LOADED: begin(here); break;
    case MPV_EVENT_END_FILE: end(here); break;
    case MPV_EVENT_PLAYBACK_RESTART:
    case MPV_EVENT_PROPERTY_CHANGE:
      if (here->activity != NULL) segue_activity_set_needs_save(here->activity, true);
      break;
    default: break;
  }
  return true;
}

static void run(player *here) {
  struct pollfd ready[2] = {
      {mpv_get_wakeup_pipe(here->mpv), POLLIN, 0}, {segue_application_get_fd(here->app), POLLIN, 0}};
  for (;;) {
    for (;;) {
      const mpv_event *event = mpv_wait_event(here->mpv, 0);
      if (event->event_id == MPV_EVENT_NONE) break;
      if (!handle(here, event)) return;
    }
    segue_application_dispatch(here->app);
    if (here->was_saved && here->activity != NULL && !is_set(here, "pause")) {
      segue_activity_set_needs_save(here->activity, true);
    }
    here->was_saved = false;
    if (poll(ready, 2, -1) > 0 && (ready[0].revents & POLLIN) != 0) {
      char bytes[256];
      if (read(ready[0].fd, bytes, sizeof bytes) < 0) continue;
    }
  }
}

__attribute__((visibility("default"))) int mpv_open_cplugin(mpv_handle *mpv) {
  static player here;
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  here.mpv = mpv;
  if (segue_application_new("org.segue.Mpv", NULL, &here.app, NULL) < 0) return -1;
  delegate.continue_activity = resume;
  segue_application_set_delegate(here.app, &delegate, &here, NULL);
  mpv_observe_property(mpv, 0, "pause", MPV_FORMAT_FLAG);
  mpv_observe_property(mpv, 0, "speed", MPV_FORMAT_DOUBLE);
  segue_application_ready(here.app);
  run(&here);
  end(&here);
  segue_application_unref(here.app);
  return 0;
}
