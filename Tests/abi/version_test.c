/* Versions, the layout of the structs that programs fill, and errors. */
#include "abi_test.h"

/* Members that a program was compiled with must never move; a newer library may only add members at the end. */
#define LAYOUT(name, condition) typedef char layout_##name[(condition) ? 1 : -1]
#define AT(type, member) offsetof(type, member)
#define POINTER sizeof(void *)

LAYOUT(options_size, sizeof(segue_application_options) == 24);
LAYOUT(options_struct_size, AT(segue_application_options, struct_size) == 0);
LAYOUT(options_reserved, AT(segue_application_options, reserved) == 4);
LAYOUT(options_flags, AT(segue_application_options, flags) == 8);
LAYOUT(options_bus_address, AT(segue_application_options, bus_address) == 16);

LAYOUT(delegate_size, sizeof(segue_application_delegate) == 8 + 11 * POINTER);
LAYOUT(delegate_will_continue, AT(segue_application_delegate, will_continue) == 8);
LAYOUT(delegate_continue, AT(segue_application_delegate, continue_activity) == 8 + POINTER);
LAYOUT(delegate_did_fail, AT(segue_application_delegate, did_fail) == 8 + 2 * POINTER);
LAYOUT(delegate_did_update, AT(segue_application_delegate, did_update) == 8 + 3 * POINTER);
LAYOUT(delegate_state_changed, AT(segue_application_delegate, state_changed) == 8 + 4 * POINTER);
LAYOUT(delegate_activate, AT(segue_application_delegate, activate) == 8 + 5 * POINTER);
LAYOUT(delegate_open_urls, AT(segue_application_delegate, open_urls) == 8 + 6 * POINTER);
LAYOUT(delegate_log, AT(segue_application_delegate, log) == 8 + 7 * POINTER);
LAYOUT(delegate_make_window, AT(segue_application_delegate, make_window) == 8 + 8 * POINTER);
LAYOUT(delegate_open_document, AT(segue_application_delegate, open_document) == 8 + 9 * POINTER);
LAYOUT(delegate_offers_changed, AT(segue_application_delegate, offers_changed) == 8 + 10 * POINTER);

LAYOUT(activity_delegate_size, sizeof(segue_activity_delegate) == 8 + 4 * POINTER);
LAYOUT(activity_delegate_will_save, AT(segue_activity_delegate, will_save) == 8);
LAYOUT(activity_delegate_was_continued, AT(segue_activity_delegate, was_continued) == 8 + POINTER);
LAYOUT(activity_delegate_check_version, AT(segue_activity_delegate, check_version) == 8 + 2 * POINTER);
LAYOUT(activity_delegate_streams, AT(segue_activity_delegate, did_receive_streams) == 8 + 3 * POINTER);

LAYOUT(methods_size, sizeof(segue_responder_methods) == 8 + 3 * POINTER);
LAYOUT(methods_update, AT(segue_responder_methods, update_user_activity_state) == 8);
LAYOUT(methods_restore, AT(segue_responder_methods, restore_user_activity_state) == 8 + POINTER);
LAYOUT(methods_changed, AT(segue_responder_methods, user_activity_changed) == 8 + 2 * POINTER);

LAYOUT(window_size, sizeof(segue_window_methods) == 8 + 6 * POINTER);
LAYOUT(window_prefers, AT(segue_window_methods, prefers_content) == 8);
LAYOUT(window_can, AT(segue_window_methods, can_show_content) == 8 + POINTER);
LAYOUT(window_continue, AT(segue_window_methods, continue_activity) == 8 + 2 * POINTER);
LAYOUT(window_update, AT(segue_window_methods, update_user_activity_state) == 8 + 3 * POINTER);
LAYOUT(window_restore, AT(segue_window_methods, restore_user_activity_state) == 8 + 4 * POINTER);
LAYOUT(window_changed, AT(segue_window_methods, user_activity_changed) == 8 + 5 * POINTER);

LAYOUT(document_methods_size, sizeof(segue_document_methods) == 8 + 4 * POINTER);
LAYOUT(document_methods_update, AT(segue_document_methods, update_user_activity_state) == 8);
LAYOUT(document_methods_restore, AT(segue_document_methods, restore_user_activity_state) == 8 + POINTER);
LAYOUT(document_methods_changed, AT(segue_document_methods, user_activity_changed) == 8 + 2 * POINTER);
LAYOUT(document_methods_moved, AT(segue_document_methods, url_changed) == 8 + 3 * POINTER);

LAYOUT(codes_have_32_bits, sizeof(segue_error_code) == 4);
LAYOUT(kinds_have_32_bits, sizeof(segue_value_kind) == 4);
LAYOUT(states_have_32_bits, sizeof(segue_application_state) == 4);
LAYOUT(flags_have_64_bits, sizeof(SEGUE_APPLICATION_OWN_APP_ID) == 8);

static void version_functionsSayWhatTheMacrosSay(void) {
  char text[32];
  CHECK_INT(segue_version_number(), SEGUE_VERSION_NUMBER);
  snprintf(text, sizeof text, "%d.%d.%d", SEGUE_VERSION_MAJOR, SEGUE_VERSION_MINOR, SEGUE_VERSION_PATCH);
  CHECK_TEXT(segue_version_string(), text);
}

static void C15_constantsHaveFunctions(void) {
  CHECK_TEXT(SEGUE_ACTIVITY_TYPE_BROWSING_WEB, "org.segue.BrowsingWeb");
  CHECK_TEXT(segue_activity_type_browsing_web(), SEGUE_ACTIVITY_TYPE_BROWSING_WEB);
  CHECK_TEXT(SEGUE_DOCUMENT_URL_KEY, "SegueDocumentURL");
  CHECK_TEXT(segue_document_url_key(), SEGUE_DOCUMENT_URL_KEY);
}

/* An _init function does what the _INIT macro does, whatever the memory held before. */
static void structs_initFunctionsMatchMacros(void) {
  const segue_application_options empty_options = SEGUE_APPLICATION_OPTIONS_INIT;
  const segue_application_delegate empty_delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  const segue_activity_delegate empty_activity_delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  const segue_responder_methods empty_methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_application_options options;
  segue_application_delegate delegate;
  segue_activity_delegate activity_delegate;
  segue_responder_methods methods;
  memset(&options, 0x5A, sizeof options);
  memset(&delegate, 0x5A, sizeof delegate);
  memset(&activity_delegate, 0x5A, sizeof activity_delegate);
  memset(&methods, 0x5A, sizeof methods);
  segue_application_options_init(&options, (uint32_t)sizeof options);
  segue_application_delegate_init(&delegate, (uint32_t)sizeof delegate);
  segue_activity_delegate_init(&activity_delegate, (uint32_t)sizeof activity_delegate);
  segue_responder_methods_init(&methods, (uint32_t)sizeof methods);
  CHECK(memcmp(&options, &empty_options, sizeof options) == 0);
  CHECK(memcmp(&delegate, &empty_delegate, sizeof delegate) == 0);
  CHECK(memcmp(&activity_delegate, &empty_activity_delegate, sizeof activity_delegate) == 0);
  CHECK(memcmp(&methods, &empty_methods, sizeof methods) == 0);
}

/* A program that is newer than the library has larger structs, an older one smaller ones. */
static void structs_initFunctionsKeepToTheirSize(void) {
  struct {
    segue_responder_methods methods;
    uint64_t newer;
    uint64_t beyond;
  } room;
  memset(&room, 0x5A, sizeof room);
  segue_responder_methods_init(&room.methods, (uint32_t)offsetof(segue_responder_methods, restore_user_activity_state));
  CHECK(room.methods.update_user_activity_state == NULL);
  CHECK(room.methods.restore_user_activity_state != NULL);
  segue_responder_methods_init(&room.methods, (uint32_t)(sizeof room.methods + sizeof room.newer));
  CHECK(room.methods.restore_user_activity_state == NULL);
  CHECK(room.newer == 0);
  CHECK(room.beyond != 0);
  CHECK(room.methods.struct_size == sizeof room.methods + sizeof room.newer);
}

static void E1_everyErrorHasCodeNameAndSentence(void) {
  segue_application *application = NULL;
  segue_error *error = NULL;
  CHECK_INT(segue_application_new("no dots", NULL, &application, &error), -EINVAL);
  CHECK(application == NULL);
  CHECK(error != NULL);
  CHECK_INT(segue_error_get_code(error), SEGUE_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT(segue_error_get_name(error), "org.segue.Error.InvalidArgument");
  CHECK(segue_error_get_message(error)[0] != '\0');
  CHECK(segue_error_get_advice(error)[0] != '\0');
  CHECK(segue_error_ref(error) == error);
  CHECK(segue_error_unref(error) == NULL);
  CHECK_INT(segue_error_get_code(error), SEGUE_ERROR_INVALID_ARGUMENT);
  CHECK(segue_error_unref(error) == NULL);
}

static void E1_accessorsTakeNull(void) {
  CHECK_INT(segue_error_get_code(NULL), 0);
  CHECK_TEXT(segue_error_get_name(NULL), "");
  CHECK_TEXT(segue_error_get_message(NULL), "");
  CHECK_TEXT(segue_error_get_advice(NULL), "");
}

static void handles_unrefTakesNull(void) {
  CHECK(segue_application_unref(NULL) == NULL);
  CHECK(segue_activity_unref(NULL) == NULL);
  CHECK(segue_responder_unref(NULL) == NULL);
  CHECK(segue_continuation_unref(NULL) == NULL);
  CHECK(segue_restoration_unref(NULL) == NULL);
  CHECK(segue_value_unref(NULL) == NULL);
  CHECK(segue_error_unref(NULL) == NULL);
  segue_free(NULL);
}

const abi_test version_tests[] = {
    TEST(version_functionsSayWhatTheMacrosSay),
    TEST(C15_constantsHaveFunctions),
    TEST(structs_initFunctionsMatchMacros),
    TEST(structs_initFunctionsKeepToTheirSize),
    TEST(E1_everyErrorHasCodeNameAndSentence),
    TEST(E1_accessorsTakeNull),
    TEST(handles_unrefTakesNull),
    {NULL, NULL},
};
