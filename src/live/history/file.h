/* src/live/history/file.h - the database of a history: its tables, and every statement that is ever carried
 * out on it. */
#ifndef LIVE_HISTORY_FILE_H
#define LIVE_HISTORY_FILE_H

#include "base/file/database.h"

#include <stdint.h>

enum file_statement {
    ADD_POINT, ROLL_POINTS, TRIM_POINTS, ADD_KNOBS, TRIM_KNOBS, ADD_RECORD, TRIM_RECORDS, LAST_RECORD,
    ADD_DEVICE, DEVICE_ID, ADD_COVERAGE, TRIM_COVERAGE, GET_POINTS, GET_KNOBS, GET_RECORDS, GET_COVERAGE,
    DEVICE_NAME, OLDEST, FILE_STATEMENTS
};

int  file_open(struct database *, const char *path, struct err *);
void file_bind(sqlite3_stmt *, int at, uint64_t value);

/* Carries a statement out that answers nothing. */
int file_do(struct database *, sqlite3_stmt *, struct err *);

/* What a statement of one argument at most answers; 0: nothing. */
uint64_t file_number(struct database *, enum file_statement, uint64_t argument);

#endif
