/* libsegue for Emacs: segue.el calls these functions. Everything but the watch over the descriptor is on Emacs's
 * thread. */
#include <emacs-module.h>
#include <poll.h>
#include <pthread.h>
#include <segue/segue.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TYPE "org.segue.open.Text"

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;

static segue_application *app;
static segue_activity *activity; /* of the file on offer; NULL for none */
static emacs_env *calling;       /* of the call of Emacs's in which the library calls back */

/* The watch: another thread polls, writes a byte to a pipe process of Emacs's, and waits until Emacs has dispatched. */
static int watched = -1, channel = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t dispatched = PTHREAD_COND_INITIALIZER;
static bool is_told;

static void *watch(void *unused) {
  struct pollfd ready = {watched, POLLIN, 0};
  (void)unused;
  for (;;) {
    if (poll(&ready, 1, -1) < 0) continue;
    pthread_mutex_lock(&lock);
    is_told = true;
    if (write(channel, "", 1) != 1) {
      /* Emacs has closed the pipe: it ends. */
      pthread_mutex_unlock(&lock);
      return NULL;
    }
    while (is_told) pthread_cond_wait(&dispatched, &lock);
    pthread_mutex_unlock(&lock);
  }
}

/* --- Values --- */

static emacs_value symbol(emacs_env *env, const char *name) {
  return env->intern(env, name);
}

static emacs_value text_value(emacs_env *env, const char *text) {
  return env->make_string(env, text, (ptrdiff_t)strlen(text));
}

/* A copy of a string of Emacs's; NULL for another value. */
static char *copy_text(emacs_env *env, emacs_value value) {
  ptrdiff_t size = 0;
  char *text = NULL;
  if (!env->eq(env, env->type_of(env, value), symbol(env, "string"))) return NULL;
  if (env->copy_string_contents(env, value, NULL, &size)) text = malloc((size_t)size);
  if (text != NULL && !env->copy_string_contents(env, value, text, &size)) {
    free(text);
    text = NULL;
  }
  env->non_local_exit_clear(env);
  return text;
}

/* Calls a function of segue.el, which catches its errors; nil where it fails all the same. */
static emacs_value call(emacs_env *env, const char *function, ptrdiff_t count, emacs_value *arguments) {
  emacs_value result = env->funcall(env, symbol(env, function), count, arguments);
  if (env->non_local_exit_check(env) == emacs_funcall_exit_return) return result;
  env->non_local_exit_clear(env);
  return symbol(env, "nil");
}

static emacs_value part(emacs_env *env, const char *function, emacs_value pair) {
  return call(env, function, 1, &pair);
}

/* --- Callbacks --- */

/* Adds what segue--save returns: ((KEY . VALUE) ...), a string, an integer, or t and nil. */
static void save(segue_activity *saved, void *userdata) {
  emacs_env *env = calling;
  emacs_value list;
  (void)userdata;
  if (env == NULL) return;
  for (list = call(env, "segue--save", 0, NULL); env->is_not_nil(env, list); list = part(env, "cdr-safe", list)) {
    emacs_value pair = part(env, "car-safe", list), value = part(env, "cdr-safe", pair);
    char *key = copy_text(env, part(env, "car-safe", pair)), *text = copy_text(env, value);
    if (key != NULL && text != NULL) {
      if (strcmp(key, "uri") == 0) {
        segue_activity_add_url(saved, key, text);
      } else {
        segue_activity_add_string(saved, key, text);
      }
    } else if (key != NULL && env->eq(env, env->type_of(env, value), symbol(env, "integer"))) {
      segue_activity_add_integer(saved, key, env->extract_integer(env, value));
      env->non_local_exit_clear(env);
    } else if (key != NULL) {
      segue_activity_add_bool(saved, key, env->is_not_nil(env, value));
    }
    free(text);
    free(key);
  }
}

/* An entry of userInfo, nil where there is none. */
static emacs_value entry(emacs_env *env, const segue_activity *arrived, const char *key) {
  char *text = NULL;
  int64_t integer = 0;
  emacs_value value = symbol(env, "nil");
  if (segue_activity_copy_string(arrived, key, &text) >= 0) {
    value = text_value(env, text);
    segue_free(text);
  } else if (segue_activity_get_integer(arrived, key, &integer) >= 0) {
    value = env->make_integer(env, integer);
  }
  if (env->non_local_exit_check(env) == emacs_funcall_exit_return) return value;
  env->non_local_exit_clear(env);
  return symbol(env, "nil");
}

static bool resume(
    segue_application *application, segue_activity *arrived, segue_restoration *restoration, void *userdata) {
  static const char *const keys[] = {"uri", "line", "column", "before", "after"};
  emacs_value arguments[sizeof keys / sizeof keys[0]];
  size_t i;
  (void)application, (void)restoration, (void)userdata;
  if (calling == NULL) return false;
  for (i = 0; i < sizeof keys / sizeof keys[0]; i++) arguments[i] = entry(calling, arrived, keys[i]);
  return calling->is_not_nil(calling, call(calling, "segue--resume", (ptrdiff_t)i, arguments));
}

/* --- Functions of Emacs --- */

static emacs_value truth(emacs_env *env, bool is_true) {
  return symbol(env, is_true ? "t" : "nil");
}

/* (segue-module-start PROCESS): registers; PROCESS is told when segue-module-dispatch is to be called. */
static emacs_value start(emacs_env *env, ptrdiff_t count, emacs_value *arguments, void *data) {
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  pthread_t thread;
  (void)count, (void)data;
  if (app != NULL) return truth(env, true);
  channel = env->open_channel(env, arguments[0]);
  if (channel < 0 || segue_application_new("org.segue.Emacs", NULL, &app, NULL) < 0) return truth(env, false);
  delegate.continue_activity = resume;
  segue_application_set_delegate(app, &delegate, NULL, NULL);
  watched = segue_application_get_fd(app);
  if (pthread_create(&thread, NULL, watch, NULL) != 0) return truth(env, false);
  pthread_detach(thread);
  segue_application_ready(app);
  return truth(env, true);
}

/* (segue-module-dispatch) */
static emacs_value dispatch(emacs_env *env, ptrdiff_t count, emacs_value *arguments, void *data) {
  (void)count, (void)arguments, (void)data;
  calling = env;
  if (app != NULL) segue_application_dispatch(app);
  calling = NULL;
  pthread_mutex_lock(&lock);
  is_told = false;
  pthread_cond_signal(&dispatched);
  pthread_mutex_unlock(&lock);
  return truth(env, app != NULL);
}

/* (segue-module-withdraw) */
static emacs_value withdraw(emacs_env *env, ptrdiff_t count, emacs_value *arguments, void *data) {
  (void)count, (void)arguments, (void)data;
  if (activity != NULL) {
    segue_activity_invalidate(activity);
    activity = segue_activity_unref(activity);
  }
  return truth(env, true);
}

/* (segue-module-offer TITLE): a new activity is on offer, in place of the former one. */
static emacs_value offer(emacs_env *env, ptrdiff_t count, emacs_value *arguments, void *data) {
  segue_activity_delegate delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  char *title = copy_text(env, arguments[0]);
  withdraw(env, 0, NULL, data);
  (void)count;
  if (app != NULL && segue_activity_new(app, TYPE, &activity, NULL) == 0) {
    delegate.will_save = save;
    segue_activity_set_delegate(activity, &delegate, NULL, NULL);
    segue_activity_set_title(activity, title);
    segue_activity_set_needs_save(activity, true);
    segue_activity_become_current(activity);
  }
  free(title);
  return truth(env, activity != NULL);
}

/* (segue-module-changed) */
static emacs_value changed(emacs_env *env, ptrdiff_t count, emacs_value *arguments, void *data) {
  (void)count, (void)arguments, (void)data;
  if (activity != NULL) segue_activity_set_needs_save(activity, true);
  return truth(env, activity != NULL);
}

typedef emacs_value function(emacs_env *env, ptrdiff_t count, emacs_value *arguments, void *data);

static void define(emacs_env *env, const char *name, ptrdiff_t count, function *body, const char *text) {
  emacs_value arguments[2] = {symbol(env, name), env->make_function(env, count, count, body, text, NULL)};
  env->funcall(env, symbol(env, "defalias"), 2, arguments);
}

__attribute__((visibility("default"))) int emacs_module_init(struct emacs_runtime *runtime) {
  emacs_env *env = runtime->get_environment(runtime);
  emacs_value feature = symbol(env, "segue-module");
  if ((size_t)env->size < sizeof(struct emacs_env_28)) return 1;
  define(env, "segue-module-start", 1, start, "Register with Segue; PROCESS is told when to dispatch.");
  define(env, "segue-module-dispatch", 0, dispatch, "Do what Segue has to do.");
  define(env, "segue-module-offer", 1, offer, "Put a text with this TITLE on offer.");
  define(env, "segue-module-withdraw", 0, withdraw, "Put nothing on offer.");
  define(env, "segue-module-changed", 0, changed, "Say that the state has changed.");
  env->funcall(env, symbol(env, "provide"), 1, &feature);
  return 0;
}
