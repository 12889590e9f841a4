/* src/run/scenario_file.h - a scenario file, read once for all of its runs. */
#ifndef RUN_SCENARIO_FILE_H
#define RUN_SCENARIO_FILE_H

#include "base/err.h"
#include "run/simulation.h"

struct scenario_file {
    char   *path;                /* "-": standard input */
    char   *text;
    size_t  text_bytes;
};

/* 'path' is a file or, if it does not exist, the name of a scenario that ships with Anole
 * (scenario/examples.h). On failure, too, scenario_file_fini() frees it. */
int scenario_file_read(struct scenario_file *, const char *path, struct err *);
void scenario_file_fini(struct scenario_file *);

/* The input of a simulation. It points into the file. */
struct simulation_input scenario_file_input(const struct scenario_file *);

#endif
