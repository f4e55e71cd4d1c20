/* The plugin through the library that hosts it. */
#include "hosted.h"

#include "form-state.h"

static const segue_form_state *form(hosted *here, void **out_object) {
  const void *extension = NULL;
  CHECK_INT(segue_plugin_object_get_extension(here->object, SEGUE_FORM_STATE, &extension, out_object), 0);
  return extension;
}

static void set_text(hosted *here, const char *name, const char *text) {
  void *object = NULL;
  const segue_form_state *functions = form(here, &object);
  CHECK_INT(functions->set_text(object, name, text), 0);
}

static void check_text(hosted *here, const char *name, const char *expected) {
  void *object = NULL;
  const segue_form_state *functions = form(here, &object);
  const char *text = NULL;
  CHECK_INT(functions->get_text(object, name, &text), expected == NULL ? -ENOENT : 0);
  CHECK_TEXT(text, expected);
}

static void theFieldsAreOneDictionary(hosted *here) {
  void *object = NULL;
  const segue_form_state *functions = form(here, &object);
  segue_value *ticked = NULL;
  segue_value *info = NULL;
  segue_value *fields = NULL;
  segue_value *field = NULL;
  const char *text = NULL;
  size_t count = 0;
  bool boolean = false;
  CHECK_INT(segue_value_new_bool(true, &ticked), 0);
  CHECK_INT(functions->set_text(object, "name", "Ada"), 0);
  CHECK_INT(functions->set(object, "newsletter", ticked), 0);
  segue_value_unref(ticked);
  hosted_save(here);
  CHECK_TEXT(here->failure, "");
  CHECK_INT(segue_activity_copy_user_info(here->activity, &info), 0);
  CHECK_INT(segue_value_get_for_name(info, "form.fields", &fields), 0);
  CHECK_INT(segue_value_get_count(fields, &count), 0);
  CHECK_INT((long)count, 2);
  CHECK_INT(segue_value_get_for_name(fields, "name", &field), 0);
  CHECK_INT(segue_value_get_string(field, &text), 0);
  CHECK_TEXT(text, "Ada");
  CHECK_INT(segue_value_get_for_name(fields, "newsletter", &field), 0);
  CHECK_INT(segue_value_get_bool(field, &boolean), 0);
  CHECK_INT(boolean, 1);
  segue_value_unref(info);
}

static void anotherObjectRestoresWhatOneHasSaved(hosted *here) {
  void *object = NULL;
  const segue_form_state *functions;
  segue_value *choices = NULL;
  segue_value *choice = NULL;
  segue_value *restored = NULL;
  CHECK_INT(segue_value_new_array(&choices), 0);
  CHECK_INT(segue_value_new_string("tea", &choice), 0);
  CHECK_INT(segue_value_append(choices, choice), 0);
  set_text(here, "name", "Ada");
  functions = form(here, &object);
  CHECK_INT(functions->set(object, "drinks", choices), 0);
  /* The form has a copy. */
  CHECK_INT(segue_value_append(choices, choice), 0);
  hosted_save(here);
  segue_plugin_object_unref(here->object);
  here->object = hosted_another(here, NULL);
  set_text(here, "street", "Main Street 1");
  CHECK(hosted_restore(here));
  check_text(here, "name", "Ada");
  /* The fields that were filled in here are gone: it is another form now. */
  check_text(here, "street", NULL);
  functions = form(here, &object);
  CHECK_INT(functions->get(object, "drinks", &restored), 0);
  segue_value_unref(choices);
  CHECK_INT(segue_value_new_array(&choices), 0);
  CHECK_INT(segue_value_append(choices, choice), 0);
  CHECK(segue_value_is_equal(restored, choices));
  segue_value_unref(choice);
  segue_value_unref(choices);
}

static void fieldsAreChangedAndRemoved(hosted *here) {
  void *object = NULL;
  const segue_form_state *functions = form(here, &object);
  segue_value *number = NULL;
  const char *text = NULL;
  check_text(here, "name", NULL);
  set_text(here, "name", "Ada");
  set_text(here, "name", "Grace");
  check_text(here, "name", "Grace");
  CHECK_INT(functions->set_text(object, "name", "\xFF"), -EINVAL);
  check_text(here, "name", "Grace");
  CHECK_INT(segue_value_new_integer(7, &number), 0);
  CHECK_INT(functions->set(object, "age", number), 0);
  CHECK_INT(functions->get_text(object, "age", &text), -ENXIO);
  segue_value_unref(number);
  CHECK_INT(functions->set(object, "name", NULL), 0);
  CHECK_INT(functions->set(object, "name", NULL), 0);
  check_text(here, "name", NULL);
  set_text(here, "name", "Ada");
  CHECK_INT(functions->clear(object), 0);
  check_text(here, "name", NULL);
  CHECK_INT(functions->get_text(object, "age", &text), -ENOENT);
}

static void thereAreBounds(hosted *here) {
  void *object = NULL;
  const segue_form_state *functions = form(here, &object);
  char name[130];
  memset(name, 'n', sizeof name);
  name[129] = '\0';
  CHECK_INT(functions->set_text(object, name, "long"), -E2BIG);
  name[128] = '\0';
  CHECK_INT(functions->set_text(object, name, "long"), 0);
  for (int i = 1; i < 256; i++) {
    snprintf(name, sizeof name, "%d", i);
    set_text(here, name, "x");
  }
  CHECK_INT(functions->set_text(object, "one more", "x"), -E2BIG);
  CHECK_INT(functions->set_text(object, "255", "another"), 0);
  hosted_save(here);
  CHECK_TEXT(here->failure, "");
  CHECK(hosted_restore(here));
  check_text(here, "255", "another");
}

/* Restores from an entry form.fields with this value, which it frees. */
static bool restore(hosted *here, segue_value *value) {
  segue_value *entries = NULL;
  hosted_empty(here);
  CHECK_INT(segue_value_new_dictionary(&entries), 0);
  CHECK_INT(segue_value_set_for_name(entries, "form.fields", value), 0);
  CHECK_INT(segue_activity_add_user_info_entries(here->activity, entries), 0);
  segue_value_unref(entries);
  segue_value_unref(value);
  return hosted_restore(here);
}

static void whatIsNoFormChangesNothing(hosted *here) {
  segue_value *value = NULL;
  segue_value *key = NULL;
  set_text(here, "name", "Ada");
  CHECK(!hosted_restore(here));
  CHECK(strstr(here->failure, "form.fields") != NULL);
  CHECK_INT(segue_value_new_string("Ada", &value), 0);
  CHECK(!restore(here, value));
  CHECK(strstr(here->failure, "org.segue.form-state") != NULL);
  CHECK_INT(segue_value_new_null(&value), 0);
  CHECK(!restore(here, value));
  CHECK_INT(segue_value_new_dictionary(&value), 0);
  CHECK_INT(segue_value_new_integer(7, &key), 0);
  CHECK_INT(segue_value_set_for_name(value, "name", key), 0);
  CHECK_INT(segue_value_set(value, key, key), 0);
  segue_value_unref(key);
  CHECK(!restore(here, value));
  check_text(here, "name", "Ada");
  /* A form that is empty is one. */
  CHECK_INT(segue_value_new_dictionary(&value), 0);
  CHECK(restore(here, value));
  check_text(here, "name", NULL);
}

static void changesMarkTheActivity(hosted *here) {
  void *object = NULL;
  const segue_form_state *functions = form(here, &object);
  segue_activity *activity = here->activity;
  CHECK_INT(segue_responder_set_user_activity(segue_plugin_object_get_responder(here->object), activity), 0);
  CHECK_INT(segue_activity_set_needs_save(activity, false), 0);
  CHECK_INT(functions->set(object, "name", NULL), 0);
  CHECK(!segue_activity_needs_save(activity));
  set_text(here, "name", "Ada");
  CHECK(segue_activity_needs_save(activity));
  CHECK_INT(segue_activity_set_needs_save(activity, false), 0);
  CHECK_INT(functions->clear(object), 0);
  CHECK(segue_activity_needs_save(activity));
}

int main(void) {
  static const hosted_test tests[] = {
      TEST(theFieldsAreOneDictionary),  TEST(anotherObjectRestoresWhatOneHasSaved),
      TEST(fieldsAreChangedAndRemoved), TEST(thereAreBounds),
      TEST(whatIsNoFormChangesNothing), TEST(changesMarkTheActivity),
  };
  return hosted_run("org.segue.form-state", "form", tests, sizeof tests / sizeof tests[0]);
}
