#include "live/core/audit.h"
#include "live/core/knobset.h"

#include <assert.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define HASH_KEY    ",\"hash\":\""
#define HASH_LENGTH (sizeof HASH_KEY - 1 + 64 + 2)       /* the key, the digits, "} */

void audit_init(struct audit *a)
{
    *a = (struct audit){ 0 };
    memset(a->head, '0', sizeof a->head - 1);
}

/* ---- writing ---- */

char *audit_hash(char buf[AUDIT_HASH_SIZE], const char *text, size_t length)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned      count;

    if (!EVP_Digest(text, length, bytes, &count, EVP_sha256(), NULL))
        die("OpenSSL has no SHA-256");
    for (unsigned i = 0; i < count; i++)
        snprintf(buf + 2ul * i, 3, "%02x", bytes[i]);
    return buf;
}

static json_t *time_json(uint64_t wall_us)
{
    time_t    seconds = (time_t)(wall_us / 1000000);
    struct tm tm;
    char      text[48];

    if (!gmtime_r(&seconds, &tm))
        return NULL;
    size_t used = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + used, sizeof text - used, ".%03uZ", (unsigned)(wall_us / 1000 % 1000));
    return json_of_text(text);
}

/* These return NULL for an empty value: the field is then omitted. */
static json_t *count_json(uint64_t n)
{
    return n ? json_of_count(n) : NULL;
}

static json_t *text_json(const char *text)
{
    return text && *text ? json_of_text(text) : NULL;
}

static json_t *set_json(const struct knob_set *set)
{
    return set && !knobset_is_empty(set) ? knobset_json(set) : NULL;
}

static json_t *object_of(const struct audit *a, const struct audit_record *r, uint64_t wall_us)
{
    return JSON_OF({ "seq", json_of_count(a->seq + 1) }, { "time", time_json(wall_us) },
                   { "us", json_of_count(r->now_us) }, { "who", text_json(r->who) },
                   { "what", text_json(r->what) }, { "term", count_json(r->term) },
                   { "change", count_json(r->change) }, { "why", text_json(r->why) },
                   { "evidence", text_json(r->evidence) }, { "old", set_json(r->old) },
                   { "new", set_json(r->new) }, { "seen", set_json(r->seen) },
                   { "lost", count_json(a->lost) }, { "prev", json_of_text(a->head) });
}

/* Writes the line with its hash; returns its length. */
static size_t line_of(const struct audit *a, const struct audit_record *r, uint64_t wall_us, char *line,
                      char hash[AUDIT_HASH_SIZE])
{
    json_t *o = object_of(a, r, wall_us);
    size_t  length = json_dumpb(o, line, AUDIT_LINE_SIZE - HASH_LENGTH - 1,
                                JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS));

    json_decref(o);
    assert(length > 2 && length <= AUDIT_LINE_SIZE - HASH_LENGTH - 1);
    length--;                    /* the closing brace */
    audit_hash(hash, line, length);
    return length + (size_t)snprintf(line + length, HASH_LENGTH + 2, HASH_KEY "%s\"}\n", hash);
}

int audit_write(struct audit *a, const struct io_disk *disk, const struct audit_record *r)
{
    char   line[AUDIT_LINE_SIZE], hash[AUDIT_HASH_SIZE];
    size_t length = line_of(a, r, disk->wall_us(disk->arg), line, hash);
    int    rc = disk->append(disk->arg, line, length);

    a->seq += !rc;
    a->lost = rc ? a->lost + 1 : 0;
    if (!rc)
        memcpy(a->head, hash, sizeof hash);
    if (!rc && disk->on_line)
        disk->on_line(disk->on_line_arg, line, length);
    return rc;
}

/* ---- checking ---- */

/* Checks a line on its own; its hash is at its end. */
static const char *check_hash(const char *line, size_t length)
{
    char        hash[AUDIT_HASH_SIZE];
    const char *tail = line + length - HASH_LENGTH;

    if (length < HASH_LENGTH + 2 || memcmp(tail, HASH_KEY, sizeof HASH_KEY - 1) != 0 ||
        memcmp(line + length - 2, "\"}", 2) != 0)
        return "it does not end with a hash";
    audit_hash(hash, line, length - HASH_LENGTH);
    if (memcmp(hash, tail + sizeof HASH_KEY - 1, 64) != 0)
        return "it is not what was written: its hash is another one";
    return NULL;
}

bool audit_is_own(const char *line, size_t length)
{
    return !check_hash(line, length);
}

/* Checks a line without its newline and advances the chain, or returns the error. */
static const char *check_line(struct audit *a, const char *line, size_t length)
{
    const char *wrong = check_hash(line, length);

    if (wrong)
        return wrong;
    json_t     *o = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    const char *prev = json_string_value(json_object_get(o, "prev"));
    uint64_t    seq = (uint64_t)json_integer_value(json_object_get(o, "seq"));
    bool        follows = prev && seq && ((strcmp(prev, a->head) == 0 && seq == a->seq + 1) ||
                                          (a->is_part && !a->seq));
    json_decref(o);
    if (!follows)
        return "it does not follow the line before it: lines were removed, added or exchanged";
    a->seq = seq;
    memcpy(a->head, line + length - HASH_LENGTH + sizeof HASH_KEY - 1, 64);
    return NULL;
}

long audit_resume_tail(struct audit *a, const char *text, size_t length)
{
    const char *end = memrchr(text, '\n', length),
               *begin = end ? memrchr(text, '\n', (size_t)(end - text)) : NULL;

    audit_init(a);
    if (!end)
        return length < AUDIT_LINE_SIZE ? 0 : -EBADMSG;
    a->is_part = true;
    begin = begin ? begin + 1 : text;
    if (check_line(a, begin, (size_t)(end - begin)))
        return -EBADMSG;
    a->is_part = false;
    return end + 1 - text;
}

const char *audit_check_file(struct audit *a, FILE *file, uint64_t *line)
{
    static char text[AUDIT_LINE_SIZE];
    const char *wrong = NULL;

    while (!wrong && fgets(text, sizeof text, file)) {
        size_t length = strlen(text);

        ++*line;
        wrong = length && text[length - 1] == '\n' ? check_line(a, text, length - 1) :
                "it is torn: there is no end of line";
    }
    return wrong ? wrong : ferror(file) ? "it cannot be read" : NULL;
}
