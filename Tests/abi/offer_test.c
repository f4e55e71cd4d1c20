/* Offers, as far as they can be tested without a daemon, when there are none. Tests/system/offers_test.py has the rest.
 */
#include "abi_test.h"

static void offer_thereAreNoneWithoutADaemon(void) {
  segue_application *application = abi_application();
  segue_offer *nothing = NULL;
  segue_offer **offers = &nothing;
  size_t count = 7;
  CHECK_INT(segue_application_copy_offers(application, &offers, &count), 0);
  CHECK(offers == NULL);
  CHECK_INT((long)count, 0);
  segue_free(offers);
  CHECK_INT(segue_application_dispatch(application) >= 0, 1);
  CHECK_INT(segue_application_copy_offers(application, &offers, &count), 0);
  CHECK_INT((long)count, 0);
  segue_application_unref(application);
}

static int copy_elsewhere(void *application) {
  segue_offer **offers = NULL;
  size_t count = 0;
  return segue_application_copy_offers((segue_application *)application, &offers, &count);
}

static void offer_theListIsOfTheApplicationsThread(void) {
  segue_application *application = abi_application();
  CHECK_INT(abi_on_another_thread(copy_elsewhere, application), -EPERM);
  segue_application_unref(application);
}

static void offer_handlesAreChecked(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_offer *wrong = (segue_offer *)(void *)activity;
  uint64_t age = 7;
  int destroyed = 0;
  CHECK_TEXT(segue_offer_get_id(wrong), "");
  CHECK_TEXT(segue_offer_get_title(wrong), "");
  CHECK(!segue_offer_is_here(wrong));
  CHECK(!segue_offer_is_stored(wrong));
  CHECK_INT(segue_offer_get_age(wrong, &age), -EINVAL);
  CHECK_INT((long)age, 7);
  /* The userdata is freed if the call fails, too. */
  CHECK_INT(segue_offer_continue(wrong, NULL, NULL, &destroyed, abi_count), -EINVAL);
  CHECK_INT(destroyed, 1);
  CHECK(segue_offer_unref(NULL) == NULL);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static int told;

SEGUE_BEGIN_DECLS
static void offers_changed(segue_application *application, void *userdata) {
  (void)application;
  (void)userdata;
  told++;
}
SEGUE_END_DECLS

static void offer_aListThatStaysEmptyIsNoChange(void) {
  segue_application *application = abi_application();
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  told = 0;
  delegate.offers_changed = offers_changed;
  CHECK_INT(segue_application_set_delegate(application, &delegate, NULL, NULL), 0);
  CHECK_INT(segue_application_dispatch(application) >= 0, 1);
  /* The struct of a program that was built before there were offers. */
  delegate.struct_size = (uint32_t)offsetof(segue_application_delegate, offers_changed);
  CHECK_INT(segue_application_set_delegate(application, &delegate, NULL, NULL), 0);
  segue_application_unref(application);
  CHECK_INT(told, 0);
}

const abi_test offer_tests[] = {
    TEST(offer_thereAreNoneWithoutADaemon),
    TEST(offer_theListIsOfTheApplicationsThread),
    TEST(offer_handlesAreChecked),
    TEST(offer_aListThatStaysEmptyIsNoChange),
    {NULL, NULL},
};
