/* src/scenario/scenario.h - reads a scenario file into a network, its traffic and its settings.
 *
 * Every key is a row of a table that feeds the reader, error messages and docs/scenario.md. Errors are
 * reported before anything runs: "file:line:column: what is wrong; did you mean 'x'?".
 */
#ifndef SCENARIO_SCENARIO_H
#define SCENARIO_SCENARIO_H

#include "base/err.h"
#include "scenario/scenario_build.h"
#include "scenario/made.h"

#include <stddef.h>
#include <stdint.h>

/* The source of a scenario: a text, or a tree built by a program. */
struct scenario_source {
    const char         *name;            /* of the file, for messages and for files it names */
    const char         *text;
    size_t              text_bytes;
    const struct build *base;            /* built by a program, instead of a text; or NULL */
    const char *const  *set;             /* --set texts */
    uint32_t            sets;
    const struct build *over;            /* built by a program, overrides all of these; or NULL */
    const uint64_t     *seed;            /* NULL: the scenario's */
};

int scenario_make(struct scenario *, const struct scenario_source *, struct err *);

/* Reads a scenario. 'set' holds the command line's "--set" texts ("kmin=200KB", or a path of keys:
 * "topology.delay=2us", "traffic.0.load=0.5"); they are applied as if written in the file. 'seed'
 * overrides the file's if not NULL. On failure nothing is held. */
int  scenario_read(struct scenario *, const char *path, const char *const *set, uint32_t sets,
                   const uint64_t *seed, struct err *);
int  scenario_parse(struct scenario *, const char *name, const char *text, size_t length,
                    const char *const *set, uint32_t sets, const uint64_t *seed, struct err *);
void scenario_fini(struct scenario *);

/* Creates the simulation. Graph and traffic move into it, also on failure. May add to 'warning'. */
int scenario_start(struct scenario *, struct sim **, struct err *);

#endif
