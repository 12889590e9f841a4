/* src/base/file/marker.h - the file ".anole" in a folder of results: who wrote it, and which files are Anole's.
 *
 * The first line says by which command ("anole run"), each further line names a file. What is not named there is
 * somebody else's and never removed. Markers of version 0.1 are empty: of their folders nothing is known.
 */
#ifndef BASE_FILE_MARKER_H
#define BASE_FILE_MARKER_H

#include <stdbool.h>
#include <stdint.h>

#define MARKER_NAME ".anole"

struct marker {
    char    *text;               /* the file, its lines cut apart */
    char    *kind;               /* the first line, "anole run"; NULL: there is none */
    char   **name;
    uint32_t names;
};

/* Reads the marker of the folder 'path'. False, and nothing in it, if there is none. */
bool marker_read(struct marker *, const char *path);
void marker_fini(struct marker *);

/* Whether 'name' in the folder 'path' is a file that the marker names, or the marker itself. */
bool marker_has(const struct marker *, const char *path, const char *name);

#endif
