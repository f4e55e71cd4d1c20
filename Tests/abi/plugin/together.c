/* The object "together": three keys that one function restores, beside a property with a setter of its own. */
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

typedef struct together {
  char url[64];
  double time;
  int32_t track;
  uint8_t volume;
} together;

static const char *get_url(const together *held) {
  return held->url;
}
static double get_time(const together *held) {
  return held->time;
}
static const int32_t *get_track(const together *held) {
  return held->track == 0 ? NULL : &held->track;
}
static uint8_t get_volume(const together *held) {
  return held->volume;
}
static int set_volume(together *held, uint8_t volume) {
  if (volume > 100) return -34;
  held->volume = volume;
  return 0;
}

static int restore(together *held, double time, const char *url, const int32_t *track) {
  if (time < 0 || strlen(url) >= sizeof held->url) return -34;
  strcpy(held->url, url);
  held->time = time;
  held->track = track == NULL ? 0 : *track;
  return 0;
}

static const segue_plugin_property properties[] = {
    {"url", "U", SEGUE_PROPERTY_PORTABLE | SEGUE_PROPERTY_REQUIRED, NULL, FUNCTION(get_url), NULL, NULL},
    {"time", "d", SEGUE_PROPERTY_PORTABLE, "0", FUNCTION(get_time), NULL, NULL},
    {"track", "mi", SEGUE_PROPERTY_PORTABLE, NULL, FUNCTION(get_track), NULL, NULL},
    {"volume", "y", SEGUE_PROPERTY_THIS_DEVICE, NULL, FUNCTION(get_volume), FUNCTION(set_volume), NULL},
};
static const char *const keys[] = {"time", "url", "track"};

static int create(const segue_plugin_host *host, void **out_object) {
  (void)host;
  *out_object = calloc(1, sizeof(together));
  return *out_object == NULL ? -12 : 0;
}

const segue_plugin_object_descriptor together_descriptor = {
    .struct_size = sizeof together_descriptor,
    .property_size = sizeof properties[0],
    .id = "together",
    .name = "What belongs together",
    .create = create,
    .destroy = free,
    .properties = properties,
    .property_count = sizeof properties / sizeof properties[0],
    .restore = FUNCTION(restore),
    .restore_signature = "dUmi",
    .restore_keys = keys,
    .restore_key_count = 3,
};
