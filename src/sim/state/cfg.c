#include "sim/state/cfg.h"

#include <stddef.h>

const char *const sim_model_names[] = { "nic", "hpcc", "conweave", NULL };
