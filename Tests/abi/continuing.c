#include "continuing.h"

#include <poll.h>
#include <stdlib.h>

static int scene_has(const scene *here, const char *callback) {
  return strcmp(here->callback, callback) == 0;
}

static int is_of_a_window(const scene *here) {
  return strstr(here->callback, "window") != NULL;
}

static int is_of_a_document(const scene *here) {
  return scene_has(here, "open document");
}

/* Drops the objects, too: those that the library asks for, and those that are to restore. */
static void detach(void *host) {
  side *here = host;
  orders_check(segue_responder_set_user_activity(here->responder, NULL));
  here->responder = segue_responder_unref(here->responder);
  here->document = segue_document_unref(here->document);
  here->window = segue_window_unref(here->window);
}

static void perform(side *here) {
  int i;
  here->is_in_callback = 1;
  for (i = 0; i < DEEDS; i++) orders_do(here->scene->order[i], &here->application, here->activity, detach, here);
  here->is_in_callback = 0;
  here->is_over = 1;
  /* The memory is freed, so that a checker finds a callback that still comes. */
  free(here->userdata);
  here->userdata = NULL;
}

/* Each callback calls this first. */
static side *called(void *userdata, const char *callback) {
  side *here = ((host *)userdata)->here;
  if (here->is_in_callback) here->nested++;
  if (here->is_over) here->late++;
  if (!here->is_over && !here->is_in_callback && scene_has(here->scene, callback)) perform(here);
  return here;
}

static void delegate_activity(side *here);

/* The host takes the activity that has come, and shows it: its deeds are done to that one. */
static void arrive(void *userdata, segue_activity *activity, segue_restoration *restoration) {
  side *here = ((host *)userdata)->here;
  if (activity != here->activity) {
    segue_activity_unref(here->activity);
    here->activity = segue_activity_ref(activity);
    delegate_activity(here);
    CHECK_INT(segue_responder_set_user_activity(here->responder, activity), 0);
  }
  if (restoration == NULL) return;
  segue_restoration_unref(here->restoration);
  here->restoration = segue_restoration_ref(restoration);
}

/* Restores as many objects as one handler takes: hands the same one over that often. */
static void restore_many(side *here) {
  static segue_responder *responders[RESTORABLES + 1];
  int i;
  for (i = 0; i <= RESTORABLES; i++) responders[i] = here->responder;
  CHECK_INT(segue_restoration_restore(here->restoration, responders, RESTORABLES + 1), -E2BIG);
  CHECK_INT(segue_restoration_restore(here->restoration, responders, RESTORABLES), 0);
  here->restoration = segue_restoration_unref(here->restoration);
}

/* Both objects restore, the responder first, if they still exist. */
static void restore_all(side *here) {
  segue_responder *responders[2];
  if (scene_has(here->scene, "restore many")) {
    restore_many(here);
    return;
  }
  if (here->restoration == NULL || here->responder == NULL || here->document == NULL) return;
  responders[0] = here->responder;
  responders[1] = segue_document_get_responder(here->document);
  CHECK_INT(segue_restoration_restore(here->restoration, responders, 2), 0);
  here->restoration = segue_restoration_unref(here->restoration);
}

SEGUE_BEGIN_DECLS

static bool will_continue(segue_application *application, segue_continuation *continuation, void *userdata) {
  (void)application;
  (void)continuation;
  called(userdata, "will-continue");
  return true;
}

static bool continue_activity(
    segue_application *application, segue_activity *activity, segue_restoration *restoration, void *userdata) {
  side *here = ((host *)userdata)->here;
  (void)application;
  if (here->is_over || here->is_in_callback) return called(userdata, "continue") != NULL;
  arrive(userdata, activity, restoration);
  if (is_of_a_document(here->scene)) return false;
  called(userdata, "continue");
  restore_all(here);
  return true;
}

static bool open_document(
    segue_application *application, const char *url, segue_activity *activity, segue_restoration *restoration,
    void *userdata) {
  side *here = ((host *)userdata)->here;
  (void)application;
  (void)url;
  if (here->is_over || here->is_in_callback) return called(userdata, "open document") != NULL;
  arrive(userdata, activity, restoration);
  called(userdata, "open document");
  restore_all(here);
  return true;
}

static void did_fail(
    segue_application *application, segue_continuation *continuation, const segue_error *error, void *userdata) {
  (void)application;
  (void)continuation;
  (void)error;
  called(userdata, "fail");
}

static segue_window *make_window(segue_application *application, segue_activity *activity, void *userdata) {
  side *here = ((host *)userdata)->here;
  (void)application;
  if (!here->is_over && !here->is_in_callback) arrive(userdata, activity, NULL);
  called(userdata, "make window");
  return here->window;
}

static void offers_changed(segue_application *application, void *userdata) {
  (void)application;
  called(userdata, "offers");
}

static bool prefers(segue_window *window, const char *target, void *userdata) {
  (void)window;
  (void)target;
  called(userdata, "window prefers");
  return false;
}

static bool can_show(segue_window *window, const char *target, void *userdata) {
  (void)window;
  (void)target;
  return !scene_has(called(userdata, "window can show")->scene, "make window");
}

static bool window_continue(
    segue_window *window, segue_activity *activity, segue_restoration *restoration, void *userdata) {
  side *here = ((host *)userdata)->here;
  (void)window;
  if (here->is_over || here->is_in_callback) return called(userdata, "window continue") != NULL;
  arrive(userdata, activity, restoration);
  called(userdata, "window continue");
  restore_all(here);
  return true;
}

static void update(segue_responder *responder, segue_activity *activity, void *userdata) {
  side *here = ((host *)userdata)->here;
  char url[256];
  (void)responder;
  if (is_of_a_document(here->scene)) {
    sprintf(url, "file://%.200s/notes/list.txt", getenv("HOME"));
    CHECK_INT(segue_activity_add_url(activity, SEGUE_DOCUMENT_URL_KEY, url), 0);
  }
  called(userdata, here->scene->is_chosen ? "update" : "update for the offer");
}

static void did_update(segue_application *application, segue_activity *activity, void *userdata) {
  side *here = ((host *)userdata)->here;
  (void)application;
  (void)activity;
  called(userdata, here->scene->is_chosen ? "did-update" : "did-update for the offer");
}

static void will_save(segue_activity *activity, void *userdata) {
  side *here = ((host *)userdata)->here;
  (void)activity;
  called(userdata, here->scene->is_chosen ? "will-save" : "will-save for the offer");
}

static segue_version_verdict check_version(segue_activity *activity, uint64_t version, void *userdata) {
  (void)activity;
  (void)version;
  return scene_has(called(userdata, "check-version")->scene, "fail") ? SEGUE_VERSION_REFUSED : SEGUE_VERSION_AGREES;
}

static void was_continued(segue_activity *activity, void *userdata) {
  ((host *)userdata)->here->scene->continued++;
  (void)activity;
  called(userdata, "was-continued");
}

static void restore(segue_responder *responder, segue_activity *activity, void *userdata) {
  (void)responder;
  (void)activity;
  called(userdata, "restore")->restored++;
}

static void changed(segue_responder *responder, segue_activity *activity, void *userdata) {
  (void)responder;
  (void)activity;
  called(userdata, "changed");
}

static void restore_document(segue_document *document, segue_activity *activity, void *userdata) {
  (void)document;
  (void)activity;
  called(userdata, "second restore");
}

/* The completion may come inside the unref, when the host's memory may be gone: its userdata is the scene. */
static void completed(segue_application *application, const segue_error *error, void *userdata) {
  scene *here = (scene *)userdata;
  (void)error;
  here->completed++;
  if (application != NULL && scene_has(here, "completion")) perform(&here->reader);
}

SEGUE_END_DECLS

/* The scene in which the destroy functions count; they cannot use their userdata, which the host may have freed. */
static scene *scene_of_destroyed;

SEGUE_BEGIN_DECLS

static void destroy_origins(void *userdata) {
  (void)userdata;
  scene_of_destroyed->origin.destroyed++;
}

static void destroy_readers(void *userdata) {
  (void)userdata;
  scene_of_destroyed->reader.destroyed++;
}

SEGUE_END_DECLS

/* The destroy function of one more userdata of the side. */
static segue_destroy_function one_more(side *here) {
  here->made++;
  return here == &here->scene->origin ? destroy_origins : destroy_readers;
}

static void delegate_activity(side *here) {
  segue_activity_delegate delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  delegate.will_save = will_save;
  delegate.check_version = check_version;
  delegate.was_continued = was_continued;
  CHECK_INT(segue_activity_set_delegate(here->activity, &delegate, here->userdata, one_more(here)), 0);
}

static void make_application(side *here, const char *app_id) {
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  delegate.will_continue = will_continue;
  delegate.continue_activity = continue_activity;
  delegate.did_fail = did_fail;
  delegate.did_update = did_update;
  delegate.make_window = make_window;
  delegate.open_document = open_document;
  delegate.offers_changed = offers_changed;
  CHECK_INT(segue_application_new(app_id, NULL, &here->application, NULL), 0);
  CHECK_INT(segue_application_set_delegate(here->application, &delegate, here->userdata, one_more(here)), 0);
}

static void make_objects(side *here) {
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_document_methods document_methods = SEGUE_DOCUMENT_METHODS_INIT;
  segue_window_methods window_methods = SEGUE_WINDOW_METHODS_INIT;
  int result;
  methods.update_user_activity_state = update;
  methods.restore_user_activity_state = restore;
  methods.user_activity_changed = changed;
  result = segue_responder_new(here->application, &methods, here->userdata, one_more(here), &here->responder);
  CHECK_INT(result, 0);
  document_methods.restore_user_activity_state = restore_document;
  result = segue_document_new(
      here->application, NULL, "text/plain", &document_methods, here->userdata, one_more(here), &here->document, NULL);
  CHECK_INT(result, 0);
  window_methods.prefers_content = prefers;
  window_methods.can_show_content = can_show;
  if (strstr(here->scene->callback, "window continue") != NULL) window_methods.continue_activity = window_continue;
  result = segue_window_new(here->application, &window_methods, here->userdata, one_more(here), &here->window);
  CHECK_INT(result, 0);
}

static void set_up_side(scene *scene, side *here, const char *app_id) {
  here->scene = scene;
  here->userdata = (host *)malloc(sizeof *here->userdata);
  if (here->userdata == NULL) exit(1);
  here->userdata->here = here;
  make_application(here, app_id);
  here->activity = abi_activity(here->application);
  delegate_activity(here);
  make_objects(here);
}

/* The title that the origin's activity has: another one each time. */
static char title[32];

void continuing_set_up(scene *here, const char *callback, const int *order) {
  static int number;
  segue_activity *activity;
  memset(here, 0, sizeof *here);
  scene_of_destroyed = here;
  here->callback = callback;
  here->order = order;
  set_up_side(here, &here->origin, "org.segue.AbiTest");
  set_up_side(here, &here->reader, "org.segue.AbiReader");
  activity = here->origin.activity;
  sprintf(title, "Page %d", ++number);
  CHECK_INT(segue_activity_set_title(activity, title), 0);
  if (is_of_a_window(here)) CHECK_INT(segue_activity_set_target_content_identifier(activity, "page"), 0);
  CHECK_INT(segue_responder_set_user_activity(here->origin.responder, activity), 0);
  CHECK_INT(segue_activity_become_current(activity), 0);
  CHECK_INT(segue_application_ready(here->reader.application), 0);
}

static void tear_down_side(side *here) {
  segue_restoration_unref(here->restoration);
  segue_window_unref(here->window);
  segue_document_unref(here->document);
  segue_responder_unref(here->responder);
  segue_activity_unref(here->activity);
  segue_application_unref(here->application);
  free(here->userdata);
}

void continuing_tear_down(scene *here) {
  tear_down_side(&here->reader);
  tear_down_side(&here->origin);
}

/* The user chooses the origin's activity, once it is on offer. */
static void choose(scene *here) {
  segue_offer **offers = NULL;
  size_t count = 0;
  size_t i;
  if (here->is_chosen || here->reader.application == NULL) return;
  CHECK_INT(segue_application_copy_offers(here->reader.application, &offers, &count), 0);
  for (i = 0; i < count; i++) {
    if (!here->is_chosen && strcmp(segue_offer_get_title(offers[i]), title) == 0) {
      here->is_chosen = 1;
      CHECK_INT(segue_activity_set_needs_save(here->origin.activity, true), 0);
      CHECK_INT(segue_offer_continue(offers[i], NULL, completed, here, NULL), 0);
    }
    segue_offer_unref(offers[i]);
  }
  segue_free(offers);
}

static void dispatch(segue_application *application) {
  if (application != NULL) CHECK(segue_application_dispatch(application) >= 0);
}

void continuing_take_turn(scene *here) {
  struct pollfd polled[2];
  nfds_t count = 0;
  side *sides[2];
  int i;
  sides[0] = &here->origin;
  sides[1] = &here->reader;
  for (i = 0; i < 2; i++) {
    if (sides[i]->application == NULL) continue;
    polled[count].fd = segue_application_get_fd(sides[i]->application);
    polled[count++].events = POLLIN;
  }
  poll(polled, count, 1000);
  for (i = 0; i < 2; i++) dispatch(sides[i]->application);
  choose(here);
}

int continuing_is_well(const side *here) {
  return here->nested == 0 && here->late == 0 && here->destroyed == here->made;
}

void continuing_say(const scene *here, const side *of) {
  int i;
  printf("  in %s:", here->callback);
  for (i = 0; i < DEEDS; i++) printf("%s %s", i == 0 ? "" : ",", orders_names[here->order[i]]);
  printf(
      "; over %d, nested %d, late %d, destroyed %d of %d\n", of->is_over, of->nested, of->late, of->destroyed,
      of->made);
}
