/* The commands on the offers of other devices and other applications for this one. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

/* The offer that hold-offer keeps beyond its list. */
static segue_offer *held;

void offers_changed(segue_application *application, void *userdata) {
  (void)application;
  (void)userdata;
  puts("event offers-changed");
  mischief_in("offers-changed");
}

static void print_offer(const segue_offer *offer) {
  uint64_t age = UINT64_MAX;
  segue_offer_get_age(offer, &age);
  text_print(
      "offer", segue_offer_get_id(offer), segue_offer_get_activity_type(offer), segue_offer_get_title(offer),
      segue_offer_get_web_host(offer), segue_offer_get_app_id(offer), segue_offer_get_app_name(offer),
      segue_offer_get_device_id(offer), segue_offer_get_device_name(offer),
      segue_offer_is_here(offer) ? "here" : "away", segue_offer_is_stored(offer) ? "stored" : "live",
      age < (uint64_t)3600 * 1000 ? "young" : "old", NULL);
}

static int offers(char **arguments) {
  (void)arguments;
  segue_offer **list = NULL;
  size_t count = 0;
  int result = segue_application_copy_offers(probe.application, &list, &count);
  if (result < 0) return result;
  for (size_t i = 0; i < count; i++) {
    print_offer(list[i]);
    segue_offer_unref(list[i]);
  }
  segue_free(list);
  return 0;
}

static int follow_offers(char **arguments) {
  (void)arguments;
  return segue_application_set_delegate(probe.application, probe_follow(), NULL, NULL);
}

/* A reference to the offer with this title, else to the one that is held; NULL if there is neither. */
static segue_offer *find(const char *title) {
  segue_offer **list = NULL;
  size_t count = 0;
  if (segue_application_copy_offers(probe.application, &list, &count) < 0) return NULL;
  segue_offer *found = NULL;
  for (size_t i = 0; i < count; i++) {
    if (found == NULL && strcmp(segue_offer_get_title(list[i]), title) == 0) found = segue_offer_ref(list[i]);
    segue_offer_unref(list[i]);
  }
  segue_free(list);
  if (found == NULL && held != NULL) found = segue_offer_ref(held);
  return found;
}

static int hold_offer(char **arguments) {
  segue_offer *found = find(text_decode(arguments[1]));
  if (found == NULL) return -ENOENT;
  segue_offer_unref(held);
  held = found;
  return 0;
}

static void chosen(segue_application *application, const segue_error *error, void *userdata) {
  char code[16];
  snprintf(code, sizeof code, "%d", error == NULL ? 0 : (int)segue_error_get_code(error));
  text_print(
      "event chosen", (const char *)userdata, code, error == NULL ? "" : segue_error_get_message(error),
      error == NULL ? "" : segue_error_get_advice(error), application == NULL ? "closing" : NULL, NULL);
}

static int continue_offer(char **arguments) {
  segue_offer *offer = find(text_decode(arguments[2]));
  if (offer == NULL) return -ENOENT;
  int result = segue_offer_continue(offer, text_decode_nullable(arguments[3]), chosen, strdup(arguments[1]), free);
  segue_offer_unref(offer);
  return result;
}

static void *choose_elsewhere(void *offer) {
  return (void *)(intptr_t)segue_offer_continue(offer, NULL, NULL, NULL, NULL);
}

static int continue_elsewhere(char **arguments) {
  segue_offer *offer = find(text_decode(arguments[1]));
  if (offer == NULL) return -ENOENT;
  pthread_t thread;
  void *result = NULL;
  if (pthread_create(&thread, NULL, choose_elsewhere, offer) != 0) abort();
  pthread_join(thread, &result);
  segue_offer_unref(offer);
  return (int)(intptr_t)result;
}

void offers_clear(void) {
  segue_offer_unref(held);
  held = NULL;
}

const command offer_commands[] = {
    {"offers", 0, offers},
    {"follow-offers", 0, follow_offers},
    {"hold-offer", 1, hold_offer},
    {"continue-offer", 3, continue_offer},
    {"continue-elsewhere", 1, continue_elsewhere},
    {NULL, 0, NULL},
};
