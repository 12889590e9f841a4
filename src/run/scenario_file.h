/* src/run/scenario_file.h - the file of a scenario, read once for all runs of it. */
#ifndef RUN_SCENARIO_FILE_H
#define RUN_SCENARIO_FILE_H

#include "base/err.h"
#include "run/simulation.h"

struct scenario_file {
    const char *path;            /* "-": standard input; must outlive this */
    char       *text;
    size_t      text_bytes;
    char       *example;         /* NULL, or the path of one of examples.h that was meant */
};

/* 'path' is a file or, where there is none, the name of a scenario that comes with Anole (examples.h). */
int scenario_file_read(struct scenario_file *, const char *path, struct err *);
void scenario_file_fini(struct scenario_file *);

/* What a simulation of it begins with; it points into the file. */
struct simulation_input scenario_file_input(const struct scenario_file *);

#endif
