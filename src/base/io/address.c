#include "base/io/address.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
