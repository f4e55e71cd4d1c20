/* libsegue for Emacs: segue.el calls these functions. Everything but the watch over the descriptor is on Emacs's
 * thread. */
#include <emacs-module.h>
#include <errno.h>
#include <fcntl.h>
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

/* The watch: another thread polls, writes a byte to a pipe process of Emacs's, and waits until Emacs has dispatched. It
 * ends when `is_stopping`, for which `stopping` wakes it, or when Emacs has closed the pipe. */
static pthread_t watcher;
static int watched = -1, channel = -1, stopping[2] = {-1, -1};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t dispatched = PTHREAD_COND_INITIALIZER;
static bool is_told, is_stopping;

static void *watch(void *unused) {
  struct pollfd ready[2] = {{watched, POLLIN, 0}, {stopping[0], POLLIN, 0}};
  (void)unused;
  for (;;) {
    if (poll(ready, 2, -1) < 0) continue;
    pthread_mutex_lock(&lock);
    is_told = true;
    if (is_stopping || write(channel, "", 1) != 1) {
      pthread_mutex_unlock(&lock);
      return NULL;
    }
    while (is_told && !is_stopping) pthread_cond_wait(&dispatched, &lock);
    pthread_mutex_unlock(&lock);
  }
}

static void go_on(bool ends) {
  pthread_mutex_lock(&lock);
  is_told = false;
  is_stopping = ends;
  pthread_cond_signal(&dispatched);
  pthread_mutex_unlock(&lock);
}

static void close_end(int *descriptor) {
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
}

/* --- Values --- */

/* Every call into Emacs may fail and leave an exit pending, with which all further calls fail. A value is used only
 * after has_failed was asked; no function below leaves an exit behind, or hands NULL on. */

/* Whether the calls since the last question have failed; the next ones work again. */
static bool has_failed(emacs_env *env) {
  if (env->non_local_exit_check(env) == emacs_funcall_exit_return) return false;
  env->non_local_exit_clear(env);
  return true;
}

/* A symbol that Emacs has: interning it cannot fail, but where memory has ended, and Emacs then ends itself. */
static emacs_value symbol(emacs_env *env, const char *name) {
  return env->intern(env, name);
}

/* A string; nil where it is no text. */
static emacs_value text_value(emacs_env *env, const char *text) {
  emacs_value value = env->make_string(env, text, (ptrdiff_t)strlen(text));
  return has_failed(env) ? symbol(env, "nil") : value;
}

static bool is_of(emacs_env *env, emacs_value value, const char *type) {
  emacs_value found = env->type_of(env, value);
  return !has_failed(env) && env->eq(env, found, symbol(env, type));
}

/* A copy of a string of Emacs's; NULL for another value, and for a string that cannot be written as UTF-8, or has a
 * null character in it. */
static char *copy_text(emacs_env *env, emacs_value value) {
  ptrdiff_t size = 0;
  char *text;
  if (!is_of(env, value, "string")) return NULL;
  if (!env->copy_string_contents(env, value, NULL, &size) || size <= 0) {
    has_failed(env);
    return NULL;
  }
  text = malloc((size_t)size);
  if (text != NULL && env->copy_string_contents(env, value, text, &size) && strlen(text) + 1 == (size_t)size)
    return text;
  has_failed(env);
  free(text);
  return NULL;
}

/* Calls a function of segue.el, which catches its errors; nil where it fails all the same. */
static emacs_value call(emacs_env *env, const char *function, ptrdiff_t count, emacs_value *arguments) {
  emacs_value result = env->funcall(env, symbol(env, function), count, arguments);
  return has_failed(env) ? symbol(env, "nil") : result;
}

static emacs_value part(emacs_env *env, const char *function, emacs_value pair) {
  return call(env, function, 1, &pair);
}

/* --- Callbacks --- */

/* Adds one entry: a string, an integer, or t and nil. A value that cannot be read is left out. */
static void add(emacs_env *env, segue_activity *saved, const char *key, emacs_value value) {
  if (is_of(env, value, "string")) {
    char *text = copy_text(env, value);
    if (text != NULL && strcmp(key, "uri") == 0) {
      segue_activity_add_url(saved, key, text);
    } else if (text != NULL) {
      segue_activity_add_string(saved, key, text);
    }
    free(text);
  } else if (is_of(env, value, "integer")) {
    intmax_t integer = env->extract_integer(env, value);
    if (!has_failed(env)) segue_activity_add_integer(saved, key, integer);
  } else if (is_of(env, value, "symbol")) {
    segue_activity_add_bool(saved, key, env->is_not_nil(env, value));
  }
}

/* Adds what segue--save returns: ((KEY . VALUE) ...). */
static void save(segue_activity *saved, void *userdata) {
  emacs_env *env = calling;
  emacs_value list;
  (void)userdata;
  if (env == NULL) return;
  for (list = call(env, "segue--save", 0, NULL); env->is_not_nil(env, list); list = part(env, "cdr-safe", list)) {
    emacs_value pair = part(env, "car-safe", list);
    char *key = copy_text(env, part(env, "car-safe", pair));
    if (key != NULL) add(env, saved, key, part(env, "cdr-safe", pair));
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
    if (has_failed(env)) value = symbol(env, "nil");
  }
  return value;
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

/* Ends the offer, where there is one. */
static void end(void) {
  if (activity == NULL) return;
  segue_activity_invalidate(activity);
  activity = segue_activity_unref(activity);
}

/* Undoes what begin has done, also a part of it. */
static void finish(bool is_watched) {
  if (is_watched) {
    go_on(true);
    close_end(&stopping[1]);
    pthread_join(watcher, NULL);
  }
  end();
  app = segue_application_unref(app);
  close_end(&stopping[0]);
  close_end(&stopping[1]);
  close_end(&channel);
}

/* NULL, or why it cannot begin, as far as `error` has not that. */
static const char *begin(emacs_env *env, emacs_value process, segue_error **error) {
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  int status;
  channel = env->open_channel(env, process);
  if (has_failed(env) || channel < 0) {
    channel = -1;
    return "Emacs gives no pipe.";
  }
  if (pipe(stopping) != 0) {
    stopping[0] = stopping[1] = -1;
    return strerror(errno);
  }
  /* A program that Emacs starts would keep the end open, whose closing wakes the watch. */
  fcntl(stopping[1], F_SETFD, FD_CLOEXEC);
  fcntl(stopping[0], F_SETFD, FD_CLOEXEC);
  status = segue_application_new("org.segue.Emacs", NULL, &app, error);
  if (status < 0) {
    app = NULL;
    return strerror(-status);
  }
  delegate.continue_activity = resume;
  segue_application_set_delegate(app, &delegate, NULL, NULL);
  watched = segue_application_get_fd(app);
  go_on(false);
  status = pthread_create(&watcher, NULL, watch, NULL);
  return status == 0 ? NULL : strerror(status);
}

/* (segue-module-start PROCESS): registers; PROCESS is told when segue-module-dispatch is to be called. t, or why not.
 */
static emacs_value start(emacs_env *env, ptrdiff_t count, emacs_value *arguments, void *data) {
  segue_error *error = NULL;
  const char *why;
  emacs_value reason;
  (void)count, (void)data;
  if (app != NULL) return truth(env, true);
  why = begin(env, arguments[0], &error);
  if (why == NULL) {
    segue_application_ready(app);
    return truth(env, true);
  }
  reason = text_value(env, error != NULL ? segue_error_get_message(error) : why);
  segue_error_unref(error);
  finish(false);
  return reason;
}

/* (segue-module-stop): the application is gone. */
static emacs_value stop(emacs_env *env, ptrdiff_t count, emacs_value *arguments, void *data) {
  (void)count, (void)arguments, (void)data;
  if (app != NULL) finish(true);
  return truth(env, true);
}

/* (segue-module-dispatch) */
static emacs_value dispatch(emacs_env *env, ptrdiff_t count, emacs_value *arguments, void *data) {
  (void)count, (void)arguments, (void)data;
  /* A function that the library has called waits for something in Emacs: its own dispatch goes on afterwards. */
  if (calling != NULL) return truth(env, false);
  calling = env;
  if (app != NULL) segue_application_dispatch(app);
  calling = NULL;
  go_on(app == NULL);
  return truth(env, app != NULL);
}

/* (segue-module-withdraw) */
static emacs_value withdraw(emacs_env *env, ptrdiff_t count, emacs_value *arguments, void *data) {
  (void)count, (void)arguments, (void)data;
  end();
  return truth(env, true);
}

/* (segue-module-offer TITLE): a new activity is on offer, in place of the former one. */
static emacs_value offer(emacs_env *env, ptrdiff_t count, emacs_value *arguments, void *data) {
  segue_activity_delegate delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  char *title = copy_text(env, arguments[0]);
  end();
  (void)count, (void)data;
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
  /* An exit stays pending here: Emacs shows it as the error of loading the module. */
  if (env->non_local_exit_check(env) == emacs_funcall_exit_return) {
    env->funcall(env, symbol(env, "defalias"), 2, arguments);
  }
}

__attribute__((visibility("default"))) int emacs_module_init(struct emacs_runtime *runtime) {
  emacs_env *env = runtime->get_environment(runtime);
  emacs_value feature = symbol(env, "segue-module");
  if ((size_t)env->size < sizeof(struct emacs_env_28)) return 1;
  define(env, "segue-module-start", 1, start, "Register with Segue; PROCESS is told when to dispatch.");
  define(env, "segue-module-stop", 0, stop, "End what segue-module-start has begun.");
  define(env, "segue-module-dispatch", 0, dispatch, "Do what Segue has to do.");
  define(env, "segue-module-offer", 1, offer, "Put a text with this TITLE on offer.");
  define(env, "segue-module-withdraw", 0, withdraw, "Put nothing on offer.");
  define(env, "segue-module-changed", 0, changed, "Say that the state has changed.");
  if (env->non_local_exit_check(env) == emacs_funcall_exit_return) {
    env->funcall(env, symbol(env, "provide"), 1, &feature);
  }
  return 0;
}
