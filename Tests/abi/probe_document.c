/* The commands on documents, and their callbacks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

static segue_document *target(char **arguments) {
  const named *found = names_responder(arguments[1]);
  return found == NULL ? NULL : found->document;
}

static void update(segue_document *document, segue_activity *activity, void *userdata) {
  (void)document;
  const named *updated = userdata;
  text_print("event update", updated->name, names_of_activity(activity), NULL);
  segue_activity_add_user_info_entries(activity, updated->state);
}

static void restore(segue_document *document, segue_activity *activity, void *userdata) {
  (void)document;
  const named *restored = userdata;
  char *info = text_of_user_info(activity);
  text_print("event restored", restored->name, info, NULL);
  free(info);
}

static void changed(segue_document *document, segue_activity *activity, void *userdata) {
  (void)document;
  probe_changed(userdata, activity);
}

static void moved(segue_document *document, const char *url, void *userdata) {
  (void)document;
  const named *followed = userdata;
  text_print("event moved", followed->name, url, NULL);
}

int document_open(const char *name, const char *url, const char *mime_type) {
  static const segue_document_methods methods = {
      .struct_size = sizeof methods,
      .update_user_activity_state = update,
      .restore_user_activity_state = restore,
      .user_activity_changed = changed,
      .url_changed = moved,
  };
  if (names_responder(name) != NULL) return -EEXIST;
  named *made = names_new(name);
  segue_document *document = NULL;
  int result = segue_value_new_dictionary(&made->state);
  if (result < 0) {
    names_free(made);
    return result;
  }
  result = segue_document_new(probe.application, url, mime_type, &methods, made, names_free, &document, NULL);
  /* On failure the library has freed what was made. */
  if (result < 0) return result;
  made->document = document;
  made->responder = segue_document_get_responder(document);
  names_add(made);
  return result;
}

static int make(char **arguments) {
  return document_open(arguments[1], text_decode_nullable(arguments[2]), text_decode(arguments[3]));
}

static int move(char **arguments) {
  return segue_document_set_url(target(arguments), text_decode_nullable(arguments[2]));
}

static int file(char **arguments) {
  char *url = NULL;
  int result = segue_document_copy_url(target(arguments), &url);
  if (result < 0) return result;
  text_print("file", url == NULL ? "" : url, NULL);
  segue_free(url);
  return result;
}

static int role(char **arguments) {
  bool is_viewed = strcmp(arguments[2], "viewed") == 0;
  return segue_document_set_role(target(arguments), is_viewed ? SEGUE_DOCUMENT_VIEWED : SEGUE_DOCUMENT_EDITED);
}

static int shut(char **arguments) {
  return segue_document_close(target(arguments));
}

/* Gives the document's activity a name of its own. */
static int name_activity(char **arguments) {
  segue_activity *activity = NULL;
  int result = segue_document_copy_user_activity(target(arguments), &activity);
  if (result < 0) return result;
  if (activity == NULL) return -ENOENT;
  named *former = names_activity(arguments[2]);
  if (former != NULL) names_remove(former);
  named *made = names_new(arguments[2]);
  made->activity = activity;
  names_add(made);
  return result;
}

static int set_activity(char **arguments) {
  const named *activity = names_activity(arguments[2]);
  if (activity == NULL && strcmp(arguments[2], "-") != 0) return -EINVAL;
  return segue_document_set_user_activity(target(arguments), activity == NULL ? NULL : activity->activity);
}

static int shows(char **arguments) {
  const named *window = names_window(arguments[1]);
  return segue_window_set_document(window == NULL ? NULL : window->window, target((char *[]){NULL, arguments[2]}));
}

static int add(char **arguments) {
  const named *responder = names_responder(arguments[2]);
  return segue_document_add_responder(target(arguments), responder == NULL ? NULL : responder->responder);
}

static int take_off(char **arguments) {
  const named *responder = names_responder(arguments[2]);
  return segue_document_remove_responder(target(arguments), responder == NULL ? NULL : responder->responder);
}

const command document_commands[] = {
    {"document", 3, make},
    {"move", 2, move},
    {"file", 1, file},
    {"role", 2, role},
    {"close", 1, shut},
    {"shows", 2, shows},
    {"activity-of", 2, name_activity},
    {"set-activity", 2, set_activity},
    {"add-responder", 2, add},
    {"remove-responder", 2, take_off},
    {NULL, 0, NULL},
};
