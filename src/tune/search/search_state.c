/* src/tune/search/search_state.c - see search_state.h. */
#include "tune/search/search_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void search_say(struct tuner_note *note, const char *format, ...)
{
    size_t  used = strlen(note->why);
    va_list args;

    if (used > 0)
        used += (size_t)snprintf(note->why + used, sizeof note->why - used, "; ");
    if (used >= sizeof note->why)
        return;
    va_start(args, format);
    vsnprintf(note->why + used, sizeof note->why - used, format, args);
    va_end(args);
}
