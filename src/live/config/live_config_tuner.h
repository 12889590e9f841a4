/* src/live/config/live_config_tuner.h - a tuner in a configuration file, as in a scenario: a name, or a map
 * with the name and options. */
#ifndef LIVE_CONFIG_LIVE_CONFIG_TUNER_H
#define LIVE_CONFIG_LIVE_CONFIG_TUNER_H

#include "base/reader.h"
#include "core/option.h"
#include "tune/loop.h"

struct config_tuner {
    char               *kind, *place;            /* NULL: none */
    struct option_text *option;
    uint32_t            options;
};

/* 'node' of NULL: no tuner. */
void config_tuner_read(struct reader *, const struct yaml_node *node, struct config_tuner *);
void config_tuner_fini(struct config_tuner *);

/* 'file': file names in options are relative to its folder. */
struct loop_request config_tuner_request(const struct config_tuner *, const char *file);

bool config_tuner_is_same(const struct config_tuner *, const struct config_tuner *);

#endif
