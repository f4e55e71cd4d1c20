// segue-associations.so: what it exports.
#ifndef SEGUE_CASSOCIATIONSWORK_H
#define SEGUE_CASSOCIATIONSWORK_H

#include "CAssociations.h"

extern const struct segue_association_calls segue_association_calls;

#endif
