/* org.segue.media-position: a place in music or a film. README.md says what each property means. */
#include "media-position.h"

#include <errno.h>
#include <math.h>
#include <segue/plugin.h>
#include <stdlib.h>
#include <string.h>

typedef struct playback {
  const segue_plugin_host *host;
  char *url; /* NULL: nothing is played yet */
  double time;
  double rate;
  char *audio;     /* NULL: the player's choice */
  char *subtitles; /* NULL: none */
  double volume;
} playback;

/* Puts a copy of the text, or NULL, in the place of what was there. */
static int replace(char **held, const char *text) {
  char *copy = text == NULL ? NULL : strdup(text);
  if (text != NULL && copy == NULL) return -ENOMEM;
  free(*held);
  *held = copy;
  return 0;
}

/* Properties that belong together: a time means nothing without its URL. These three have no setters of their own. */

static const char *get_url(const playback *held) {
  return held->url;
}

static double get_time(const playback *held) {
  return held->time;
}

static double get_rate(const playback *held) {
  return held->rate;
}

/* A required argument is never NULL. */
static int restore(playback *held, const char *url, double time, double rate) {
  if (!isfinite(time) || time < 0 || !isfinite(rate)) return -ERANGE;
  int result = replace(&held->url, url);
  if (result < 0) return result;
  held->time = time;
  held->rate = rate;
  return 0;
}

/* Properties that stand alone. */

static const char *get_audio(const playback *held) {
  return held->audio;
}

static int set_audio(playback *held, const char *track) {
  return replace(&held->audio, track);
}

static const char *get_subtitles(const playback *held) {
  return held->subtitles;
}

static int set_subtitles(playback *held, const char *track) {
  return replace(&held->subtitles, track);
}

static double get_volume(const playback *held) {
  return held->volume;
}

static int set_volume(playback *held, double volume) {
  /* Not a number is in no range. */
  if (!(volume >= 0 && volume <= 1)) return -ERANGE;
  held->volume = volume;
  return 0;
}

#define FUNCTION(name) ((segue_plugin_function)(name))

static const segue_plugin_property properties[] = {
    {"media.url", "mU", SEGUE_PROPERTY_PORTABLE | SEGUE_PROPERTY_REQUIRED, NULL, FUNCTION(get_url), NULL, NULL},
    {"media.time", "d", SEGUE_PROPERTY_PORTABLE, "0", FUNCTION(get_time), NULL, NULL},
    {"media.rate", "d", SEGUE_PROPERTY_PORTABLE, "1", FUNCTION(get_rate), NULL, NULL},
    {"media.audio", "ms", SEGUE_PROPERTY_PORTABLE, NULL, FUNCTION(get_audio), FUNCTION(set_audio), NULL},
    {"media.subtitles", "ms", SEGUE_PROPERTY_PORTABLE, NULL, FUNCTION(get_subtitles), FUNCTION(set_subtitles), NULL},
    /* Each device has its own loudness. */
    {"media.volume", "d", SEGUE_PROPERTY_THIS_DEVICE, NULL, FUNCTION(get_volume), FUNCTION(set_volume), NULL},
};

static const char *const restore_keys[] = {"media.url", "media.time", "media.rate"};

/* The object. */

static int create(const segue_plugin_host *host, void **out_object) {
  playback *made = calloc(1, sizeof *made);
  if (made == NULL) return -ENOMEM;
  made->host = host;
  made->rate = made->volume = 1;
  *out_object = made;
  return 0;
}

static void destroy(void *object) {
  playback *held = object;
  free(held->url);
  free(held->audio);
  free(held->subtitles);
  free(held);
}

static int set(void *object, const char *url, double time, double rate) {
  playback *held = object;
  int result = restore(held, url, time, rate);
  return result < 0 ? result : held->host->needs_save(held->host);
}

static const void *get_extension(void *object, const char *id) {
  static const segue_media_position extension = {sizeof(segue_media_position), 0, set};
  (void)object;
  return strcmp(id, SEGUE_MEDIA_POSITION) == 0 ? &extension : NULL;
}

static const segue_plugin_object_descriptor descriptor = {
    .struct_size = sizeof(segue_plugin_object_descriptor),
    .property_size = sizeof(segue_plugin_property),
    .id = "playback",
    .name = "A place in music or a film",
    .create = create,
    .destroy = destroy,
    .properties = properties,
    .property_count = sizeof properties / sizeof properties[0],
    .restore_key_count = sizeof restore_keys / sizeof restore_keys[0],
    .restore = FUNCTION(restore),
    .restore_signature = "mUdd",
    .restore_keys = restore_keys,
    .get_extension = get_extension,
};

static const segue_plugin_object_descriptor *const descriptors[] = {&descriptor};

static const segue_plugin_object_factory factory = {sizeof(segue_plugin_object_factory), 1, descriptors};

static const void *get_factory(const char *id) {
  return strcmp(id, SEGUE_PLUGIN_OBJECT_FACTORY) == 0 ? &factory : NULL;
}

SEGUE_PLUGIN_EXPORT const segue_plugin_entry segue_entry = {
    .struct_size = sizeof(segue_plugin_entry),
    .abi = SEGUE_PLUGIN_ABI,
    .id = "org.segue.media-position",
    .get_factory = get_factory,
};
