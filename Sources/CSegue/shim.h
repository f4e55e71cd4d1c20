// Swift's view of the public headers. C users see incomplete types; completing each with one byte here makes Swift see
// a pointer type of its own for each kind of handle instead of one OpaquePointer for all.
#include "../../include/segue/segue.h"

struct segue_application { char unused; };
struct segue_activity { char unused; };
struct segue_responder { char unused; };
struct segue_window { char unused; };
struct segue_document { char unused; };
struct segue_continuation { char unused; };
struct segue_restoration { char unused; };
struct segue_value { char unused; };
struct segue_error { char unused; };
