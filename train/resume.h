/* train/resume.h - files from which an interrupted training resumes.
 *
 * A magic line, the digest of the configuration, the fields of the state, and the digest of everything
 * before. Numbers are in native byte order: the file is meant for the same machine.
 */
#ifndef TRAIN_RESUME_H
#define TRAIN_RESUME_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct resume_file {
    const char *magic;           /* the first line, with its newline */
    const char *config;          /* digest of everything that affects the result, 32 characters */
    void       *state;
    void      (*fields)(struct resume_file *, void *state);      /* calls resume_field() for each field */

    /* Internal. */
    FILE       *out;             /* writing */
    const char *in;              /* reading */
    size_t      left;
    bool        is_wrong;
};

/* Writes or reads a field. A field that is not in the file stays as it is. */
void resume_field(struct resume_file *, void *bytes, size_t length);

/* Writes the file atomically. */
int resume_save(struct resume_file, const char *path, struct err *);

/* Reads a file saved with the same configuration. If there is none, writes it, so that it fails at once. */
int resume_open(struct resume_file, const char *path, bool *is_there, struct err *);

/* Reads the contents of such a file; 'name' is for messages. */
int resume_parse(struct resume_file, const char *name, const char *bytes, size_t length, struct err *);

#endif
