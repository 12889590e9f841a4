#include "sim/event/engine.h"

#include <stdarg.h>
#include <stdio.h>

void engine_fail(struct engine *e, int code, const char *format, ...)
{
    va_list args;

    evq_stop(&e->evq);
    if (e->has_failed)
        return;
    e->has_failed = true;
    e->failure_code = code;
    va_start(args, format);
    vsnprintf(e->failure.text, sizeof e->failure.text, format, args);
    va_end(args);
}

uint32_t engine_fresh_packet(struct engine *e)
{
    uint32_t id = e->packets.used++;

    if (id >= e->packets.limit)
        engine_fail(e, ENOBUFS, "more than %u packets at once: more is sent than the network carries",
                    e->packets.limit - e->packets.first);
    return id;
}
