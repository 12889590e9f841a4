/* src/base/json.h - the few words in which all of our JSON is written.
 *
 * A number that does not exist is null: JSON has no NAN.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_DIGITS 15           /* of reals: the most that a double gives back as they were */

json_t *json_of_number(double);
json_t *json_of_text(const char *);      /* JSON is UTF-8; a file name need not be: what is not becomes '?' */
json_t *json_of_bytes(const char *text, size_t bytes);
json_t *json_of_seed(uint64_t);          /* a text if it does not fit a signed number */

void json_put_count(json_t *object, const char *key, uint64_t);
void json_put_number(json_t *object, const char *key, double);
void json_put_text(json_t *object, const char *key, const char *);
const char *json_get_text(const json_t *, const char *key);       /* "": there is none */

#endif
