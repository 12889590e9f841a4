/* src/cmd/compare_variants.c */
#include "cmd/compare_variants.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "version.h"

#include <stdlib.h>
#include <string.h>

#define PROGRAM_BYTES_MAX (1u << 30)

static char *copy(const char *text, size_t length)
{
    char *made = xmalloc(length + 1);

    memcpy(made, text, length);
    made[length] = '\0';
    return made;
}

static char *join(const char *a, const char *between, const char *b)
{
    size_t size = strlen(a) + strlen(between) + strlen(b) + 1;
    char *made = xmalloc(size);

    snprintf(made, size, "%s%s%s", a, between, b);
    return made;
}

/* ---- axes ---- */

/* The caller gives it its name. */
static struct axis_choice *add_choice(struct axis *a)
{
    a->choice = xrealloc(a->choice, (a->choices + 1) * sizeof(*a->choice));
    a->choice[a->choices] = (struct axis_choice){ 0 };
    return &a->choice[a->choices++];
}

static void add_set(struct axis_choice *c, char *set)
{
    c->set = xrealloc(c->set, (c->sets + 1) * sizeof(*c->set));
    c->set[c->sets++] = set;
}

/* The length of the part before the next comma that is outside brackets. */
static size_t part_length(const char *text)
{
    size_t length = 0;
    int depth = 0;

    for (; text[length] && (depth > 0 || text[length] != ','); length++)
        depth += (strchr("[{", text[length]) != NULL) - (strchr("]}", text[length]) != NULL);
    return length;
}

int axis_vary(struct axis *a, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');
    int rc = 0;

    *a = (struct axis){ 0 };
    if (!equals || equals == text)
        return err_set(err, EINVAL, "--vary: '%s' has no '='; write --vary kmin=100KB,400KB", text);
    for (const char *part = equals + 1; !rc; part++) {
        size_t length = part_length(part);
        char *key = copy(text, (size_t)(equals - text) + 1), *value = copy(part, length);
        struct axis_choice *c = add_choice(a);

        c->name = join(key, "", value);
        add_set(c, join(key, "", value));
        if (length == 0)
            rc = err_set(err, EINVAL, "--vary: '%s' has an empty value", text);
        free(key);
        free(value);
        part += length;
        if (!*part)
            break;
    }
    if (rc)
        axis_fini(a);
    return rc;
}

int axis_add_variant(struct axis *a, const char *text, struct err *err)
{
    const char *colon = strchr(text, ':'), *equals = strchr(text, '=');
    size_t name_length = colon ? (size_t)(colon - text) : strlen(text);
    struct axis_choice *c;

    if (name_length == 0 || (equals && (!colon || equals < colon)))
        return err_set(err, EINVAL, "--variant: '%s' has no name; write --variant NAME:kmin=100KB,kmax=400KB",
                       text);
    c = add_choice(a);
    c->name = copy(text, name_length);
    for (const char *part = text + name_length; *part && part[1];) {
        size_t length = part_length(++part);
        char *set = copy(part, length);

        add_set(c, set);
        if (!strchr(set, '='))
            return err_set(err, EINVAL, "--variant %s: '%s' has no '='; write %s:kmin=100KB,kmax=400KB",
                           c->name, set, c->name);
        part += length;
    }
    return 0;
}

static char *stem_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');

    return copy(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

static bool have_equal_names(const struct axis *a)
{
    for (uint32_t i = 0; i < a->choices; i++)
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(a->choice[i].name, a->choice[j].name) == 0)
                return true;
    return false;
}

void axis_of_files(struct axis *a, const struct compare_file *file, uint32_t files)
{
    bool are_equal;

    *a = (struct axis){ 0 };
    for (uint32_t i = 0; i < files; i++) {
        struct axis_choice *c = add_choice(a);

        c->name = files == 1 ? xstrdup("") : stem_of(file[i].path);
        c->file = i;
    }
    are_equal = have_equal_names(a);
    for (uint32_t i = 0; are_equal && i < files; i++) {
        free(a->choice[i].name);
        a->choice[i].name = xstrdup(file[i].path);
    }
}

void axis_fini(struct axis *a)
{
    for (uint32_t i = 0; i < a->choices; i++) {
        for (uint32_t n = 0; n < a->choice[i].sets; n++)
            free(a->choice[i].set[n]);
        free(a->choice[i].set);
        free(a->choice[i].name);
    }
    free(a->choice);
    *a = (struct axis){ 0 };
}

/* ---- combinations ---- */

static void apply_choice(struct variant *v, const struct axis_choice *c)
{
    char *name = join(v->name, *v->name && *c->name ? " " : "", c->name);

    free(v->name);
    v->name = name;
    v->set = xrealloc(v->set, (v->sets + c->sets + 1ul) * sizeof(*v->set));
    for (uint32_t i = 0; i < c->sets; i++)
        v->set[v->sets++] = c->set[i];
    v->own += c->sets;
}

/* Number 'n' of all combinations: the digits of a number whose last axis counts fastest. */
static void combine(struct variant *v, uint32_t n, const struct axis *axis, uint32_t axes,
                    const struct compare_file *file, const char *const *set, uint32_t sets)
{
    uint32_t rest = 1;

    *v = (struct variant){ .name = xstrdup(""), .file = file, .sets = sets };
    v->set = xcalloc(sets + 1ul, sizeof(*v->set));
    for (uint32_t i = 0; i < sets; i++)
        v->set[i] = set[i];
    for (uint32_t i = 0; i < axes; i++)
        rest *= axis[i].choices;
    for (uint32_t i = 0; i < axes; i++) {
        rest /= axis[i].choices;
        apply_choice(v, &axis[i].choice[n / rest]);
        if (i == 0)
            v->file = &file[axis[0].choice[n / rest].file];
        n %= rest;
    }
    if (!*v->name) {
        free(v->name);
        v->name = stem_of(v->file->path);
    }
}

static int check_names(const struct variants *v, struct err *err)
{
    for (uint32_t i = 0; i < v->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(v->list[i].name, v->list[j].name) == 0)
                return err_set(err, EINVAL, "two variants are called '%s'", v->list[i].name);
    return 0;
}

int variants_init(struct variants *v, const struct axis *axis, uint32_t axes, const struct compare_file *file,
                  const char *const *set, uint32_t sets, struct err *err)
{
    uint64_t count = 1;
    int rc;

    *v = (struct variants){ 0 };
    for (uint32_t i = 0; i < axes; i++) {
        count *= axis[i].choices;
        if (count > VARIANTS_MAX)
            return err_set(err, EINVAL, "more than %d variants", VARIANTS_MAX);
    }
    v->list = xcalloc(count, sizeof(*v->list));
    v->count = (uint32_t)count;
    for (uint32_t i = 0; i < v->count; i++)
        combine(&v->list[i], i, axis, axes, file, set, sets);
    rc = check_names(v, err);
    if (rc)
        variants_fini(v);
    return rc;
}

void variants_fini(struct variants *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        free(v->list[i].name);
        free(v->list[i].set);
    }
    free(v->list);
    *v = (struct variants){ 0 };
}

int variants_find(const struct variants *v, const char *name, struct err *err)
{
    const char *names[VARIANTS_MAX + 1] = { NULL };
    char hint[160];

    for (uint32_t i = 0; i < v->count; i++) {
        names[i] = v->list[i].name;
        if (strcmp(name, names[i]) == 0)
            return (int)i;
    }
    cmd_did_you_mean(hint, sizeof(hint), name, names);
    return err_set(err, EINVAL, "there is no variant '%s'%s", name, hint);
}

/* ---- what a run is ---- */

/* The very program: two builds of one version may differ. Where it cannot be read there is still its
 * version. */
static void add_program(struct digest *d)
{
    static struct digest program;
    static bool is_known;
    size_t length;
    char *bytes;

    if (!is_known) {
        digest_init(&program);
        digest_add_text(&program, ANOLE_VERSION);
        if (text_read_file("/proc/self/exe", PROGRAM_BYTES_MAX, &bytes, &length, NULL) == 0) {
            digest_add(&program, bytes, length);
            free(bytes);
        }
        is_known = true;
    }
    digest_add(d, &program.state, sizeof(program.state));
}

static void add_read(void *arg, const char *text, size_t length)
{
    uint64_t bytes = length;

    digest_add(arg, &bytes, sizeof(bytes));
    digest_add(arg, text, length);
}

/* What a variant sets was not typed as a --set. */
static void name_variant(const struct variant *v, struct err *err)
{
    struct err why = *err;

    if (v->own > 0 && strncmp(why.text, "--set ", 6) == 0)
        err_write(err, "variant '%s': %s", v->name, why.text + 6);
}

int variant_open(const struct variant *v, const uint64_t *seed, struct simulation *s, struct digest *d,
                 struct err *err)
{
    const struct text_watch watch = { add_read, d };
    struct simulation_input input = { .name =
                                          strcmp(v->file->path, "-") == 0 ? "standard input" : v->file->path,
                                      .text = v->file->text,
                                      .text_bytes = v->file->text_bytes,
                                      .set = v->set,
                                      .sets = v->sets,
                                      .seed = seed };
    int rc;

    digest_init(d);
    add_program(d);
    add_read(d, v->file->text, v->file->text_bytes);
    for (uint32_t i = 0; i < v->sets; i++)
        digest_add_text(d, v->set[i]);
    text_watch_reads(&watch);
    rc = simulation_open(s, &input, err);
    text_watch_reads(NULL);
    if (rc)
        name_variant(v, err);
    return rc;
}

char *variant_key(char buf[DIGEST_TEXT_SIZE], const struct variant *v, uint64_t seed)
{
    struct digest d = v->digest;

    digest_add(&d, &seed, sizeof(seed));
    return digest_text(buf, &d);
}
