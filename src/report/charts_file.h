/* src/report/charts_file.h - charts.json: the data for anole plot, from the data of a page. */
#ifndef REPORT_CHARTS_FILE_H
#define REPORT_CHARTS_FILE_H

#include <jansson.h>
#include <stdio.h>

/* 'page': interface Page of web/src/data.ts. */
void charts_file_print(const json_t *page, FILE *);

#endif
