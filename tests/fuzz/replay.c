/* tests/fuzz/replay.c - runs a fuzz target over files, without a fuzzer.
 *
 * `make test` runs each target over its corpus this way, so that inputs that once broke something are tested
 * again. The name of an input is printed before it is run, so that the last line of a crash names the input.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the content in a block of exactly its size, so that a read beyond the end is detected; NULL on
 * failure. */
static uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    long end;

    if (f == NULL)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (end = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0) {
        *size = (size_t)end;
        data = malloc(*size);
        if (data != NULL && fread(data, 1, *size, f) != *size) {
            free(data);
            data = NULL;
        }
    }
    fclose(f);
    return data;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        size_t size = 0;
        uint8_t *data = read_whole(argv[i], &size);

        if (data == NULL) {
            perror(argv[i]);
            return 1;
        }
        fprintf(stderr, "%s\n", argv[i]);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    return 0;
}
