/* src/base/file/marker.h - the marker ".anole" of a result folder: which command wrote it, and which files
 * are Anole's.
 *
 * The first line is the command ("anole run"), each further line names a file. Files without a line belong to
 * the user and are never removed. Markers of version 0.1 are empty.
 */
#ifndef BASE_FILE_MARKER_H
#define BASE_FILE_MARKER_H

#include <stdbool.h>
#include <stdint.h>

#define MARKER_NAME ".anole"

struct marker {
    char    *text;               /* the file, its lines cut apart */
    char    *kind;               /* first line, "anole run"; NULL: the marker is empty */
    char   **name;
    uint32_t names;
};

/* Reads the marker of the folder 'path'. Returns false, with an empty struct, if there is no marker. */
bool marker_read(struct marker *, const char *path);
void marker_fini(struct marker *);

/* True if 'name' in the folder 'path' is a regular file that the marker names, or the marker itself. */
bool marker_has(const struct marker *, const char *path, const char *name);

#endif
