/* src/base/file/database.h - an SQLite file with a checked owner and version, and prepared statements. */
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
    const char        *advice;                   /* for messages about files of others: "move it away" */
    int                busy_ms;                  /* to wait for other writers */
    int                checked_pages;            /* largest file that is checked for damage; 0: no check */
};

struct database {
    const struct database_kind *kind;
    sqlite3                    *db;
    sqlite3_stmt              **statement;       /* NULL: not used yet */
    char                       *path;
};

/* Opens or creates a file; NULL: in memory. Refuses files of other programs or versions, and damaged ones. */
int  database_open(struct database *, const struct database_kind *, const char *path, struct err *);
void database_close(struct database *);

/* Fills 'err' with SQLite's last error. */
int database_fail(const struct database *, struct err *);
int database_execute(struct database *, const char *sql, struct err *);

/* Returns a statement that is ready for parameters. NULL: error; see database_fail() and database_end(). */
sqlite3_stmt *database_statement(struct database *, int which);

/* Text of a column of the current row; "" if a damaged file has none. */
const char *database_text(sqlite3_stmt *, int column);

/* Ends a statement. 'step' is the last result of sqlite3_step(). */
int database_end(struct database *, sqlite3_stmt *, int step, struct err *);

#endif
