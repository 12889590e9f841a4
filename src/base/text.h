/* src/base/text.h - words and quantities as people write them. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Each of these parses the whole of 'text' or returns -EINVAL with a short
 * reason in err ("'5 parsecs' is not a time; write 5us, 3ms, 200ns"), without
 * a file name in front. Units may follow directly or after blanks. A value that
 * does not fit or is negative is refused (-ERANGE). "1.1MiB" is rounded to the nearest
 * whole byte, but a fraction of the smallest unit itself ("1.5B", "0.5ps") is refused.
 * On failure the output is not written.
 *
 *   time   ps ns us ms s           -> picoseconds  (unit required, except for 0)
 *   rate   bps Kbps Mbps Gbps Tbps (also "100G", "25Gb/s") -> bits per second (unit required)
 *   bytes  B KB MB GB TB (1000), KiB MiB GiB TiB (1024)    -> bytes (a plain number is bytes)
 */
int text_to_time(const char *text, uint64_t *ps, struct err *);
int text_to_rate(const char *text, uint64_t *bps, struct err *);
int text_to_bytes(const char *text, uint64_t *bytes, struct err *);
int text_to_uint(const char *text, uint64_t *value, struct err *);     /* 0 .. 2^64-1, decimal */
int text_to_real(const char *text, double *value, struct err *);       /* finite; "30%" is 0.3 */
int text_to_bool(const char *text, int *value, struct err *);          /* true/false, yes/no, on/off, 1/0 */

/* Writes a quantity the way people read it: "83.84ns", "1.6MB", "100Gbps". Three
 * to four significant digits, never an exponent; returns buf. */
char *text_from_time(char *buf, size_t size, uint64_t ps);
char *text_from_rate(char *buf, size_t size, double bps);
char *text_from_bytes(char *buf, size_t size, double bytes);
char *text_from_count(char *buf, size_t size, uint64_t n);             /* 1,234,567 */

/* Returns the name in the NULL-terminated list that is nearest to 'word' by edit
 * distance (swapped neighbours count as one, case is ignored), or NULL if none
 * is near enough to be what was meant: within a third of the length of the word, or 1.
 * The first of several equally near is taken. */
const char *text_nearest(const char *word, const char *const *names);

/* "; did you mean 'x'?" with that name, or "" if none is near. Returns buf. */
const char *text_did_you_mean(char *buf, size_t size, const char *word, const char *const *names);

/* Likewise, but if no name is near, all of them: "; there are x, y and z". Returns buf. */
char *text_names(char *buf, size_t size, const char *word, const char *const *names);

/* What messages call a file: "-" is standard input. */
const char *text_file_name(const char *path);

/* Reads a whole file ("-": standard input) into malloc'd memory with a zero byte
 * after it. Refuses more than 'max' bytes. The error names the file. */
int text_read_file(const char *path, size_t max, char **text, size_t *length, struct err *);

/* Who wants to see what text_read_file() reads in this thread, to know later whether it has changed; NULL: nobody
 * any more. Whoever reads a file through others need not know which. */
struct text_watch {
    void (*on_read)(void *arg, const char *text, size_t length);
    void *arg;
};
void text_watch_reads(const struct text_watch *);

#endif
