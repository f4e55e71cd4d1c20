#include "CAssociations.h"

// All that the library exports.
extern const struct segue_association_calls segue_association_calls;

__attribute__((visibility("default"))) const struct segue_association_calls segue_association_calls = {
    .version = SEGUE_ASSOCIATION_VERSION,
    .fetch = segue_fetch,
    .cms_open = segue_cms_open,
    .cms_sign = segue_cms_sign,
};
