#include "train/resume.h"

#include "base/digest.h"
#include "base/file/outfile.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define HEX       32
#define BYTES_MAX (1u << 30)

static void compute_digest(char text[DIGEST_TEXT_SIZE], const char *bytes, size_t length)
{
    struct digest d;

    digest_init(&d);
    digest_add(&d, bytes, length);
    digest_text(text, &d);
}

void resume_field(struct resume_file *f, void *bytes, size_t length)
{
    if (f->out) {
        fwrite(bytes, 1, length, f->out);
    } else if (length > f->left) {
        f->is_wrong = true;
    } else {
        memcpy(bytes, f->in, length);
        f->in += length;
        f->left -= length;
    }
}

int resume_save(struct resume_file f, const char *path, struct err *err)
{
    char   digest[DIGEST_TEXT_SIZE], *bytes = NULL;
    size_t length = 0;

    f.out = open_memstream(&bytes, &length);
    if (!f.out)
        die("out of memory");
    fputs(f.magic, f.out);
    fwrite(f.config, 1, HEX, f.out);
    f.fields(&f, f.state);
    fflush(f.out);
    compute_digest(digest, bytes, length);
    fwrite(digest, 1, HEX, f.out);
    fclose(f.out);
    int rc = outfile_write(path, bytes, length, err);
    free(bytes);
    return rc;
}

int resume_parse(struct resume_file f, const char *name, const char *bytes, size_t length, struct err *err)
{
    size_t      magic = strlen(f.magic), head = magic + HEX;
    char        digest[DIGEST_TEXT_SIZE];
    const char *why = NULL;

    compute_digest(digest, bytes, length > HEX ? length - HEX : 0);
    if (length < magic || memcmp(bytes, f.magic, magic) != 0)
        why = "not such a training state, or of another version of anole";
    else if (length < head + HEX)
        why = "the file is truncated; delete it to restart";
    else if (memcmp(digest, bytes + length - HEX, HEX) != 0)
        why = "the file is damaged; delete it to restart";
    else if (memcmp(bytes + magic, f.config, HEX) != 0)
        why = "a training in other worlds or with other options; repeat those, or delete it to restart";
    if (why)
        return err_set(err, EINVAL, "%s: %s", name, why);
    f.in = bytes + head;
    f.left = length - head - HEX;
    f.fields(&f, f.state);
    if (f.is_wrong || f.left)
        return err_set(err, EINVAL, "%s: corrupt training state; delete it to restart", name);
    return 0;
}

int resume_open(struct resume_file f, const char *path, bool *is_there, struct err *err)
{
    char  *bytes;
    size_t length;
    int    rc = text_read_file(path, BYTES_MAX, &bytes, &length, err);

    *is_there = rc == 0;
    if (rc)
        return rc == -ENOENT ? resume_save(f, path, err) : rc;
    rc = resume_parse(f, path, bytes, length, err);
    free(bytes);
    return rc;
}
