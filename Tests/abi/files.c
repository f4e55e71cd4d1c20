/* The files of tests that need no daemon. */
#include "abi_test.h"

const abi_test *const abi_files[] = {version_tests,     error_tests,
                                     value_tests,       encoding_tests,
                                     activity_tests,    attributes_tests,
                                     user_info_tests,   responder_tests,
                                     window_tests,      document_tests,
                                     offer_tests,       stream_tests,
                                     file_tests,        callback_tests,
                                     application_tests, loop_tests,
                                     thread_tests,      property_tests,
                                     together_tests,    guest_tests,
                                     hosting_tests,     NULL};
