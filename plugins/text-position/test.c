/* The plugin through the library that hosts it. */
#include "hosted.h"

#include <segue/draft/summary.h>

static const char list[] = "file:///home/a/Notes/list.txt";

static void set(hosted *here, const char *key, int64_t integer) {
  CHECK_INT(segue_plugin_object_set_integer(here->object, key, integer, NULL), 0);
}

static void set_file(hosted *here, const char *url) {
  CHECK_INT(segue_plugin_object_set_string(here->object, "text.file", url, NULL), 0);
}

static segue_value *numbers(const int64_t *from, size_t count) {
  segue_value *array = NULL;
  CHECK_INT(segue_value_new_array(&array), 0);
  for (size_t i = 0; i < count; i++) {
    segue_value *number = NULL;
    CHECK_INT(segue_value_new_integer(from[i], &number), 0);
    CHECK_INT(segue_value_append(array, number), 0);
    segue_value_unref(number);
  }
  return array;
}

static int set_selections(hosted *here, const int64_t *from, size_t count) {
  segue_value *array = numbers(from, count);
  int result = segue_plugin_object_set_property(here->object, "text.selections", array, NULL);
  segue_value_unref(array);
  return result;
}

static void check_selections(hosted *here, const int64_t *expected, size_t count) {
  segue_value *array = numbers(expected, count);
  segue_value *value = NULL;
  CHECK_INT(segue_plugin_object_copy_property(here->object, "text.selections", &value, NULL), 0);
  CHECK(segue_value_is_equal(value, array));
  segue_value_unref(value);
  segue_value_unref(array);
}

static size_t summary(hosted *here, char *out_text, size_t size) {
  const void *extension = NULL;
  void *object = NULL;
  CHECK_INT(segue_plugin_object_get_extension(here->object, SEGUE_PLUGIN_SUMMARY, &extension, &object), 0);
  return extension == NULL ? 0 : ((const segue_plugin_summary *)extension)->get(object, out_text, size);
}

static void aPlaceIsSavedUnderTheKeysOfTheReadme(hosted *here) {
  static const int64_t selection[] = {42, 1, 42, 7};
  segue_value *info = NULL;
  segue_value *entry = NULL;
  int64_t integer = 0;
  size_t count = 0;
  char *file = NULL;
  set(here, "text.line", 42);
  set(here, "text.column", 7);
  set(here, "text.top", 30);
  set_file(here, list);
  CHECK_INT(set_selections(here, selection, 4), 0);
  hosted_save(here);
  CHECK_INT(segue_activity_get_integer(here->activity, "text.line", &integer), 0);
  CHECK_INT((long)integer, 42);
  CHECK_INT(segue_activity_get_integer(here->activity, "text.column", &integer), 0);
  CHECK_INT((long)integer, 7);
  CHECK_INT(segue_activity_get_integer(here->activity, "text.top", &integer), 0);
  CHECK_INT((long)integer, 30);
  CHECK_INT(segue_activity_copy_string(here->activity, "text.file", &file), 0);
  CHECK_TEXT(file, list);
  segue_free(file);
  CHECK_INT(segue_activity_copy_user_info(here->activity, &info), 0);
  CHECK_INT(segue_value_get_count(info, &count), 0);
  CHECK_INT((long)count, 5);
  /* A URL and not a string: only that arrives as the other device's own path. */
  CHECK_INT(segue_value_get_for_name(info, "text.file", &entry), 0);
  CHECK_INT(segue_value_get_kind(entry), SEGUE_VALUE_URL);
  segue_value_unref(info);
}

static void whatIsUnknownIsNotSaved(hosted *here) {
  segue_value *info = NULL;
  size_t count = 0;
  hosted_save(here);
  CHECK_TEXT(here->failure, "");
  CHECK_INT(segue_activity_copy_user_info(here->activity, &info), 0);
  CHECK_INT(segue_value_get_count(info, &count), 0);
  /* The line and the column, which are 1. */
  CHECK_INT((long)count, 2);
  segue_value_unref(info);
}

static void anotherObjectRestoresWhatOneHasSaved(hosted *here) {
  static const int64_t selections[] = {42, 1, 42, 7, 50, 2, 49, 1};
  set(here, "text.line", 42);
  set(here, "text.column", 7);
  set(here, "text.top", 30);
  set_file(here, list);
  CHECK_INT(set_selections(here, selections, 8), 0);
  hosted_save(here);
  segue_plugin_object_unref(here->object);
  here->object = hosted_another(here, NULL);
  CHECK(hosted_restore(here));
  CHECK_INTEGER("text.line", 42);
  CHECK_INTEGER("text.column", 7);
  CHECK_INTEGER("text.top", 30);
  CHECK_STRING("text.file", list);
  check_selections(here, selections, 8);
}

static void whatIsMissingIsReset(hosted *here) {
  static const int64_t selection[] = {1, 1, 2, 2};
  set(here, "text.column", 7);
  set(here, "text.top", 30);
  set_file(here, list);
  CHECK_INT(set_selections(here, selection, 4), 0);
  CHECK_INT(segue_activity_add_integer(here->activity, "text.line", 3), 0);
  CHECK(hosted_restore(here));
  CHECK_INTEGER("text.line", 3);
  CHECK_INTEGER("text.column", 1);
  CHECK_ABSENT("text.top");
  CHECK_ABSENT("text.selections");
  CHECK_STRING("text.file", NULL);
}

static void withoutALineNothingIsRestored(hosted *here) {
  set(here, "text.line", 42);
  CHECK_INT(segue_activity_add_integer(here->activity, "text.column", 9), 0);
  CHECK(!hosted_restore(here));
  CHECK(strstr(here->failure, "org.segue.text-position") != NULL);
  CHECK(strstr(here->failure, "text.line") != NULL);
  CHECK_INTEGER("text.line", 42);
  CHECK_INTEGER("text.column", 1);
}

static void valuesOutOfRangeChangeNothing(hosted *here) {
  static const int64_t bad[] = {0, -1, (int64_t)1 << 32};
  static const char *const keys[] = {"text.line", "text.column", "text.top"};
  set(here, "text.line", 42);
  for (size_t key = 0; key < 3; key++) {
    for (size_t i = 0; i < 3; i++) {
      CHECK(segue_plugin_object_set_integer(here->object, keys[key], bad[i], NULL) < 0);
      hosted_empty(here);
      if (key > 0) CHECK_INT(segue_activity_add_integer(here->activity, "text.line", 42), 0);
      CHECK_INT(segue_activity_add_integer(here->activity, keys[key], bad[i]), 0);
      CHECK(!hosted_restore(here));
      CHECK(strstr(here->failure, keys[key]) != NULL);
    }
  }
  CHECK_INTEGER("text.line", 42);
  CHECK_INTEGER("text.column", 1);
  CHECK_ABSENT("text.top");
  CHECK(segue_plugin_object_set_string(here->object, "text.file", "not a URL", NULL) < 0);
  CHECK_STRING("text.file", NULL);
}

static void selectionsAreChecked(hosted *here) {
  int64_t many[4 * 65];
  for (size_t i = 0; i < 4 * 65; i++) many[i] = 1;
  CHECK_INT(set_selections(here, many, 4 * 64), 0);
  check_selections(here, many, 4 * 64);
  CHECK_INT(set_selections(here, many, 4 * 65), -EIO);
  CHECK_INT(set_selections(here, many, 3), -EIO);
  many[3] = 0;
  CHECK_INT(set_selections(here, many, 4), -EIO);
  many[3] = 1;
  check_selections(here, many, 4 * 64);
  CHECK_INT(set_selections(here, many, 0), 0);
  CHECK_ABSENT("text.selections");
}

static void theSummaryNamesFileAndLine(hosted *here) {
  static const struct {
    const char *url;
    const char *summary;
  } files[] = {
      {"file:///home/a/Notes/list.txt", "list.txt, line 42"},
      {"file:///home/a/a%20list.txt#page=2", "a list.txt, line 42"},
      {"file:///home/a/l%C3%A4nge.txt?x", "l\xC3\xA4nge.txt, line 42"},
      /* Escapes that cannot be shown stay as they are in the URL: no UTF-8, a control character, no escape at all. */
      {"file:///home/a/%FFx", "%FFx, line 42"},
      {"file:///home/a/%ED%A0%80", "%ED%A0%80, line 42"},
      {"file:///home/a/x%0Ay", "x%0Ay, line 42"},
      {"file:///home/a/x%00y", "x%00y, line 42"},
      {"file:///home/a/100%", "100%, line 42"},
      {"file:///home/a/", "line 42"},
      {"file:///home/a/?x=/y", "line 42"},
  };
  char text[64];
  set(here, "text.line", 42);
  CHECK_INT((long)summary(here, text, sizeof text), 7);
  CHECK_TEXT(text, "line 42");
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    set_file(here, files[i].url);
    CHECK_INT((long)summary(here, text, sizeof text), (long)strlen(files[i].summary));
    CHECK_TEXT(text, files[i].summary);
  }
}

static void theSummaryIsCutBetweenCharacters(hosted *here) {
  /* Characters of one, two, three and four bytes. */
  static const char whole[] = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80, line 1";
  static const size_t ends[] = {0, 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 12};
  char text[32];
  set_file(here, "file:///a%C3%A4%E2%82%AC%F0%9F%98%80");
  for (size_t size = 1; size < sizeof ends / sizeof ends[0]; size++) {
    memset(text, 'x', sizeof text);
    CHECK_INT((long)summary(here, text, size), (long)strlen(whole));
    CHECK_INT((long)strlen(text), (long)ends[size]);
    CHECK(strncmp(text, whole, ends[size]) == 0);
  }
  memset(text, 'x', sizeof text);
  CHECK_INT((long)summary(here, text, 0), (long)strlen(whole));
  CHECK(text[0] == 'x');
}

static void twoOfThemShareAnActivity(hosted *here) {
  segue_plugin_object *right = hosted_another(here, "right.");
  int64_t line = 0;
  set(here, "text.line", 1);
  CHECK_INT(segue_plugin_object_set_integer(right, "text.line", 2, NULL), 0);
  hosted_save(here);
  CHECK_INT(segue_responder_update(segue_plugin_object_get_responder(right), here->activity), 0);
  CHECK_INT(segue_activity_get_integer(here->activity, "text.line", &line), 0);
  CHECK_INT((long)line, 1);
  CHECK_INT(segue_activity_get_integer(here->activity, "right.text.line", &line), 0);
  CHECK_INT((long)line, 2);
  segue_plugin_object_unref(right);
}

int main(void) {
  static const hosted_test tests[] = {
      TEST(aPlaceIsSavedUnderTheKeysOfTheReadme),
      TEST(whatIsUnknownIsNotSaved),
      TEST(anotherObjectRestoresWhatOneHasSaved),
      TEST(whatIsMissingIsReset),
      TEST(withoutALineNothingIsRestored),
      TEST(valuesOutOfRangeChangeNothing),
      TEST(selectionsAreChecked),
      TEST(theSummaryNamesFileAndLine),
      TEST(theSummaryIsCutBetweenCharacters),
      TEST(twoOfThemShareAnActivity),
  };
  return hosted_run("org.segue.text-position", "position", tests, sizeof tests / sizeof tests[0]);
}
