// Swift's view of the public headers. C users see incomplete types; completing each with one byte here makes Swift see
// a pointer type of its own for each kind of handle instead of one OpaquePointer for all.
#include "../../include/segue/segue.h"
#include "../../include/segue/closure.h"

struct segue_application { char unused; };
struct segue_activity { char unused; };
struct segue_responder { char unused; };
struct segue_window { char unused; };
struct segue_document { char unused; };
struct segue_continuation { char unused; };
struct segue_restoration { char unused; };
struct segue_value { char unused; };
struct segue_error { char unused; };
struct segue_plugin { char unused; };
struct segue_plugin_object { char unused; };
struct segue_offer { char unused; };

// A plugin may leave any pointer NULL, whatever the header says: Swift sees every pointer in it as optional.
#undef SEGUE_BEGIN_NONNULL
#undef SEGUE_END_NONNULL
#undef SEGUE_NULLABLE
#undef SEGUE_NONNULL
#define SEGUE_BEGIN_NONNULL
#define SEGUE_END_NONNULL
#define SEGUE_NULLABLE
#define SEGUE_NONNULL
#include "../../include/segue/plugin.h"
