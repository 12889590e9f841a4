#include "live/core/keep.h"
#include "base/err.h"
#include "live/core/audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPIES    2
#define SEAL_SIZE 96             /* room for number and checksum */

/* length: below 0: it cannot be read */
struct copy { char *text; long length; uint64_t number; bool is_sealed; };

static const char *name_of(char buf[MSG_NAME_SIZE], const char *name, int copy)
{
    snprintf(buf, MSG_NAME_SIZE, "%s%s", name, copy ? ".copy" : "");
    return buf;
}

size_t keep_print(char *text, size_t size, json_t *o, size_t flags, uint64_t number)
{
    size_t length = json_dumpb(o, text, size - SEAL_SIZE, flags);
    char   hash[AUDIT_HASH_SIZE];

    json_decref(o);
    if (!length || length > size - SEAL_SIZE)
        return 0;
    length += (size_t)snprintf(text + length, 32, "\n#%" PRIu64 " ", number);
    return length + (size_t)snprintf(text + length, AUDIT_HASH_SIZE + 1, "%s\n",
                                     audit_hash(hash, text, length));
}

long keep_unseal(const char *text, size_t length, uint64_t *number)
{
    char hash[AUDIT_HASH_SIZE], line[32] = "";

    if (length < 69 || text[length - 1] != '\n')
        return -EBADMSG;
    const char *seal = text + length - 65;       /* checksum and newline */
    const char *begin = memrchr(text, '\n', length - 65);
    audit_hash(hash, text, length - 65);
    if (memcmp(hash, seal, 64) != 0 || !begin || (size_t)(seal - begin) >= sizeof line)
        return -EBADMSG;
    memcpy(line, begin, (size_t)(seal - begin));
    return sscanf(line, "\n#%" SCNu64 " ", number) == 1 ? begin - text : -EBADMSG;
}

int keep_write(const struct io_disk *disk, const char *name, json_t *o, size_t flags, char *text,
               size_t size, uint64_t *number)
{
    char   path[MSG_NAME_SIZE];
    size_t length = keep_print(text, size, o, flags, *number + 1);
    int    rc = length ? 0 : -EFBIG;

    for (int i = 0; i < COPIES && !rc; i++)
        rc = disk->save(disk->arg, name_of(path, name, i), text, length);
    *number += !rc;
    return rc;
}

/* ---- reading ---- */

int keep_parse(const char *text, size_t length, bool (*take)(void *, json_t *), void *arg)
{
    json_t *o = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    bool    is_good = o && take(arg, o);

    json_decref(o);
    return is_good ? 0 : -EBADMSG;
}

static struct copy load(const struct io_disk *disk, const char *name, int copy, size_t size)
{
    struct copy c = { .text = xmalloc(size) };
    char        path[MSG_NAME_SIZE];
    long        length = disk->load(disk->arg, name_of(path, name, copy), c.text, size), unsealed = -EBADMSG;

    if (length >= 0)
        unsealed = keep_unseal(c.text, (size_t)length, &c.number);
    c.is_sealed = unsealed >= 0;
    c.length = c.is_sealed ? unsealed : length;
    return c;
}

enum keep_found keep_read(const struct io_disk *disk, const char *name, size_t size, uint64_t *number,
                          bool (*take)(void *, json_t *), void *arg)
{
    struct copy     c[COPIES] = { load(disk, name, 0, size), load(disk, name, 1, size) };
    bool            are_both = c[0].is_sealed && c[1].is_sealed;
    int             first = are_both && c[0].number > c[1].number ? 1 : 0;
    enum keep_found found = c[0].length == -ENOENT && c[1].length == -ENOENT ? KEEP_NONE : KEEP_DAMAGED;

    for (int i = 0; i < COPIES && found == KEEP_DAMAGED; i++) {
        const struct copy *it = &c[first ^ i];
        bool               counts = it->is_sealed || (it->length >= 0 && c[first ^ i ^ 1].length == -ENOENT);

        if (!counts || keep_parse(it->text, (size_t)it->length, take, arg))
            continue;
        *number = are_both ? c[first ^ 1].number : it->number;   /* the higher: the next is above both */
        found = are_both && i == 0 ? KEEP_BOTH : KEEP_ONE;
    }
    for (int i = 0; i < COPIES; i++)
        free(c[i].text);
    return found;
}

void keep_set_aside(const struct io_disk *disk, const char *name, size_t size)
{
    char path[MSG_NAME_SIZE];

    for (int i = 0; i < COPIES && disk->set_aside; i++) {
        struct copy c = load(disk, name, i, size);

        if (!c.is_sealed && c.length != -ENOENT)
            disk->set_aside(disk->arg, name_of(path, name, i));
        free(c.text);
    }
}
