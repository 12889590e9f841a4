/* src/scenario/scenario.h - a scenario file becomes a network, its traffic and a setting.
 *
 * Every key stands in a table that feeds the reader, its messages and docs/scenario.md: those of kinds of topology
 * and traffic in the kind's own.
 * Whatever is wrong is refused before anything runs: "file:line:column: what is wrong; did you mean 'x'?".
 */
#ifndef SCENARIO_SCENARIO_H
#define SCENARIO_SCENARIO_H

#include "base/err.h"
#include "scenario/build.h"
#include "scenario/made.h"

#include <stddef.h>
#include <stdint.h>

/* Where a scenario comes from: a text, or what a program has made. */
struct scenario_source {
    const char         *name;            /* of the file, for messages and for files it names */
    const char         *text;
    size_t              text_bytes;
    const struct build *base;            /* made by a program, instead of a text; or NULL */
    const char *const  *set;             /* of the command line */
    uint32_t            sets;
    const struct build *over;            /* made by a program, put over all of these; or NULL */
    const uint64_t     *seed;            /* NULL: that of the scenario */
};

int scenario_make(struct scenario *, const struct scenario_source *, struct err *);

/* Reads a scenario. 'set' holds the command line's "--set" texts ("kmin=200KB", or a path of keys:
 * "topology.delay=2us", "traffic.0.load=0.5"); they are applied as if written in the file. 'seed'
 * overrides the file's if not NULL. On failure nothing is held. */
int  scenario_read(struct scenario *, const char *path, const char *const *set, uint32_t sets, const uint64_t *seed,
                   struct err *);
int  scenario_parse(struct scenario *, const char *name, const char *text, size_t length, const char *const *set,
                    uint32_t sets, const uint64_t *seed, struct err *);
void scenario_fini(struct scenario *);

/* Makes the simulation; graph and traffic move into it, and are gone if it cannot be. What is odd but works is told in
 * 'warning'. */
int scenario_start(struct scenario *, struct sim **, struct err *);

#endif
