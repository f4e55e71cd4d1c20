/* The plugin through the library that hosts it. */
#include "hosted.h"

#include <math.h>

#include "media-position.h"

static const char ferry[] = "file:///home/a/Films/ferry.ogv";

static int play(hosted *here, const char *url, double time, double rate) {
  const void *extension = NULL;
  void *object = NULL;
  CHECK_INT(segue_plugin_object_get_extension(here->object, SEGUE_MEDIA_POSITION, &extension, &object), 0);
  return extension == NULL ? -ENOENT : ((const segue_media_position *)extension)->set(object, url, time, rate);
}

static void add_url(hosted *here, const char *text) {
  CHECK_INT(segue_activity_add_url(here->activity, "media.url", text), 0);
}

static void whatPlaysIsSavedUnderTheKeysOfTheReadme(hosted *here) {
  segue_value *info = NULL;
  segue_value *url = NULL;
  double number = 0;
  char *track = NULL;
  CHECK_INT(play(here, ferry, 62.5, 1.25), 0);
  CHECK_INT(segue_plugin_object_set_string(here->object, "media.audio", "de", NULL), 0);
  CHECK_INT(segue_plugin_object_set_string(here->object, "media.subtitles", "en", NULL), 0);
  CHECK_INT(segue_plugin_object_set_double(here->object, "media.volume", 0.5, NULL), 0);
  hosted_save(here);
  CHECK_TEXT(here->failure, "");
  CHECK_INT(segue_activity_get_double(here->activity, "media.time", &number), 0);
  CHECK_NUMBER(number, 62.5);
  CHECK_INT(segue_activity_get_double(here->activity, "media.rate", &number), 0);
  CHECK_NUMBER(number, 1.25);
  CHECK_INT(segue_activity_get_double(here->activity, "media.volume", &number), 0);
  CHECK_NUMBER(number, 0.5);
  CHECK_INT(segue_activity_copy_string(here->activity, "media.audio", &track), 0);
  CHECK_TEXT(track, "de");
  segue_free(track);
  CHECK_INT(segue_activity_copy_string(here->activity, "media.subtitles", &track), 0);
  CHECK_TEXT(track, "en");
  segue_free(track);
  CHECK_INT(segue_activity_copy_user_info(here->activity, &info), 0);
  CHECK_INT(segue_value_get_for_name(info, "media.url", &url), 0);
  CHECK_INT(segue_value_get_kind(url), SEGUE_VALUE_URL);
  segue_value_unref(info);
}

static void anotherObjectRestoresWhatOneHasSaved(hosted *here) {
  CHECK_INT(play(here, ferry, 62.5, 0), 0);
  CHECK_INT(segue_plugin_object_set_string(here->object, "media.subtitles", "en", NULL), 0);
  hosted_save(here);
  segue_plugin_object_unref(here->object);
  here->object = hosted_another(here, NULL);
  CHECK(hosted_restore(here));
  CHECK_STRING("media.url", ferry);
  CHECK_DOUBLE("media.time", 62.5);
  CHECK_DOUBLE("media.rate", 0);
  CHECK_STRING("media.audio", NULL);
  CHECK_STRING("media.subtitles", "en");
}

static void whatIsMissingIsResetButForThisDevicesLoudness(hosted *here) {
  CHECK_INT(play(here, "https://example.org/talk.ogg", 9, 2), 0);
  CHECK_INT(segue_plugin_object_set_string(here->object, "media.audio", "de", NULL), 0);
  CHECK_INT(segue_plugin_object_set_double(here->object, "media.volume", 0.25, NULL), 0);
  add_url(here, ferry);
  CHECK(hosted_restore(here));
  CHECK_STRING("media.url", ferry);
  CHECK_DOUBLE("media.time", 0);
  CHECK_DOUBLE("media.rate", 1);
  CHECK_STRING("media.audio", NULL);
  CHECK_DOUBLE("media.volume", 0.25);
}

static void withoutAUrlNothingIsRestored(hosted *here) {
  CHECK_INT(play(here, ferry, 62.5, 1), 0);
  CHECK_INT(segue_activity_add_double(here->activity, "media.time", 5), 0);
  CHECK(!hosted_restore(here));
  CHECK(strstr(here->failure, "media.url") != NULL);
  CHECK_STRING("media.url", ferry);
  CHECK_DOUBLE("media.time", 62.5);
}

static void atFirstNothingIsPlayed(hosted *here) {
  segue_value *info = NULL;
  size_t count = 1;
  CHECK_ABSENT("media.url");
  /* Nor saved, which is no failure. */
  hosted_save(here);
  CHECK_TEXT(here->failure, "");
  CHECK_INT(segue_activity_copy_user_info(here->activity, &info), 0);
  CHECK_INT(segue_value_get_count(info, &count), 0);
  CHECK_INT((long)count, 0);
  segue_value_unref(info);
}

static void allThreeAreRestoredOrNone(hosted *here) {
  static const struct {
    double time;
    double rate;
  } bad[] = {{-1, 1}, {HUGE_VAL, 1}, {NAN, 1}, {5, HUGE_VAL}, {5, -HUGE_VAL}, {5, NAN}};
  CHECK_INT(play(here, ferry, 62.5, 1), 0);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    CHECK_INT(play(here, "https://example.org/talk.ogg", bad[i].time, bad[i].rate), -ERANGE);
    hosted_empty(here);
    add_url(here, "https://example.org/talk.ogg");
    CHECK_INT(segue_activity_add_double(here->activity, "media.time", bad[i].time), 0);
    CHECK_INT(segue_activity_add_double(here->activity, "media.rate", bad[i].rate), 0);
    CHECK(!hosted_restore(here));
    CHECK(strstr(here->failure, "org.segue.media-position") != NULL);
    CHECK_STRING("media.url", ferry);
    CHECK_DOUBLE("media.time", 62.5);
    CHECK_DOUBLE("media.rate", 1);
  }
}

/* Without an extension. */
static void anApplicationSetsThemTogether(hosted *here) {
  segue_error *error = NULL;
  CHECK_INT(segue_plugin_object_set_double(here->object, "media.time", 5, &error), -EINVAL);
  CHECK(strstr(segue_error_get_message(error), "media.url: it is restored together with what is set") != NULL);
  segue_error_unref(error);
  CHECK_INT(segue_plugin_object_set_string(here->object, "media.url", ferry, NULL), 0);
  CHECK_INT(segue_plugin_object_set_double(here->object, "media.time", 5, NULL), 0);
  CHECK_STRING("media.url", ferry);
  CHECK_DOUBLE("media.time", 5);
  CHECK_DOUBLE("media.rate", 1);
  CHECK_INT(segue_plugin_object_set_double(here->object, "media.time", -1, NULL), -EIO);
  CHECK_DOUBLE("media.time", 5);
}

static void theVolumeIsBetweenZeroAndOne(hosted *here) {
  static const double bad[] = {-0.1, 1.1, HUGE_VAL, NAN};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    CHECK_INT(segue_plugin_object_set_double(here->object, "media.volume", bad[i], NULL), -EIO);
  }
  CHECK_DOUBLE("media.volume", 1);
  CHECK_INT(segue_plugin_object_set_double(here->object, "media.volume", 0, NULL), 0);
  CHECK_DOUBLE("media.volume", 0);
}

static void settingMarksTheActivity(hosted *here) {
  CHECK_INT(segue_responder_set_user_activity(segue_plugin_object_get_responder(here->object), here->activity), 0);
  CHECK_INT(segue_activity_set_needs_save(here->activity, false), 0);
  CHECK_INT(play(here, ferry, -1, 1), -ERANGE);
  CHECK(!segue_activity_needs_save(here->activity));
  CHECK_INT(play(here, ferry, 1, 1), 0);
  CHECK(segue_activity_needs_save(here->activity));
}

int main(void) {
  static const hosted_test tests[] = {
      TEST(whatPlaysIsSavedUnderTheKeysOfTheReadme),
      TEST(anotherObjectRestoresWhatOneHasSaved),
      TEST(whatIsMissingIsResetButForThisDevicesLoudness),
      TEST(withoutAUrlNothingIsRestored),
      TEST(atFirstNothingIsPlayed),
      TEST(allThreeAreRestoredOrNone),
      TEST(anApplicationSetsThemTogether),
      TEST(theVolumeIsBetweenZeroAndOne),
      TEST(settingMarksTheActivity),
  };
  return hosted_run("org.segue.media-position", "playback", tests, sizeof tests / sizeof tests[0]);
}
