/* src/live/history/file.h - the database of a history: its tables, and every statement that is ever carried out on it. */
#ifndef LIVE_HISTORY_FILE_H
#define LIVE_HISTORY_FILE_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdint.h>

enum file_statement {
    ADD_POINT, ROLL_POINTS, TRIM_POINTS, ADD_KNOBS, TRIM_KNOBS, ADD_RECORD, TRIM_RECORDS, LAST_RECORD, ADD_DEVICE, DEVICE_ID,
    ADD_COVERAGE, TRIM_COVERAGE, GET_POINTS, GET_KNOBS, GET_RECORDS, GET_COVERAGE, DEVICE_NAME, OLDEST, FILE_STATEMENTS
};

struct file {
    sqlite3      *db;
    sqlite3_stmt *statement[FILE_STATEMENTS];    /* NULL: not used yet */
    char         *path;
};

int  file_open(struct file *, const char *path, struct err *);
void file_close(struct file *);

/* Ready for its arguments; NULL: it cannot be made, which file_do() tells. */
sqlite3_stmt *file_statement(struct file *, enum file_statement);
void          file_bind(sqlite3_stmt *, int at, uint64_t value);

/* Carries a statement out that answers nothing. */
int file_do(struct file *, sqlite3_stmt *, struct err *);
int file_execute(struct file *, const char *sql, struct err *);

/* What a statement of one argument at most answers; 0: nothing. */
uint64_t file_number(struct file *, enum file_statement, uint64_t argument);

/* Says what SQLite last said. */
int file_fail(const struct file *, struct err *);

#endif
