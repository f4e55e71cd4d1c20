/*
 * page_test PREFIX: hosts the plugin that is installed under PREFIX, with the library as it is, and without a bus. Says
 * which check failed, and goes on.
 */
#include <errno.h>
#include <math.h>
#include <segue/draft/summary.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

static void addresses(void) {
  segue_plugin_object *page = new_page(NULL);
  char *none = NULL;
  CHECK_INT(segue_plugin_object_copy_string(page, "page.url", &none, NULL), 0);
  CHECK(none == NULL);
  CHECK_INT(set_text(page, "page.url", "https://example.org/a?b=c#d"), 0);
  has_text(page, "page.url", "https://example.org/a?b=c#d");
  /* URLs that run code, or mean something else elsewhere. */
  CHECK_INT(set_text(page, "page.url", "javascript:alert(1)"), -EIO);
  CHECK_INT(set_text(page, "page.url", "file:///home/a/page.html"), -EIO);
  CHECK_INT(set_text(page, "page.url", "https://"), -EIO);
  CHECK_INT(set_text(page, "page.url", "https:///a"), -EIO);
  CHECK_INT(set_text(page, "page.url", "https://user@"), -EIO);
  CHECK_INT(set_text(page, "page.url", "https"), -EINVAL);
  has_text(page, "page.url", "https://example.org/a?b=c#d");
  /* Without the user's name and password. */
  CHECK_INT(set_text(page, "page.url", "HTTP://me:secret@example.org:80/@b"), 0);
  has_text(page, "page.url", "HTTP://example.org:80/@b");
  CHECK_INT(set_text(page, "page.url", "http://a@b@example.org\\@c"), 0);
  has_text(page, "page.url", "http://example.org\\@c");
  segue_plugin_object_unref(page);
}

static void anotherPageStartsAnew(void) {
  segue_plugin_object *page = new_page(NULL);
  segue_value *none = NULL;
  CHECK_INT(set_text(page, "page.url", "https://example.org/a"), 0);
  CHECK_INT(set_text(page, "page.title", "A"), 0);
  CHECK_INT(segue_plugin_object_set_double(page, "page.scroll-y", 0.5, NULL), 0);
  CHECK_INT(segue_plugin_object_set_double(page, "page.zoom", 2, NULL), 0);
  CHECK_INT(set_fields(page, new_fields("name", "Ada")), 0);
  /* The same one, at another place. */
  CHECK_INT(set_text(page, "page.url", "https://example.org/a#b"), 0);
  has_text(page, "page.title", "A");
  has_fields(page, new_fields("name", "Ada"));
  CHECK_INT(set_text(page, "page.url", "https://example.org/b"), 0);
  has_text(page, "page.title", NULL);
  CHECK(number(page, "page.scroll-y") == 0);
  CHECK(number(page, "page.zoom") == 2);
  has_fields(page, new_dictionary());
  /* No URL is another page, too. */
  CHECK_INT(set_text(page, "page.title", "B"), 0);
  CHECK_INT(segue_value_new_null(&none), 0);
  CHECK_INT(segue_plugin_object_set_property(page, "page.url", none, NULL), 0);
  segue_value_unref(none);
  has_text(page, "page.url", NULL);
  has_text(page, "page.title", NULL);
  segue_plugin_object_unref(page);
}

static void numbers(void) {
  segue_plugin_object *page = new_page(NULL);
  CHECK(number(page, "page.zoom") == 1);
  CHECK_INT(segue_plugin_object_set_double(page, "page.scroll-x", -1, NULL), 0);
  CHECK(number(page, "page.scroll-x") == 0);
  CHECK_INT(segue_plugin_object_set_double(page, "page.scroll-y", HUGE_VAL, NULL), 0);
  CHECK(number(page, "page.scroll-y") == 1);
  CHECK_INT(segue_plugin_object_set_double(page, "page.scroll-y", nan(""), NULL), 0);
  CHECK(number(page, "page.scroll-y") == 0);
  CHECK_INT(segue_plugin_object_set_double(page, "page.zoom", 1e300, NULL), 0);
  CHECK(number(page, "page.zoom") == 10);
  CHECK_INT(set_text(page, "page.zoom", "2"), -EINVAL);
  segue_plugin_object_unref(page);
}

static void fields(void) {
  segue_plugin_object *page = new_page(NULL);
  segue_value *given = new_fields("name", "Ada");
  segue_value *several = NULL;
  segue_value *text = string("tea");
  CHECK_INT(segue_value_new_array(&several), 0);
  CHECK_INT(segue_value_append(several, text), 0);
  put(given, "drink", several);
  CHECK_INT(segue_plugin_object_set_property(page, "page.fields", given, NULL), 0);
  has_fields(page, segue_value_ref(given));
  /* The caller's later changes to its dictionary do not reach the page. */
  put(given, "name", string("Bob"));
  put(given, "passwd", string("x"));
  segue_value *fields = NULL;
  segue_value *name = NULL;
  const char *is = NULL;
  CHECK_INT(segue_plugin_object_copy_property(page, "page.fields", &fields, NULL), 0);
  CHECK_INT(segue_value_get_for_name(fields, "name", &name), 0);
  CHECK_INT(segue_value_get_string(name, &is), 0);
  CHECK_TEXT(is, "Ada");
  segue_value_unref(fields);
  /* Anything but text by name. */
  segue_value *wrong = new_dictionary();
  segue_value *integer = NULL;
  CHECK_INT(segue_value_new_integer(1, &integer), 0);
  CHECK_INT(segue_value_set_for_name(wrong, "age", integer), 0);
  CHECK_INT(set_fields(page, wrong), -EIO);
  wrong = new_dictionary();
  CHECK_INT(segue_value_set(wrong, integer, text), 0);
  CHECK_INT(set_fields(page, wrong), -EIO);
  CHECK_INT(segue_value_new_array(&several), 0);
  CHECK_INT(segue_value_append(several, integer), 0);
  wrong = new_dictionary();
  put(wrong, "ages", several);
  CHECK_INT(set_fields(page, wrong), -EIO);
  CHECK_INT(set_fields(page, integer), -EIO);
  CHECK_INT(segue_plugin_object_copy_property(page, "page.fields", &fields, NULL), 0);
  CHECK_INT(segue_value_get_for_name(fields, "drink", &several), 0);
  segue_value_unref(fields);
  /* None. */
  segue_value *null = NULL;
  CHECK_INT(segue_value_new_null(&null), 0);
  CHECK_INT(set_fields(page, null), 0);
  has_fields(page, new_dictionary());
  segue_value_unref(text);
  segue_value_unref(given);
  segue_plugin_object_unref(page);
}

static void secretsStayHere(void) {
  static const char *const secrets[] = {"password", "old_Passwd",         "PASSWORT",      "login[passwordField]",
                                        "user.pwd", "pass-phrase",        "client-secret", "csrf_token",
                                        "CVC",      "credit.card-number", "cc-csc",        "one-time-code"};
  segue_plugin_object *page = new_page(NULL);
  segue_value *given = new_fields("passenger", "Ada");
  char long_name[130];
  for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) put(given, secrets[i], string("x"));
  memset(long_name, 'n', sizeof long_name - 1);
  long_name[sizeof long_name - 1] = '\0';
  put(given, long_name, string("x"));
  CHECK_INT(set_fields(page, given), 0);
  has_fields(page, new_fields("passenger", "Ada"));
  segue_plugin_object_unref(page);
}

static void tooMuchIsRefused(void) {
  enum { LENGTH = 40000 };
  segue_plugin_object *page = new_page(NULL);
  segue_value *given = new_dictionary();
  char *text = malloc(LENGTH + 1);
  if (text == NULL) exit(1);
  memset(text, 'x', LENGTH);
  text[LENGTH] = '\0';
  put(given, "a", string(text));
  CHECK_INT(segue_plugin_object_set_property(page, "page.fields", given, NULL), 0);
  put(given, "b", string(text));
  CHECK_INT(set_fields(page, given), -EIO);
  given = new_dictionary();
  for (int i = 0; i < 257; i++) {
    char name[16];
    snprintf(name, sizeof name, "field %d", i);
    put(given, name, string(""));
  }
  CHECK_INT(set_fields(page, given), -EIO);
  given = new_dictionary();
  put(given, "a", string(text));
  has_fields(page, given);
  free(text);
  segue_plugin_object_unref(page);
}

static void restoring(void) {
  segue_plugin_object *page = new_page(NULL);
  segue_value *info = new_page_info("https://example.org/a");
  segue_value *value = NULL;
  put(info, "page.title", string("A"));
  put(info, "page.fields", new_fields("name", "Ada"));
  CHECK_INT(segue_value_new_double(0.25, &value), 0);
  put(info, "page.scroll-y", value);
  /* A property of another version, perhaps. */
  put(info, "page.colour", string("red"));
  CHECK_INT(restore(page, info), 1);
  has_text(page, "page.url", "https://example.org/a");
  has_text(page, "page.title", "A");
  CHECK(number(page, "page.scroll-y") == 0.25);
  has_fields(page, new_fields("name", "Ada"));
  /* Without the URL, or with a title that is none, nothing changes. */
  info = new_dictionary();
  put(info, "page.title", string("B"));
  CHECK_INT(restore(page, info), 0);
  CHECK(strstr(message, "page.url") != NULL);
  info = new_page_info("https://example.org/b");
  CHECK_INT(segue_value_new_integer(1, &value), 0);
  put(info, "page.title", value);
  CHECK_INT(restore(page, info), 0);
  CHECK(strstr(message, "page.title") != NULL);
  CHECK_INT(restore(page, new_page_info("javascript:alert(1)")), 0);
  has_text(page, "page.url", "https://example.org/a");
  has_text(page, "page.title", "A");
  /* Fields that are none do not leave the former page's on the new one. */
  info = new_page_info("https://example.org/b");
  put(info, "page.fields", string("Ada"));
  CHECK_INT(restore(page, info), 0);
  CHECK(strstr(message, "page.fields") != NULL);
  has_text(page, "page.url", "https://example.org/b");
  has_fields(page, new_dictionary());
  /* A property that is missing has its initial value. */
  CHECK_INT(restore(page, new_page_info("https://example.org/b")), 1);
  has_text(page, "page.title", NULL);
  segue_plugin_object_unref(page);
}

/* Two pages on one activity: all of what they hold comes back, and the activity has the last one's URL and title. */
static void saving(void) {
  char title[1200];
  char *is = NULL;
  segue_activity *activity = new_activity();
  segue_plugin_object *left = new_page("left.");
  segue_plugin_object *right = new_page("right.");
  segue_value *info = NULL;
  for (size_t i = 0; i < sizeof title - 2; i += 2) memcpy(title + i, "\xC3\xA4", 2);
  title[sizeof title - 2] = '\0';
  CHECK_INT(set_text(left, "page.url", "https://example.org/left"), 0);
  CHECK_INT(set_fields(left, new_fields("name", "Ada")), 0);
  CHECK_INT(set_text(right, "page.url", "https://example.org/right"), 0);
  CHECK_INT(set_text(right, "page.title", title), 0);
  errors = 0;
  CHECK_INT(segue_responder_update(segue_plugin_object_get_responder(left), activity), 0);
  CHECK_INT(segue_responder_update(segue_plugin_object_get_responder(right), activity), 0);
  CHECK_INT(errors, 0);
  CHECK_INT(segue_activity_copy_webpage_url(activity, &is), 0);
  CHECK_TEXT(is, "https://example.org/right");
  segue_free(is);
  CHECK_INT(segue_activity_copy_title(activity, &is), 0);
  title[512] = '\0';
  CHECK_TEXT(is, title);
  segue_free(is);
  CHECK_INT(segue_activity_copy_user_info(activity, &info), 0);
  segue_plugin_object_unref(left);
  left = new_page("left.");
  CHECK_INT(restore(left, info), 1);
  has_text(left, "page.url", "https://example.org/left");
  has_fields(left, new_fields("name", "Ada"));
  /* A page that nobody has gone to is no page. */
  segue_plugin_object *none = new_page("none.");
  segue_activity *empty = new_activity();
  CHECK_INT(segue_responder_update(segue_plugin_object_get_responder(none), empty), 0);
  CHECK_INT(errors, 0);
  CHECK_INT(segue_activity_copy_user_info(empty, &info), 0);
  segue_value *nothing = new_dictionary();
  CHECK(segue_value_is_equal(info, nothing));
  segue_value_unref(nothing);
  segue_value_unref(info);
  segue_activity_unref(empty);
  segue_plugin_object_unref(none);
  segue_plugin_object_unref(left);
  segue_plugin_object_unref(right);
  segue_activity_unref(activity);
}

static void summaries(void) {
  const void *extension = NULL;
  void *object = NULL;
  char text[8];
  segue_plugin_object *page = new_page(NULL);
  CHECK_INT(segue_plugin_object_get_extension(page, "org.example.unknown/1", &extension, &object), -ENOENT);
  CHECK_INT(segue_plugin_object_get_extension(page, SEGUE_PLUGIN_SUMMARY, &extension, &object), 0);
  const segue_plugin_summary *summary = extension;
  if (summary == NULL) exit(1);
  CHECK_INT((long)summary->get(object, text, sizeof text), 0);
  CHECK_TEXT(text, "");
  CHECK_INT(set_text(page, "page.url", "https://example.org/"), 0);
  CHECK_INT((long)summary->get(object, text, sizeof text), 20);
  CHECK_TEXT(text, "https:/");
  CHECK_INT(set_text(page, "page.title", "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"), 0);
  CHECK_INT((long)summary->get(object, text, sizeof text), 9);
  CHECK_TEXT(text, "\xE2\x82\xAC\xE2\x82\xAC");
  text[0] = 'x';
  CHECK_INT((long)summary->get(object, text, 0), 9);
  CHECK(text[0] == 'x');
  segue_plugin_object_unref(page);
}

int main(int count, char **given) {
  segue_application_options options = SEGUE_APPLICATION_OPTIONS_INIT;
  segue_error *error = NULL;
  char *path = NULL;
  if (count != 2) return 2;
  options.bus_address = "unix:path=/nonexistent";
  CHECK_INT(segue_application_new("org.segue.WebPageTest", &options, &app, NULL), 0);
  if (app == NULL) return 1;
  CHECK_INT(segue_plugin_copy_path("org.segue.web-page", given[1], &path), 0);
  if (path == NULL) return 1;
  if (segue_plugin_load(app, path, given[1], &plugin, &error) < 0) {
    fprintf(stderr, "page_test: %s\n", segue_error_get_message(error));
    return 1;
  }
  CHECK_TEXT(segue_plugin_get_name(plugin), "Web page");
  addresses();
  anotherPageStartsAnew();
  numbers();
  fields();
  secretsStayHere();
  tooMuchIsRefused();
  restoring();
  summaries();
  saving();
  segue_plugin_unref(plugin);
  segue_free(path);
  segue_application_unref(app);
  if (failures > 0) return 1;
  puts("web-page: the page is handed over, and nothing else");
  return 0;
}
