/* src/live/history/file.h - the database of a history: its tables, and every statement that is ever carried
 * out on it. */
#ifndef LIVE_HISTORY_FILE_H
#define LIVE_HISTORY_FILE_H

#include "base/file/database.h"

#include <stdbool.h>
#include <stdint.h>

enum file_statement {
    ADD_POINT, ROLL_POINTS, TRIM_POINTS, ADD_KNOBS, TRIM_KNOBS, ADD_RECORD, TRIM_RECORDS, LAST_RECORD,
    ADD_DEVICE, DEVICE_ID, ADD_COVERAGE, TRIM_COVERAGE, GET_POINTS, GET_KNOBS, GET_RECORDS, GET_COVERAGE,
    DEVICE_NAME, OLDEST, FILE_STATEMENTS
};

int  file_open(struct database *, const char *path, struct err *);

/* A statement with its arguments, one letter for each: i uint64_t, r double, t text, b bytes and how
 * many (int). Text and bytes must stay. NULL: it could not be made. */
sqlite3_stmt *file_query(struct database *, enum file_statement, const char *kinds, ...);

/* Carries a statement out that answers nothing. */
int file_run(struct database *, struct err *, enum file_statement, const char *kinds, ...);

/* Goes to the next row of an answer; false: there is none, and the statement is done with. */
bool file_next(sqlite3_stmt *);

/* An answer of one number; 0: nothing. */
uint64_t file_number(sqlite3_stmt *);

#endif
