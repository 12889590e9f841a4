#include "live/view/order.h"
#include "base/json.h"

#include <stdio.h>
#include <string.h>

static const char *const verbs[] = { "freeze", "thaw", "approve", "rollback", "forget", "drill", NULL };

static const char *verb_of(const char *path)
{
    static const char root[] = "/api/";

    if (strncmp(path, root, sizeof root - 1) != 0)
        return NULL;
    for (int i = 0; verbs[i]; i++)
        if (strcmp(path + sizeof root - 1, verbs[i]) == 0)
            return verbs[i];
    return NULL;
}

/* Text that can be shown and logged: no control characters. */
static int take_text(char *out, size_t size, const char *key, const json_t *value, struct err *err)
{
    const char *text = json_string_value(value);

    if (!text || strlen(text) >= size)
        return err_set(err, EINVAL, "%s: a text of at most %zu characters is wanted", key, size - 1);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return err_set(err, EINVAL, "%s: it has control characters", key);
    snprintf(out, size, "%s", text);
    return 0;
}

static int take(struct question *q, const char *key, const json_t *value, struct err *err)
{
    bool is_approve = strcmp(q->verb, "approve") == 0, is_rollback = strcmp(q->verb, "rollback") == 0;

    if (strcmp(key, "why") == 0)
        return take_text(q->why, sizeof q->why, key, value, err);
    if (strcmp(key, "device") == 0 && !is_approve && !is_rollback)
        return take_text(q->device, sizeof q->device, key, value, err);
    if (strcmp(key, "code") == 0 && is_approve)
        return take_text(q->code, sizeof q->code, key, value, err);
    if (strcmp(key, "number") != 0 || !is_approve)
        return err_set(err, EINVAL, "'%.40s' is not a key of %s", key, q->verb);
    if (!json_is_integer(value) || json_integer_value(value) <= 0)
        return err_set(err, EINVAL, "number: that of the trial is wanted");
    q->number = (uint64_t)json_integer_value(value);
    return 0;
}

int order_read(struct question *out, const char *path, const char *body, size_t length, struct err *err)
{
    const char     *verb = verb_of(path), *key;
    struct question q = { .version = MSG_VERSION };
    json_t         *o, *value;
    int             rc = 0;

    if (!verb)
        return err_set(err, ENOENT, "there is nothing to do at this address");
    snprintf(q.verb, sizeof q.verb, "%s", verb);
    o = length ? json_loadb(body, length, JSON_REJECT_DUPLICATES, NULL) : json_object();
    if (!json_is_object(o))
        rc = err_set(err, EINVAL, "a JSON object is wanted");
    json_object_foreach(o, key, value)
        if (!rc)
            rc = take(&q, key, value, err);
    json_decref(o);
    if (!rc && strcmp(verb, "forget") == 0 && !*q.device)
        rc = err_set(err, EINVAL, "device: which one?");
    if (!rc && strcmp(verb, "approve") == 0 && (!q.number || !*q.code))
        rc = err_set(err, EINVAL, "number, code: which trial? /api/state has both");
    if (!rc)
        *out = q;
    return rc;
}
