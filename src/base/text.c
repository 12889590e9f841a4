#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define QUOTE "'%.60s'"                      /* user input may have any length */
#define UNIT_MAX (1ull << 40)             /* TiB */
#define DIGITS_MAX ((unsigned __int128)10000000000000ull * 1000000000000ull)  /* 10^25 */

struct unit { const char *name; uint64_t size; };

/* A kind of quantity: its name in messages, and its units, ended by a NULL name. */
struct kind {
    const char        *what, *examples, *smallest;
    bool               zero_needs_unit;
    const struct unit *units;
};

static const struct kind time_kind = {
    "a time", "5us, 3ms, 200ns", "picoseconds", false,
    (const struct unit[]){
        { "ps", 1 }, { "ns", 1000 }, { "us", 1000000 }, { "ms", 1000000000 }, { "s", 1000000000000 },
        { "\xc2\xb5s", 1000000 }, { "\xce\xbcs", 1000000 },      /* the micro sign, and the Greek letter */
        { NULL, 0 },
    },
};

static const struct kind rate_kind = {
    "a rate", "100Gbps, 400Mbps, 25G", "bits per second", true,
    (const struct unit[]){
        { "b/s", 1 }, { "Kb/s", 1000 }, { "Mb/s", 1000000 }, { "Gb/s", 1000000000 },
        { "Tb/s", 1000000000000 },
        { "bps", 1 }, { "Kbps", 1000 }, { "Mbps", 1000000 }, { "Gbps", 1000000000 },
        { "Tbps", 1000000000000 },
        { "K", 1000 }, { "M", 1000000 }, { "G", 1000000000 }, { "T", 1000000000000 },
        { "kbps", 1000 }, { "mbps", 1000000 }, { "gbps", 1000000000 }, { "tbps", 1000000000000 },
        { "kb/s", 1000 }, { "mb/s", 1000000 }, { "gb/s", 1000000000 }, { "tb/s", 1000000000000 },
        { NULL, 0 },
    },
};

static const struct kind bytes_kind = {
    "a size", "1500, 64KB, 32MiB", "bytes", false,
    (const struct unit[]){
        { "B", 1 }, { "KB", 1000 }, { "MB", 1000000 }, { "GB", 1000000000 }, { "TB", 1000000000000 },
        { "", 1 }, { "KiB", 1ull << 10 }, { "MiB", 1ull << 20 }, { "GiB", 1ull << 30 },
        { "TiB", 1ull << 40 },
        { NULL, 0 },
    },
};

/* A decimal number as written: digits x 10^exponent. Keeps the first 26 digits, so that their product with a
 * unit fits 128 bits. */
struct number {
    unsigned __int128 digits;
    int64_t           exponent;
    bool              has_more;  /* digits other than 0 are left out */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *scan_digits(const char *text, bool is_fraction, struct number *n)
{
    for (; is_digit(*text); text++) {
        bool has_room = n->digits < DIGITS_MAX;

        if (has_room)
            n->digits = 10 * n->digits + (unsigned)(*text - '0');
        n->has_more |= !has_room && *text != '0';
        n->exponent += !has_room - is_fraction;
    }
    return text;
}

/* Reads "12", "1.5" or ".5" and returns the rest of the text, or NULL if there is no number. */
static const char *scan_number(const char *text, struct number *n)
{
    *n = (struct number){ 0 };
    if (!is_digit(text[0]) && !(text[0] == '.' && is_digit(text[1])))
        return NULL;
    text = scan_digits(text, false, n);
    return *text == '.' ? scan_digits(text + 1, true, n) : text;
}

static const struct unit *find_unit(const struct kind *kind, const char *name)
{
    const struct unit *u = kind->units;

    while (u->name && strcmp(u->name, name) != 0)
        u++;
    return u->name ? u : NULL;
}

/* Converts the number to the smallest unit, rounded to nearest. Returns -1 if it is too large. */
static int scale(const struct number *n, uint64_t unit, uint64_t *value, bool *is_exact)
{
    unsigned __int128 made = n->digits * unit;
    int64_t           exponent = made ? n->exponent : 0;
    bool              is_half = false;

    *is_exact = !n->has_more;
    for (; exponent > 0 && made <= UINT64_MAX; exponent--)
        made *= 10;
    for (; exponent < 0 && (made || is_half); exponent++, made /= 10) {
        is_half = made % 10 >= 5;
        *is_exact &= made % 10 == 0;
    }
    made += is_half;
    if (made > UINT64_MAX)
        return -1;
    *value = (uint64_t)made;
    return 0;
}

static int to_quantity(const struct kind *kind, const char *text, uint64_t *value, struct err *err)
{
    bool negative = *text == '-';
    struct number n;
    const char *rest = scan_number(text + negative, &n);
    uint64_t made;
    bool is_exact;

    if (!rest)
        return err_set(err, EINVAL, QUOTE " is not %s; write %s", text, kind->what, kind->examples);
    rest += strspn(rest, " \t");
    bool is_zero = n.digits == 0;
    const struct unit *unit = find_unit(kind, rest);
    if (!unit && *rest == '\0' && is_zero && !kind->zero_needs_unit)
        unit = &kind->units[0];
    if (!unit && *rest == '\0')
        return err_set(err, EINVAL, QUOTE " has no unit; write %s", text, kind->examples);
    if (!unit)
        return err_set(err, EINVAL, QUOTE " is not %s; write %s", text, kind->what, kind->examples);
    if (negative)
        return err_set(err, ERANGE, QUOTE " is negative", text);
    bool is_too_large = scale(&n, unit->size, &made, &is_exact) < 0;
    if (unit->size == 1 && !is_exact)
        return err_set(err, EINVAL, QUOTE " is not a whole number of %s", text, kind->smallest);
    if (is_too_large)
        return err_set(err, ERANGE, QUOTE " is too large", text);
    if (made == 0 && !is_zero)
        return err_set(err, ERANGE, QUOTE " is too small", text);
    *value = made;
    return 0;
}

int text_to_time(const char *text, uint64_t *ps, struct err *err)
{
    return to_quantity(&time_kind, text, ps, err);
}

int text_to_rate(const char *text, uint64_t *bps, struct err *err)
{
    return to_quantity(&rate_kind, text, bps, err);
}

int text_to_bytes(const char *text, uint64_t *bytes, struct err *err)
{
    return to_quantity(&bytes_kind, text, bytes, err);
}

int text_to_uint(const char *text, uint64_t *value, struct err *err)
{
    bool negative = *text == '-', is_exact;
    const char *digits = text + negative;
    struct number n = { 0 };

    if (!is_digit(*digits) || *scan_digits(digits, false, &n))
        return err_set(err, EINVAL, QUOTE " is not a whole number", text);
    if (negative)
        return err_set(err, ERANGE, QUOTE " is negative", text);
    if (scale(&n, 1, value, &is_exact))
        return err_set(err, ERANGE, QUOTE " is too large", text);
    return 0;
}

/* Returns the text after a number with an optional exponent, or NULL if there is no number. strtod() would
 * also accept "inf", "nan", "0x10", a sign and leading blanks. */
static const char *scan_real(const char *text, struct number *n)
{
    const char *rest = scan_number(text, n);
    int64_t     exponent = 0;

    if (!rest || (*rest != 'e' && *rest != 'E'))
        return rest;
    bool is_negative = rest[1] == '-';
    rest += 1 + (is_negative || rest[1] == '+');
    if (!is_digit(*rest))
        return NULL;
    for (; is_digit(*rest); rest++)
        if (exponent < INT32_MAX)
            exponent = 10 * exponent + (*rest - '0');
    n->exponent += is_negative ? -exponent : exponent;
    return rest;
}

int text_to_units(const char *text, uint64_t unit, uint64_t *value, struct err *err)
{
    bool negative = *text == '-', is_exact;
    struct number n;
    const char *rest = scan_real(text + negative, &n);

    assert(unit <= UNIT_MAX);
    if (!rest || *rest)
        return err_set(err, EINVAL, QUOTE " is not a number; write 0.3, 12, 2e6", text);
    if (negative)
        return err_set(err, ERANGE, QUOTE " is negative", text);
    if (scale(&n, unit, value, &is_exact))
        return err_set(err, ERANGE, QUOTE " is too large", text);
    return 0;
}

int text_to_real(const char *text, double *value, struct err *err)
{
    bool negative = *text == '-';
    struct number n;
    const char *rest = scan_real(text + negative, &n);

    if (rest)
        rest += strspn(rest, " \t");
    bool percent = rest && *rest == '%';
    if (!rest || rest[percent])
        return err_set(err, EINVAL, QUOTE " is not a number; write 0.3, 30%%, 2e6", text);
    if (negative)
        return err_set(err, ERANGE, QUOTE " is negative", text);
    double made = strtod(text, NULL);
    if (!isfinite(made))
        return err_set(err, ERANGE, QUOTE " is too large", text);
    *value = percent ? made / 100 : made;
    return 0;
}

int text_to_bool(const char *text, int *value, struct err *err)
{
    static const char *const words[][2] = {
        { "false", "true" }, { "no", "yes" }, { "off", "on" }, { "0", "1" },
    };

    for (int i = 0; i < 4; i++)
        for (int yes = 0; yes < 2; yes++)
            if (strcasecmp(text, words[i][yes]) == 0) {
                *value = yes;
                return 0;
            }
    return err_set(err, EINVAL, QUOTE " is neither true nor false", text);
}

/* Cuts "1.600" to "1.6" and "100.0" to "100". */
static void trim_zeros(char *number)
{
    char *end = number + strlen(number);

    if (!strchr(number, '.'))
        return;
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        end[-1] = '\0';
}

/* Of the first five units, 1000 apart, uses the first in which four digits suffice; for 0 'natural'. */
static char *from_quantity(const struct kind *kind, int natural, char *buf, size_t size, double value)
{
    double length = value < 0 ? -value : value;
    char number[400];            /* the largest double has 309 digits before the point */
    int i = value == 0 ? natural : 0;

    for (; i < 4 && length >= 999.95; i++)   /* from here on "%.1f" would write 1000.0 */
        length = (value < 0 ? -value : value) / (double)kind->units[i + 1].size;
    int decimals = length >= 999.95 ? 0 : length >= 99.995 ? 1 : length >= 9.9995 ? 2 : 3;
    snprintf(number, sizeof(number), "%.*f", decimals, length);
    trim_zeros(number);
    snprintf(buf, size, "%s%s %s", value < 0 ? "-" : "", number, kind->units[i].name);
    return buf;
}

char *text_from_time(char *buf, size_t size, uint64_t ps)
{
    return from_quantity(&time_kind, 2, buf, size, (double)ps);
}

char *text_from_rate(char *buf, size_t size, double bps)
{
    return from_quantity(&rate_kind, 0, buf, size, bps);
}

char *text_from_bytes(char *buf, size_t size, double bytes)
{
    return from_quantity(&bytes_kind, 0, buf, size, bytes);
}

char *text_from_count(char *buf, size_t size, uint64_t n)
{
    char made[32], *p = made + sizeof(made) - 1;

    *p = '\0';
    for (int digits = 0; digits == 0 || n; digits++, n /= 10) {
        if (digits && digits % 3 == 0)
            *--p = ',';
        *--p = (char)('0' + n % 10);
    }
    snprintf(buf, size, "%s", p);
    return buf;
}

/* ---- measured figures, as format() of web/src/format.ts writes them ---- */

struct scale { double factor; const char *suffix; };

/* Scales from small to large, ended by a factor of 0. A value takes the largest scale that it fills. */
static const struct { const char *unit; struct scale scale[6]; } figures[] = {
    { "", { { 1, "" } } },
    { "count", { { 1, "" } } },
    { "share", { { 0.01, " %" } } },
    { "us", { { 1e-3, " ns" }, { 1, " us" }, { 1e3, " ms" }, { 1e6, " s" } } },
    { "bytes", { { 1, " B" }, { 1e3, " KB" }, { 1e6, " MB" }, { 1e9, " GB" }, { 1e12, " TB" } } },
    { "bps", { { 1, " b/s" }, { 1e3, " Kb/s" }, { 1e6, " Mb/s" }, { 1e9, " Gb/s" }, { 1e12, " Tb/s" } } },
    { "per_s", { { 1, "/s" }, { 1e3, " K/s" }, { 1e6, " M/s" }, { 1e9, " G/s" } } },
    { "gigabytes", { { 8e9, " GB/s" } } },           /* bits per second, as nccl-tests print them */
};

static const struct scale *scales_of(const char *unit)
{
    size_t i = sizeof(figures) / sizeof(*figures) - 1;

    while (i > 0 && strcmp(figures[i].unit, unit) != 0)
        i--;
    return figures[i].scale;
}

/* JavaScript rounds a number exactly between two others up, C to the even one. Returns the next number above
 * such a tie, which both round up; any other number unchanged. */
static double above_tie(double x, int digits)
{
    char text[64];               /* "4.8250...0e+01" */

    snprintf(text, sizeof(text), "%.40e", x);
    return text[digits + 1] == '5' && strspn(text + digits + 2, "0") >= 30 ? nextafter(x, INFINITY) : x;
}

static double round_to_three_digits(double x)
{
    char text[32];

    snprintf(text, sizeof(text), "%.2e", above_tie(x, 3));
    return x == 0 ? 0 : strtod(text, NULL);
}

/* For 0 the first scale from 1 on, or the only one. */
static const struct scale *scale_for(const char *unit, double amount)
{
    const struct scale *s = scales_of(unit);
    double rounded = round_to_three_digits(amount);

    while (s[1].factor != 0 && (rounded == 0 ? s->factor < 1 : s[1].factor <= rounded))
        s++;
    return s;
}

/* Three significant digits. Large numbers keep all digits before the point, in groups. */
static void three_digits(char *buf, size_t size, double x)
{
    double rounded = round_to_three_digits(x), least = 100;
    int decimals = 0;
    char *exponent;

    if (rounded == 0 || (rounded >= 1000 && x < 1e18)) {
        text_from_count(buf, size, (uint64_t)round(x));
    } else if (rounded >= 1e-3) {
        for (; rounded < least && decimals < 5; least /= 10)
            decimals++;
        snprintf(buf, size, "%.*f", decimals, above_tie(x, 3));
    } else {
        snprintf(buf, size, "%.1e", above_tie(x, 2));
        exponent = strstr(buf, "-0");
        if (exponent)            /* "1.2e-05": without the zero */
            memmove(exponent + 1, exponent + 2, strlen(exponent + 2) + 1);
    }
}

char *text_figure(char *buf, size_t size, const char *unit, double value)
{
    double amount = fabs(value);
    const struct scale *scale = scale_for(unit, amount);
    char number[400], bits[64];

    if (!isfinite(value)) {
        snprintf(buf, size, "-");
    } else if (strcmp(unit, "bus") == 0) {
        text_figure(number, sizeof(number), "gigabytes", value);
        snprintf(buf, size, "%s (%s)", number, text_figure(bits, sizeof(bits), "bps", value));
    } else {
        bool is_whole = amount == floor(amount) && amount < 1e18;

        if (is_whole && (strcmp(unit, "count") == 0 || (strcmp(unit, "bytes") == 0 && amount < 1000)))
            text_from_count(number, sizeof(number), (uint64_t)amount);
        else
            three_digits(number, sizeof(number), amount / scale->factor);
        snprintf(buf, size, "%s%s%s", value < 0 ? "-" : "", number, scale->suffix);
    }
    return buf;
}

/* ---- similar words ---- */

#define WORD_MAX 63

int text_index(const char *word, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], word) == 0)
            return i;
    return -1;
}

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* Damerau-Levenshtein distance: the fewest insertions, deletions, replacements and swaps of neighbours.
 * d[i + 1][j + 1] is the distance of the first i letters of a and the first j of b. */
static int distance(const char *a, int a_length, const char *b, int b_length)
{
    int d[WORD_MAX + 2][WORD_MAX + 2], row_of[256] = { 0 }, far = a_length + b_length;

    d[0][0] = far;
    for (int i = 0; i <= a_length; i++)
        d[i + 1][0] = far, d[i + 1][1] = i;
    for (int j = 0; j <= b_length; j++)
        d[0][j + 1] = far, d[1][j + 1] = j;
    for (int i = 1; i <= a_length; i++) {
        int column = 0;          /* the last in this row where the letters agreed */

        for (int j = 1; j <= b_length; j++) {
            int row = row_of[lower(b[j - 1])];
            int same = lower(a[i - 1]) == lower(b[j - 1]);
            int swapped = d[row][column] + (i - row - 1) + 1 + (j - column - 1);

            d[i + 1][j + 1] = min_int(min_int(d[i][j] + !same, swapped),
                                      min_int(d[i + 1][j], d[i][j + 1]) + 1);
            if (same)
                column = j;
        }
        row_of[lower(a[i - 1])] = i;
    }
    return d[a_length + 1][b_length + 1];
}

const char *text_nearest(const char *word, const char *const *names)
{
    int         length = (int)strnlen(word, WORD_MAX + 1), best = 1 + (length / 3 > 1 ? length / 3 : 1);
    const char *nearest = NULL;

    if (length == 0 || length > WORD_MAX)
        return NULL;
    for (; *names; names++) {
        int name_length = (int)strnlen(*names, WORD_MAX + 1), far;

        if (name_length > WORD_MAX || abs(name_length - length) >= best)
            continue;
        far = distance(word, length, *names, name_length);
        if (far < best) {
            best = far;
            nearest = *names;
        }
    }
    return nearest;
}

const char *text_did_you_mean(char *buf, size_t size, const char *word, const char *const *names)
{
    const char *near = text_nearest(word, names);

    buf[0] = '\0';
    if (near)
        snprintf(buf, size, "; did you mean '%s'?", near);
    return buf;
}

char *text_names(char *buf, size_t size, const char *word, const char *const *names)
{
    size_t used = 0;

    if (*text_did_you_mean(buf, size, word, names))
        return buf;
    for (int i = 0; names[i] && used < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%s%s",
                                 i > 0 ? names[i + 1] ? ", " : " and " : names[1] ? "; there are "
                                     : "; there is ",
                                 names[i]);
    return buf;
}

/* Reads to the end of the file or one byte more than 'max', whichever comes first. */
static int read_stream(FILE *f, size_t max, char **text, size_t *length)
{
    size_t room = 1 << 16, used = 0, got;
    char *made = xmalloc(room + 1);

    while ((got = fread(made + used, 1, room - used, f)) > 0) {
        used += got;
        if (used > max)
            break;
        if (used == room)
            made = xrealloc(made, (room *= 2) + 1);
    }
    if (ferror(f)) {
        int rc = err_code(errno);

        free(made);
        return rc;
    }
    made[used] = '\0';
    *text = made;
    *length = used;
    return 0;
}

/* Per thread: simulations that are read in parallel are independent. */
static _Thread_local const struct text_watch *watch;

void text_watch_reads(const struct text_watch *w)
{
    watch = w;
}

void text_watch_value(const void *bytes, size_t length)
{
    if (watch && watch->on_value)
        watch->on_value(watch->arg, bytes, length);
}

void text_watch_text(const char *text)
{
    text_watch_value(text, strlen(text) + 1);
}

void text_watch_real(double value)
{
    text_watch_value(&value, sizeof value);
}

FILE *text_stream(char **text)
{
    static _Thread_local size_t length;      /* the text ends with a zero byte, so no caller needs it */

    *text = NULL;
    FILE *out = open_memstream(text, &length);
    if (!out)
        die("no memory for a text");
    return out;
}

bool text_own_folder(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    char   *slash = length > 0 ? memrchr(folder, '/', (size_t)length) : NULL;

    if (slash)
        *slash = '\0';
    return slash != NULL;
}

const char *text_file_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

int text_read_file(const char *path, size_t max, char **text, size_t *length, struct err *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = text_file_name(path);
    FILE *f = is_stdin ? stdin : fopen(path, "re");
    char *made;
    size_t used;

    if (!f)
        return err_set(err, errno, "%s: %s", name, strerror(errno));
    errno = 0;
    int rc = read_stream(f, max, &made, &used);
    if (!is_stdin)
        fclose(f);
    if (rc < 0)
        return err_set(err, -rc, "%s: %s", name, strerror(-rc));
    if (used > max) {
        free(made);
        return err_set(err, EFBIG, "%s: larger than %zu bytes", name, max);
    }
    if (watch)
        watch->on_read(watch->arg, made, used);
    *text = made;
    *length = used;
    return 0;
}

const char *text_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

int address_split(struct address *a, const char *text)
{
    const char *colon = strrchr(text, ':');
    size_t      length = colon ? (size_t)(colon - text) : 0;
    bool        is_bracketed = length > 2 && text[0] == '[' && text[length - 1] == ']';

    *a = (struct address){ "", "" };
    if (!colon || !colon[1] || length >= sizeof a->host || strlen(colon + 1) >= sizeof a->port)
        return -EINVAL;
    snprintf(a->host, sizeof a->host, "%.*s", (int)length - 2 * is_bracketed, text + is_bracketed);
    snprintf(a->port, sizeof a->port, "%s", colon + 1);
    return 0;
}
