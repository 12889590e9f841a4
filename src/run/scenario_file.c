/* src/run/scenario_file.c */
#include "run/scenario_file.h"
#include "base/text.h"
#include "run/examples.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCENARIO_BYTES_MAX (64u << 20)

static int refuse(const char *path, struct err *err)
{
    char *near = examples_nearest(path);
    int   rc = err_set(err, ENOENT, "%s: no such file, and no scenario of that name comes with Anole; "
        "%s%s%s", path,
                       near ? "did you mean '" : "see anole list scenario", near ? near : "",
                           near ? "'?" : "");

    free(near);
    return rc;
}

int scenario_file_read(struct scenario_file *f, const char *path, struct err *err)
{
    bool is_there = strcmp(path, "-") == 0 || strchr(path, '/') || access(path, F_OK) == 0;

    *f = (struct scenario_file){ .path = path };
    if (!is_there) {
        f->example = examples_find(path);
        if (!f->example)
            return refuse(path, err);
        f->path = f->example;
    }
    return text_read_file(f->path, SCENARIO_BYTES_MAX, &f->text, &f->text_bytes, err);
}

void scenario_file_fini(struct scenario_file *f)
{
    free(f->text);
    free(f->example);
    f->example = NULL;
    f->text = NULL;
    f->text_bytes = 0;
}

struct simulation_input scenario_file_input(const struct scenario_file *f)
{
    return (struct simulation_input){ .name = text_file_name(f->path), .text = f->text,
                                      .text_bytes = f->text_bytes };
}
