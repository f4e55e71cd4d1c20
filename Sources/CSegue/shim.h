#include "../../include/segue/segue.h"
struct segue_application { char unused; };
