#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <segue/segue.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long, in milliseconds, the other side may take for one read or write. A lost device is noticed much sooner. */
#define PATIENCE 60000
#define BLOCK (256 * 1024)
#define MESSAGE 1024

typedef struct streams {
  int input;
  int output;
} streams;

/* Closes the output first, since the other side waits for its end. */
static void streams_close(streams *both) {
  close(both->output);
  close(both->input);
}

/* Sends a message; false if the other side no longer reads. */
static bool say(const streams *both, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool say(const streams *both, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  int result = segue_stream_write_message(both->output, text, strlen(text), PATIENCE);
  g_free(text);
  return result == 0;
}

/* The reason why no more messages come, to be freed: Segue's error, or else that of the call. */
static char *reason_of(const streams *both, int result) {
  segue_error *error = NULL;
  if (result == SEGUE_STREAM_ENDED) return g_strdup("the other composer has ended");
  segue_stream_copy_error(both->input, &error);
  char *reason = g_strdup(error == NULL ? g_strerror(-result) : segue_error_get_message(error));
  segue_error_unref(error);
  return reason;
}

/* The other side's next message, to be freed; NULL, and the reason, if no more messages come. */
static char *hear(const streams *both, char **out_reason) {
  void *bytes = NULL;
  size_t length = 0;
  int result = segue_stream_read_message(both->input, MESSAGE, PATIENCE, &bytes, &length);
  if (result != 0) {
    if (out_reason != NULL) *out_reason = reason_of(both, result);
    return NULL;
  }
  char *text = g_strndup(bytes, length);
  segue_free(bytes);
  return text;
}

/* The origin. */

typedef struct serving {
  streams both;
  GPtrArray *paths; /* of char *, "" where the file is not here */
  bool is_done;
  transfer_served_function served;
  void *userdata;
} serving;

/* Sends one file. @return false if the stream is of no use any more. */
static bool serve_file(serving *origin, const char *path) {
  /* The path may not be a file any more: a pipe would block here for ever. */
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat found;
  if (file < 0 || fstat(file, &found) != 0 || !S_ISREG(found.st_mode)) {
    if (file >= 0) close(file);
    return say(&origin->both, "gone the file is not there any more");
  }
  bool goes_on = say(&origin->both, "file %" G_GUINT64_FORMAT, (guint64)found.st_size);
  GChecksum *digest = g_checksum_new(G_CHECKSUM_SHA256);
  guint8 *block = g_malloc(BLOCK);
  guint64 left = (guint64)found.st_size;
  while (goes_on && left > 0) {
    ssize_t some = read(file, block, left < BLOCK ? (size_t)left : BLOCK);
    if (some < 0 && errno == EINTR) continue;
    /* The file has become shorter than its announced size. The end of the stream says so. */
    if (some <= 0) break;
    g_checksum_update(digest, block, some);
    goes_on = segue_stream_write_all(origin->both.output, block, (size_t)some, PATIENCE) == 0;
    left -= (guint64)some;
  }
  if (goes_on) goes_on = left == 0 && say(&origin->both, "sha256 %s", g_checksum_get_string(digest));
  g_free(block);
  g_checksum_free(digest);
  close(file);
  return goes_on;
}

static gboolean tell_served(gpointer told) {
  serving *origin = told;
  origin->served(origin->is_done, origin->userdata);
  g_ptr_array_unref(origin->paths);
  g_free(origin);
  return G_SOURCE_REMOVE;
}

static gpointer serve(gpointer started) {
  serving *origin = started;
  bool goes_on = true;
  while (goes_on && !origin->is_done) {
    char *text = hear(&origin->both, NULL);
    guint index;
    if (text == NULL) {
      goes_on = false;
    } else if (sscanf(text, "get %u", &index) == 1) {
      const char *path = index < origin->paths->len ? g_ptr_array_index(origin->paths, index) : "";
      goes_on = serve_file(origin, path);
    } else {
      goes_on = origin->is_done = strcmp(text, "done") == 0;
    }
    g_free(text);
  }
  streams_close(&origin->both);
  g_main_context_invoke(NULL, tell_served, origin);
  return NULL;
}

void transfer_serve(const draft *mail, int input, int output, transfer_served_function served, void *userdata) {
  serving *origin = g_new0(serving, 1);
  origin->both = (streams){.input = input, .output = output};
  origin->served = served;
  origin->userdata = userdata;
  origin->paths = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < mail->attachments->len; i++) {
    const char *path = draft_attachment(mail, i)->path;
    g_ptr_array_add(origin->paths, g_strdup(path == NULL ? "" : path));
  }
  g_thread_unref(g_thread_new("composer-serve", serve, origin));
}

/* The continuing side. */

typedef struct wanted {
  guint index;
  char *path; /* where the file is written */
} wanted;

typedef struct fetching {
  streams both;
  GArray *files; /* of wanted */
  transfer_listener listener;
} fetching;

/* One call of the listener, on its way to the main loop. */
typedef struct news {
  fetching *from;
  guint index;
  guint64 so_far;
  char *path;
  char *reason;
} news;

static gboolean tell(gpointer told) {
  news *what = told;
  const transfer_listener *listener = &what->from->listener;
  if (what->path != NULL) {
    listener->arrived(what->index, what->path, listener->userdata);
  } else if (what->reason != NULL) {
    listener->missing(what->index, what->reason, listener->userdata);
  } else {
    listener->progress(what->index, what->so_far, listener->userdata);
  }
  g_free(what->path);
  g_free(what->reason);
  g_free(what);
  return G_SOURCE_REMOVE;
}

static void post(fetching *to, guint index, guint64 so_far, const char *path, const char *reason) {
  news *what = g_new0(news, 1);
  what->from = to;
  what->index = index;
  what->so_far = so_far;
  what->path = g_strdup(path);
  what->reason = g_strdup(reason);
  g_main_context_invoke(NULL, tell, what);
}

static gboolean tell_ended(gpointer told) {
  fetching *from = told;
  from->listener.ended(from->listener.userdata);
  for (guint i = 0; i < from->files->len; i++) g_free(g_array_index(from->files, wanted, i).path);
  g_array_unref(from->files);
  g_free(from);
  return G_SOURCE_REMOVE;
}

/* Writes all of a block to the file. */
static bool store(int file, const guint8 *bytes, size_t length) {
  while (length > 0) {
    ssize_t some = write(file, bytes, length);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return false;
    bytes += some;
    length -= (size_t)some;
  }
  return true;
}

/* Receives the bytes of a file. @return why not all of them came, to be freed, or NULL. */
static char *receive(fetching *from, guint index, guint64 size, int file, GChecksum *digest) {
  guint8 *block = g_malloc(BLOCK);
  guint64 so_far = 0;
  gint64 shown = 0;
  char *reason = NULL;
  while (reason == NULL && so_far < size) {
    size_t some = size - so_far < BLOCK ? (size_t)(size - so_far) : BLOCK;
    int result = segue_stream_read_exactly(from->both.input, block, some, PATIENCE, NULL);
    if (result != 0) {
      reason = reason_of(&from->both, result);
    } else if (!store(file, block, some)) {
      reason = g_strdup(g_strerror(errno));
    } else {
      g_checksum_update(digest, block, (gssize)some);
      so_far += some;
      if (g_get_monotonic_time() - shown >= G_USEC_PER_SEC / 10) {
        shown = g_get_monotonic_time();
        post(from, index, so_far, NULL, NULL);
      }
    }
  }
  if (reason != NULL) post(from, index, so_far, NULL, NULL);
  g_free(block);
  return reason;
}

/* Asks for a file. Returns its size, or -1 and the reason why it is not available. */
static gint64 ask(fetching *from, guint index, char **out_reason) {
  guint64 size = 0;
  bool is_asked = say(&from->both, "get %u", index);
  char *text = hear(&from->both, out_reason);
  if (text == NULL) return -1;
  if (is_asked && sscanf(text, "file %" SCNu64, &size) == 1 && size <= G_MAXINT64) {
    g_free(text);
    return (gint64)size;
  }
  bool is_gone = g_str_has_prefix(text, "gone ");
  *out_reason = g_strdup(is_gone ? text + strlen("gone ") : "the other composer is not understood");
  g_free(text);
  return -1;
}

/* Receives a file under a temporary name, until it is whole. @return why it is not whole, to be freed, or NULL. */
static char *fetch_bytes(fetching *from, const wanted *file, guint64 size) {
  char *part = g_strconcat(file->path, ".part", NULL);
  GChecksum *digest = g_checksum_new(G_CHECKSUM_SHA256);
  char *reason = NULL;
  char *said = NULL;
  int written = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (written >= 0) reason = receive(from, file->index, size, written, digest);
  if (written < 0 || (close(written) != 0 && reason == NULL)) reason = g_strdup(g_strerror(errno));
  if (reason == NULL) said = hear(&from->both, &reason);
  if (said != NULL) {
    bool is_right =
        g_str_has_prefix(said, "sha256 ") && strcmp(said + strlen("sha256 "), g_checksum_get_string(digest)) == 0;
    if (!is_right) {
      reason = g_strdup("its digest is not right");
    } else if (rename(part, file->path) != 0) {
      reason = g_strdup(g_strerror(errno));
    }
  }
  g_free(said);
  g_checksum_free(digest);
  g_free(part);
  return reason;
}

/* @return whether the streams can carry another file; *is_whole becomes false if this file did not come. */
static bool fetch_file(fetching *from, const wanted *file, bool *is_whole) {
  char *reason = NULL;
  gint64 size = ask(from, file->index, &reason);
  /* If a file is gone, the other side says so and goes on; a transfer that breaks off ends the streams. */
  bool is_gone = size < 0;
  if (!is_gone) reason = fetch_bytes(from, file, (guint64)size);
  bool is_here = reason == NULL;
  if (!is_here) *is_whole = false;
  post(from, file->index, 0, is_here ? file->path : NULL, reason);
  g_free(reason);
  return is_gone || is_here;
}

static gpointer fetch(gpointer started) {
  fetching *from = started;
  bool goes_on = true;
  bool is_whole = true;
  for (guint i = 0; i < from->files->len; i++) {
    const wanted *file = &g_array_index(from->files, wanted, i);
    if (goes_on) {
      goes_on = fetch_file(from, file, &is_whole);
    } else {
      post(from, file->index, 0, NULL, "nothing of it has come");
    }
  }
  if (goes_on && is_whole) say(&from->both, "done");
  streams_close(&from->both);
  g_main_context_invoke(NULL, tell_ended, from);
  return NULL;
}

void transfer_fetch(const draft *mail, const char *folder, int input, int output, const transfer_listener *listener) {
  fetching *from = g_new0(fetching, 1);
  from->both = (streams){.input = input, .output = output};
  from->listener = *listener;
  from->files = g_array_new(FALSE, FALSE, sizeof(wanted));
  for (guint i = 0; i < mail->attachments->len; i++) {
    const attachment *file = draft_attachment(mail, i);
    if (file->path != NULL) continue;
    wanted asked = {.index = i, .path = g_build_filename(folder, file->name, NULL)};
    g_array_append_val(from->files, asked);
  }
  g_thread_unref(g_thread_new("composer-fetch", fetch, from));
}
