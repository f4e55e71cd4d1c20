#include <stdlib.h>
#include <string.h>

#include "probe.h"

named *names_new(const char *name) {
  named *made = calloc(1, sizeof *made);
  made->name = malloc(strlen(name) + 1);
  strcpy(made->name, name);
  return made;
}

void names_free(void *made) {
  named *freed = made;
  segue_value_unref(freed->state);
  free(freed->name);
  free(freed->prefers);
  free(freed->can);
  free(freed);
}

void names_add(named *added) {
  named **end = &probe.first;
  while (*end != NULL) end = &(*end)->next;
  *end = added;
}

named *names_activity(const char *name) {
  for (named *at = probe.first; at != NULL; at = at->next) {
    if (at->activity != NULL && strcmp(at->name, name) == 0) return at;
  }
  return NULL;
}

named *names_responder(const char *name) {
  for (named *at = probe.first; at != NULL; at = at->next) {
    if (at->responder != NULL && strcmp(at->name, name) == 0) return at;
  }
  return NULL;
}

named *names_window(const char *name) {
  for (named *at = probe.first; at != NULL; at = at->next) {
    if (at->window != NULL && strcmp(at->name, name) == 0) return at;
  }
  return NULL;
}

const char *names_of_activity(const segue_activity *activity) {
  for (const named *at = probe.first; at != NULL; at = at->next) {
    if (at->activity == activity && activity != NULL) return at->name;
  }
  return "-";
}

void names_remove(named *removed) {
  for (named **at = &probe.first; *at != NULL; at = &(*at)->next) {
    if (*at != removed) continue;
    *at = removed->next;
    break;
  }
  /* Others may still hold a responder, a window or a document; its userdata is freed when the object is gone. */
  if (removed->document != NULL) {
    segue_document_unref(removed->document);
  } else if (removed->object != NULL) {
    segue_plugin_object_unref(removed->object);
  } else if (removed->responder != NULL) {
    segue_responder_unref(removed->responder);
  } else if (removed->window != NULL) {
    segue_window_unref(removed->window);
  } else {
    segue_activity_unref(removed->activity);
    names_free(removed);
  }
}

void names_clear(void) {
  while (probe.first != NULL) names_remove(probe.first);
}
