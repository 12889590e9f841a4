/* src/run/scenario_file.h - a scenario file, read once for all of its runs. */
#ifndef RUN_SCENARIO_FILE_H
#define RUN_SCENARIO_FILE_H

#include "base/err.h"
#include "run/simulation.h"

struct scenario_file {
    const char *path;            /* "-": standard input; must outlive this */
    char       *text;
    size_t      text_bytes;
    char       *example;         /* path of an example (examples.h), or NULL */
};

/* 'path' is a file or, if it does not exist, the name of a scenario that ships with Anole (examples.h). */
int scenario_file_read(struct scenario_file *, const char *path, struct err *);
void scenario_file_fini(struct scenario_file *);

/* The input of a simulation. It points into the file. */
struct simulation_input scenario_file_input(const struct scenario_file *);

#endif
