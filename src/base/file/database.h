/* src/base/file/database.h - an SQLite file of ours: whose it is, and statements that are prepared once. */
#ifndef BASE_FILE_DATABASE_H
#define BASE_FILE_DATABASE_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>

struct database_kind {
    int                application, version;     /* PRAGMA application_id and user_version */
    const char        *schema;
    const char *const *sql;                      /* statements */
    int                statements;
    const char        *advice;                   /* what to do with a file that is not ours: "move it away" */
    int                busy_ms;                  /* to wait for other writers */
    int                checked_pages;            /* files of no more pages are read whole, to find damage; 0: none are */
};

struct database {
    const struct database_kind *kind;
    sqlite3                    *db;
    sqlite3_stmt              **statement;       /* NULL: not used yet */
    char                       *path;
};

/* A file that is not there is made; NULL is memory. One of another program or version, or a damaged one, is refused and stays. */
int  database_open(struct database *, const struct database_kind *, const char *path, struct err *);
void database_close(struct database *);

/* Fills 'err' with what SQLite last said. */
int database_fail(const struct database *, struct err *);
int database_execute(struct database *, const char *sql, struct err *);

/* Ready for its parameters. NULL: it cannot be made; database_fail() and database_end() say why. */
sqlite3_stmt *database_statement(struct database *, int which);

/* Ends a statement of which no more rows are wanted. 'step': what sqlite3_step() said last. */
int database_end(struct database *, sqlite3_stmt *, int step, struct err *);

#endif
