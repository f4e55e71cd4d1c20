#include "CAssociations.h"
#include "CAssociationsWork.h"

const struct segue_association_calls segue_association_calls = {
    .version = SEGUE_ASSOCIATION_VERSION,
    .fetch = segue_fetch,
    .cms_open = segue_cms_open,
    .cms_sign = segue_cms_sign,
};
