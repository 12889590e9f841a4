/* src/base/text.h - quantities with units, similar words, addresses, and files as text. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Each of these parses the whole of 'text', or returns -EINVAL with a short reason in err ("'5 parsecs' is
 * not a time; write 5us, 3ms, 200ns"), without a file name. Units may follow directly or after blanks.
 * Negative or too large values return -ERANGE. "1.1MiB" is rounded to the nearest byte, but a fraction of the
 * smallest unit itself ("1.5B", "0.5ps") is refused. On failure the output is not written.
 *
 *   time   ps ns us ms s           -> picoseconds  (unit required, except for 0)
 *   rate   bps Kbps Mbps Gbps Tbps (also "100G", "25Gb/s") -> bits per second (unit required)
 *   bytes  B KB MB GB TB (1000), KiB MiB GiB TiB (1024)    -> bytes (a plain number is bytes)
 *   units  a number ("2.001", "1.25e6") of a unit of at most 2^40, rounded to nearest
 */
int text_to_time(const char *text, uint64_t *ps, struct err *);
int text_to_rate(const char *text, uint64_t *bps, struct err *);
int text_to_bytes(const char *text, uint64_t *bytes, struct err *);
int text_to_uint(const char *text, uint64_t *value, struct err *);     /* 0 .. 2^64-1, decimal */
int text_to_units(const char *text, uint64_t unit, uint64_t *value, struct err *);
int text_to_real(const char *text, double *value, struct err *);       /* finite; "30%" is 0.3 */
int text_to_bool(const char *text, int *value, struct err *);          /* true/false, yes/no, on/off, 1/0 */

/* Formats a setting or a limit, with at most four significant digits and no exponent: "83.84 ns", "1.6 MB",
 * "100 Gb/s". Returns buf. The functions above read all of these. */
char *text_from_time(char *buf, size_t size, uint64_t ps);
char *text_from_rate(char *buf, size_t size, double bps);
char *text_from_bytes(char *buf, size_t size, double bytes);
char *text_from_count(char *buf, size_t size, uint64_t n);             /* 1,234,567 */

/* Formats a measured figure, with three significant digits: "8.38 us", "25.0 Gb/s", "1.53 %"; NAN is "-".
 * 'unit' is that of JSON (metric_unit_name() in core/figures.h): "", "us", "bytes", "bps", "share", "count",
 * "per_s"; or "bus" for bits per second as nccl-tests print them. Pages write the same (format() in
 * web/src/format.ts): tests/data/figures.csv has examples that the tests of both check. Returns buf. */
char *text_figure(char *buf, size_t size, const char *unit, double value);

/* The place of a word in a NULL-terminated list; -1: not in it. */
int text_index(const char *word, const char *const *names);

/* Returns the name in the NULL-terminated list with the smallest edit distance to 'word' (a swap of neighbors
 * counts as one edit, case is ignored), or NULL if the distance exceeds a third of the length of the word, or
 * 1. The first of several equally near names wins. */
const char *text_nearest(const char *word, const char *const *names);

/* Writes "; did you mean 'x'?", or "" if no name is near. Returns buf. */
const char *text_did_you_mean(char *buf, size_t size, const char *word, const char *const *names);

/* The same, but if no name is near, lists all of them: "; there are x, y and z". Returns buf. */
char *text_names(char *buf, size_t size, const char *word, const char *const *names);

/* Opens a stream that writes to malloc'd memory. *text is complete after fclose(). */
FILE *text_stream(char **text);

/* Finds the folder of the running program. */
bool text_own_folder(char folder[PATH_MAX]);

/* The name of a file in messages: "-" is standard input. */
const char *text_file_name(const char *path);

/* Reads a file ("-": standard input) of at most 'max' bytes; malloc'd, with a zero byte. Errors name it. */
int text_read_file(const char *path, size_t max, char **text, size_t *length, struct err *);

/* Observes all files that text_read_file() reads in this thread, to detect later changes. NULL: stop. */
struct text_watch {
    void (*on_read)(void *arg, const char *text, size_t length);
    void (*on_value)(void *arg, const void *bytes, size_t length);   /* of text_watch_value(); or NULL */
    void *arg;
};
void text_watch_reads(const struct text_watch *);

/* Tells the watcher of a value that decides results and is in no file: a default, or a model that ships. */
void text_watch_value(const void *bytes, size_t length);
void text_watch_text(const char *text);
void text_watch_real(double value);

/* The part of a path behind the last slash. */
const char *text_base_name(const char *path);

#define ADDRESS_HOST_SIZE 256

struct address { char host[ADDRESS_HOST_SIZE], port[16]; };      /* host: without brackets */

/* Splits "host:port" or "[::1]:port". -EINVAL: there is no port, or it is too long. The host may be empty. */
int address_split(struct address *, const char *text);

#endif
