#include "study/campaign/variants.h"
#include "base/text.h"
#include "study/report/about.h"
#include "work/traffic/traffic.h"
#include "study/twin/maker.h"
#include "version.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM_BYTES_MAX (1u << 30)

/* ---- axes ---- */

struct axis_choice *axis_add(struct axis *a, char *name)
{
    a->choice = xrealloc(a->choice, (a->choices + 1ul) * sizeof(*a->choice));
    a->choice[a->choices] = (struct axis_choice){ 0 };
    a->choice[a->choices].name = name;
    return &a->choice[a->choices++];
}

void axis_choice_set(struct axis_choice *c, char *set)
{
    c->set = xrealloc(c->set, (c->sets + 1ul) * sizeof(*c->set));
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

/* "5KB..400KB", but not "../sizes.cdf". */
static bool is_range(const char *value)
{
    const char *dots = strstr(value, "..");

    return dots && dots != value && dots[2] && dots[2] != '/' && isdigit((unsigned char)*value);
}

int axis_vary(struct axis *a, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');
    int         rc = 0;

    *a = (struct axis){ 0 };
    if (!equals || equals == text)
        return err_set(err, EINVAL, "--vary: '%s' has no '='; write --vary kmin=100KB,400KB", text);
    for (const char *part = equals + 1, *end; part && !rc; part = *end ? end + 1 : NULL) {
        end = part + part_length(part);
        char *set = xprintf("%.*s%.*s", (int)(equals - text) + 1, text, (int)(end - part), part);

        axis_choice_set(axis_add(a, xstrdup(set)), set);
        if (end == part)
            rc = err_set(err, EINVAL, "--vary: '%s' has an empty value", text);
        else if (is_range(strchr(set, '=') + 1))
            rc = err_set(err, EINVAL, "--vary: '%s' is a range, not a value; write --vary kmin=100KB,400KB, "
                         "or anole sweep --range %s", strchr(set, '=') + 1, set);
    }
    if (rc)
        axis_fini(a);
    return rc;
}

int axis_add_variant(struct axis *a, const char *text, struct err *err)
{
    size_t name_length = strcspn(text, ":");

    if (name_length == 0 || strcspn(text, "=") < name_length)
        return err_set(err, EINVAL, "--variant: '%s' has no name; write --variant NAME:kmin=100KB,kmax=400KB",
                       text);
    struct axis_choice *c = axis_add(a, xprintf("%.*s", (int)name_length, text));
    for (const char *part = text + name_length; *part && part[1];) {
        size_t length = part_length(++part);
        char  *set = xprintf("%.*s", (int)length, part);

        axis_choice_set(c, set);
        if (!strchr(set, '='))
            return err_set(err, EINVAL, "--variant %s: '%s' has no '='; write %s:kmin=100KB,kmax=400KB",
                           c->name, set, c->name);
        part += length;
    }
    return 0;
}

static char *stem_of(const char *path)
{
    const char *name = text_base_name(path), *dot = strrchr(name, '.');

    return xprintf("%.*s", dot && dot != name ? (int)(dot - name) : (int)strlen(name), name);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns a name that occurs twice, or NULL. Sorts the names. */
static const char *find_twice(char **name, uint32_t count)
{
    qsort(name, count, sizeof(*name), compare_names);
    for (uint32_t i = 1; i < count; i++)
        if (strcmp(name[i - 1], name[i]) == 0)
            return name[i];
    return NULL;
}

void axis_of_files(struct axis *a, const struct scenario_file *file, uint32_t files)
{
    char **name = xcalloc(files, sizeof(*name));

    *a = (struct axis){ 0 };
    for (uint32_t i = 0; i < files; i++)
        name[i] = files == 1 ? xstrdup("") : stem_of(file[i].path);
    bool is_ambiguous = find_twice(name, files) != NULL;
    for (uint32_t i = 0; i < files; i++) {
        axis_add(a, files == 1 ? xstrdup("") : is_ambiguous ? xstrdup(file[i].path)
                                                            : stem_of(file[i].path))->file = i;
        free(name[i]);
    }
    free(name);
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
    char *name = xprintf("%s%s%s", v->name, *v->name && *c->name ? " " : "", c->name);

    free(v->name);
    v->name = name;
    v->set = xrealloc(v->set, (v->sets + c->sets + 1ul) * sizeof(*v->set));
    for (uint32_t i = 0; i < c->sets; i++)
        v->set[v->sets++] = c->set[i];
    v->own += c->sets;
}

/* Number 'n' of all combinations: the digits of a number whose last axis counts fastest. */
static void combine(struct variant *v, uint32_t n, const struct axis *axis, uint32_t axes,
                    const struct scenario_file *file, const char *const *set, uint32_t sets)
{
    uint32_t rest = 1;

    for (uint32_t i = 0; i < axes; i++)
        rest *= axis[i].choices;
    *v = (struct variant){ .name = xstrdup(""), .set = xcopy(set, sets, sizeof(*set)), .sets = sets };
    v->file = &file[axis[0].choice[n / (rest / axis[0].choices)].file];
    for (uint32_t i = 0; i < axes; i++) {
        rest /= axis[i].choices;
        apply_choice(v, &axis[i].choice[n / rest]);
        n %= rest;
    }
    if (!*v->name) {
        free(v->name);
        v->name = stem_of(v->file->path);
    }
}

static int check_names(const struct variants *v, struct err *err)
{
    char **name = xcalloc(v->count, sizeof(*name));

    for (uint32_t i = 0; i < v->count; i++)
        name[i] = v->list[i].name;
    const char *twice = find_twice(name, v->count);
    free(name);
    return twice ? err_set(err, EINVAL, "two variants are called '%s'", twice) : 0;
}

int variants_init(struct variants *v, const struct axis *axis, uint32_t axes,
                  const struct scenario_file *file, const char *const *set, uint32_t sets, uint32_t max,
                  struct err *err)
{
    uint64_t count = 1;

    *v = (struct variants){ 0 };
    for (uint32_t i = 0; i < axes; i++) {
        count *= axis[i].choices;
        if (count > max)
            return err_set(err, EINVAL, "more than %u variants", max);
    }
    v->list = xcalloc(count, sizeof(*v->list));
    v->count = (uint32_t)count;
    for (uint32_t i = 0; i < v->count; i++)
        combine(&v->list[i], i, axis, axes, file, set, sets);
    int rc = check_names(v, err);
    if (rc)
        variants_fini(v);
    return rc;
}

void variants_fini(struct variants *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        free(v->list[i].name);
        free(v->list[i].set);
        card_fini(&v->list[i].about);
    }
    free(v->list);
    *v = (struct variants){ 0 };
}

int variants_find(const struct variants *v, const char *name, struct err *err)
{
    const char **names = xcalloc(v->count + 1ul, sizeof(*names));
    char         hint[160];

    for (uint32_t i = 0; i < v->count; i++) {
        names[i] = v->list[i].name;
        if (strcmp(name, names[i]) == 0) {
            free(names);
            return (int)i;
        }
    }
    text_did_you_mean(hint, sizeof(hint), name, names);
    free(names);
    return err_set(err, EINVAL, "there is no variant '%s'%s", name, hint);
}

/* ---- what a run is ---- */

/* Digest of the program's file, since two builds of one version may differ; of the version alone if the file
 * cannot be read. */
static struct digest program;

void variant_read_program(void)
{
    static bool is_known;
    size_t      length;
    char       *bytes;

    if (is_known)
        return;
    is_known = true;
    digest_init(&program);
    digest_add_text(&program, ANOLE_VERSION);
    if (text_read_file("/proc/self/exe", PROGRAM_BYTES_MAX, &bytes, &length, NULL) == 0) {
        digest_add(&program, bytes, length);
        free(bytes);
    }
}

static void add_read(void *arg, const char *text, size_t length)
{
    uint64_t bytes = length;

    digest_add(arg, &bytes, sizeof(bytes));
    digest_add(arg, text, length);
}

static struct simulation_input input_of(const struct variant *v, const uint64_t *seed)
{
    struct simulation_input input = scenario_file_input(v->file);

    input.set = v->set;
    input.sets = v->sets;
    input.seed = seed;
    input.until_ps = v->until_ps;
    input.maker = &twin_maker;
    input.threads = 1;           /* the other cores are busy with other runs */
    return input;
}

/* Until end_watch(), whatever is read goes into the digest. */
static void begin_watch(const struct variant *v, struct digest *d, struct text_watch *watch)
{
    *watch = (struct text_watch){ .on_read = add_read, .arg = d };
    variant_read_program();
    digest_init(d);
    digest_add(d, &program.state, sizeof(program.state));
    add_read(d, v->file->text, v->file->text_bytes);
    for (uint32_t i = 0; i < v->sets; i++)
        digest_add_text(d, v->set[i]);
    if (v->until_ps)
        digest_add(d, &v->until_ps, sizeof(v->until_ps));
    text_watch_reads(watch);
}

static int end_watch(const struct variant *v, int rc, struct err *err)
{
    text_watch_reads(NULL);
    if (rc && v->own > 0 && strncmp(err->text, "--set ", 6) == 0) {
        struct err why = *err;

        /* What a variant sets was not typed as a --set. */
        err_write(err, "variant '%s': %s", v->name, why.text + 6);
    }
    return rc;
}

int variant_open(const struct variant *v, const uint64_t *seed, struct simulation *s, struct digest *d,
                 struct err *err)
{
    const struct simulation_input input = input_of(v, seed);
    struct text_watch             watch;

    begin_watch(v, d, &watch);
    return end_watch(v, simulation_open(s, &input, err), err);
}

int variant_check(const struct variant *v, const uint64_t *seed, struct digest *d, struct err *err)
{
    struct text_watch watch;
    struct scenario   s;

    begin_watch(v, d, &watch);
    int rc = scenario_parse(&s, text_file_name(v->file->path), v->file->text, v->file->text_bytes, v->set,
                            v->sets, seed, err);
    if (!rc)
        scenario_fini(&s);
    return end_watch(v, rc, err);
}

#define FLOWS_EACH 64            /* of a stream: more add no information */

#define ADD(digest, field) digest_add(digest, &(field), sizeof(field))

static void digest_entry(struct digest *d, const struct traffic_about *t)
{
    digest_add_text(d, t->kind);
    digest_add_text(d, t->what);
    ADD(d, t->bps_per_host);
    ADD(d, t->hosts);
    ADD(d, t->start_ps);
    ADD(d, t->stop_ps);
    ADD(d, t->workers);
    ADD(d, t->collective_bytes);
}

static void digest_stream(struct digest *d, struct traffic *t, uint32_t stream)
{
    uint32_t         source = traffic_source(t, stream);
    struct flow_spec flow = { 0 };

    digest_add(d, &source, sizeof(source));
    for (uint32_t i = 0; !traffic_is_worker(t, stream) && i < FLOWS_EACH && traffic_next(t, stream, &flow);
         i++) {
        ADD(d, flow.at_ps);
        ADD(d, flow.dst);
        ADD(d, flow.bytes);
    }
}

void variant_describe(struct variant *v, struct simulation *s)
{
    struct traffic *t = sim_traffic(s->sim);

    card_fini(&v->about);
    about_scenario(&v->about, &s->scenario, s->sim);
    v->goal = s->scenario.goal;
    v->has_goal = s->scenario.has_goal;
    digest_init(&v->flows);
    digest_add(&v->flows, &s->scenario.run_ps, sizeof(s->scenario.run_ps));
    for (uint32_t i = 0; i < s->scenario.entries; i++)
        digest_entry(&v->flows, &s->scenario.entry[i]);
    for (uint32_t i = 0; i < traffic_streams(t); i++)
        digest_stream(&v->flows, t, i);
}

static void add_value(void *arg, const void *bytes, size_t length)
{
    digest_add(arg, bytes, length);
}

int variant_resolve(struct variant *v, const uint64_t *seed, struct digest *d, struct err *err)
{
    const struct text_watch       watch = { add_read, add_value, d };
    const struct simulation_input input = input_of(v, seed);
    struct simulation             s;

    digest_init(d);
    text_watch_reads(&watch);
    int rc = simulation_open(&s, &input, err);
    if (!rc)
        knobs_watch(&sim_settings(s.sim)->knobs);
    if (end_watch(v, rc, err))
        return rc;
    variant_describe(v, &s);
    digest_add(d, &v->flows.state, sizeof(v->flows.state));
    simulation_close(&s);
    return 0;
}

char *variant_key(char buf[DIGEST_TEXT_SIZE], const struct variant *v, uint64_t seed)
{
    struct digest d = v->digest;

    digest_add(&d, &seed, sizeof(seed));
    return digest_text(buf, &d);
}
