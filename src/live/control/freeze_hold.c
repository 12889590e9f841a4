#include "live/control/freeze_hold.h"
#include "base/err.h"
#include "live/core/keep.h"

#include <stdlib.h>
#include <string.h>

bool hold_write(const struct hold_io *io, const json_t *state)
{
    static const char *const keys[] = { "freezes", "frozen", "rolled_back" };
    char                     text[HOLD_SIZE];
    json_t                  *o = json_object();

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set(o, keys[i], json_object_get(state, keys[i]));
    size_t length = keep_print(text, sizeof text, o, JSON_COMPACT, 1);
    if (!io->write || !length)
        return false;
    memset(text + length, '\n', sizeof text - length);
    return io->write(io->arg, text) == 0;
}

char *hold_read(const struct hold_io *io)
{
    char     text[HOLD_SIZE + 1];
    size_t   length = HOLD_SIZE;
    uint64_t number;
    int      rc = io->read ? io->read(io->arg, text) : -ENOENT;

    if (rc)
        return xstrdup(rc == -ENOENT ? "" : "?");
    while (length > 1 && text[length - 1] == '\n' && text[length - 2] == '\n')
        length--;
    long unsealed = keep_unseal(text, length, &number);
    if (unsealed < 0)
        return xstrdup(length <= 1 ? "" : "?");
    text[unsealed] = '\0';
    return xstrdup(text);
}
