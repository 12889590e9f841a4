#include "base/json.h"
#include "base/err.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *json_of_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_of_rounded(double value)
{
    char text[32];

    snprintf(text, sizeof(text), "%.6g", value);
    return json_of_number(strtod(text, NULL));
}

json_t *json_of_bytes(const char *text, size_t bytes)
{
    json_t *made = json_stringn(text, bytes);

    if (made)
        return made;
    char *ascii = xmalloc(bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        ascii[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    made = json_stringn(ascii, bytes);
    free(ascii);
    return made;
}

json_t *json_of_text(const char *text)
{
    return text ? json_of_bytes(text, strlen(text)) : json_null();
}

json_t *json_of_texts(const char *const *text, uint32_t max)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < max && text[i]; i++)
        json_array_append_new(list, json_of_text(text[i]));
    return list;
}

json_t *json_of_seed(uint64_t seed)
{
    char text[24];

    if (seed <= INT64_MAX)
        return json_integer((json_int_t)seed);
    snprintf(text, sizeof(text), "%llu", (unsigned long long)seed);
    return json_string(text);
}

void json_put_fields(json_t *object, const struct json_field *field)
{
    for (; field->key; field++)
        json_object_set_new(object, field->key, field->value);
}

json_t *json_object_of(const struct json_field *field)
{
    json_t *made = json_object();

    json_put_fields(made, field);
    return made;
}

void json_put_count(json_t *object, const char *key, uint64_t n)
{
    json_object_set_new(object, key, json_of_count(n));
}

void json_put_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, json_of_number(value));
}

const char *json_get_text(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text ? text : "";
}

void json_put_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, json_of_text(text));
}
