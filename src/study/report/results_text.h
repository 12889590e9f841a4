/* src/study/report/results_text.h - numbers as people read them, and lines of "what   how much", for tables
 * of results. */
#ifndef STUDY_REPORT_RESULTS_TEXT_H
#define STUDY_REPORT_RESULTS_TEXT_H

#include "base/print/safe.h"
#include "base/print/terminal.h"
#include "base/text.h"
#include "study/report/metrics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct text { char buf[64]; };

/* "-" if there is no such number. */
static inline struct text metric(enum metric_unit unit, double value)
{
    struct text t;

    metric_text(t.buf, sizeof(t.buf), unit, value);
    return t;
}

static inline struct text time_text(uint64_t ps)
{
    return metric(UNIT_PS, (double)ps);
}

static inline struct text bytes_text(uint64_t bytes)
{
    return metric(UNIT_BYTES, (double)bytes);
}

static inline struct text sizes_text(uint32_t bucket)
{
    struct text t;

    metric_sizes_text(t.buf, sizeof(t.buf), bucket);
    return t;
}

static inline struct text count_text(uint64_t n)
{
    struct text t;

    text_from_count(t.buf, sizeof(t.buf), n);
    return t;
}

/* "1 flow", "2,000 flows" */
static inline struct text counted(uint64_t n, const char *one, const char *many)
{
    struct text number = count_text(n), t;

    snprintf(t.buf, sizeof(t.buf), "%.30s %.16s", number.buf, n == 1 ? one : many);
    return t;
}

static inline struct text flows_text(uint64_t n)
{
    return counted(n, "flow", "flows");
}

static inline void print_heading(FILE *out, bool has_colour, const char *text)
{
    fprintf(out, "\n%s%s%s\n", has_colour ? "\033[1m" : "", text, has_colour ? "\033[0m" : "");
}

/* A line of "what   how much". */
static inline void print_line(FILE *out, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline void print_line(FILE *out, const char *what, const char *format, ...)
{
    int     at = 17;
    va_list args;
    char   *text;

    va_start(args, format);
    text = safe_format(format, args);
    va_end(args);
    fprintf(out, "  %-14s ", what);
    terminal_words(out, text, at, at, terminal_width(out));
    free(text);
}

#endif
