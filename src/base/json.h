/* src/base/json.h - helpers to write JSON. NAN and infinity become null. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_DIGITS 15           /* of reals: the most that survive a double unchanged */

json_t *json_of_number(double);
json_t *json_of_rounded(double);         /* six digits: more than a picture can show */
json_t *json_of_text(const char *);      /* if it is not UTF-8, bytes above 127 become '?'; NULL: null */
json_t *json_of_texts(const char *const *, uint32_t max);          /* ends with NULL or after 'max' */
json_t *json_of_bytes(const char *text, size_t bytes);
json_t *json_of_seed(uint64_t);          /* a string if it does not fit a signed number */

static inline json_t *json_of_count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static inline json_t *json_of_bool(bool is)
{
    return json_boolean(is);
}

/* A value of any of these types. The result of a comparison is an int: use json_boolean(). */
#define JSON(value) \
    _Generic((value), double: json_of_number, float: json_of_number, bool: json_of_bool, \
             char *: json_of_text, const char *: json_of_text, default: json_of_count)(value)

/* JSON_OF({ "name", JSON(name) }, JSON_FIELD(r, flows)): an object with these fields, in this order. It owns
 * the values. JSON_FIELD(r, flows) is { "flows", JSON(r->flows) }. */
struct json_field { const char *key; json_t *value; };
#define JSON_FIELD(of, name) { #name, JSON((of)->name) }
#define JSON_OF(...) json_object_of((const struct json_field[]){ __VA_ARGS__, { 0 } })
json_t *json_object_of(const struct json_field *);       /* ends with a field without a key */

/* JSON_ADD(array, { "name", JSON(name) }, ...): appends an object with these fields to an array. */
#define JSON_ADD(array, ...) json_array_append_new(array, JSON_OF(__VA_ARGS__))

/* JSON_PUT(object, { "name", JSON(name) }, ...): adds these fields to an object. */
#define JSON_PUT(object, ...) json_put_fields(object, (const struct json_field[]){ __VA_ARGS__, { 0 } })
void json_put_fields(json_t *object, const struct json_field *);

void json_put_count(json_t *object, const char *key, uint64_t);
void json_put_number(json_t *object, const char *key, double);
void json_put_text(json_t *object, const char *key, const char *);
const char *json_get_text(const json_t *, const char *key);       /* "" if missing */

#endif
