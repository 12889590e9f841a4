/* src/cmd/cluster/cmd_collective_answer.c - anole collective: the answer, and the table, CSV or JSON. */
#include "base/json.h"
#include "base/print/table.h"
#include "base/text.h"
#include "cmd/cluster/cmd_collective.h"
#include "cmd/cmd_json.h"
#include "study/report/about.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- the answer ---- */

static const char *us_text(char buf[32], double us)
{
    return text_figure(buf, 32, "us", us);
}

/* What a row ran: "ring, 8 channels, Simple, chunks of 512 KiB". */
static void add_choice(const struct collective_options *o, const struct row *row, struct card *c)
{
    card_add(c, CARD_SETTING, "%s%s", collective_names[row->kind],
             o->kind == BY_SIZE ? ", as NCCL chooses for this size" : "");
    if (collective_has_rings(row->kind) && row->channels)
        card_append(c, CARD_SETTING, ", %u channel%s", row->channels, row->channels == 1 ? "" : "s");
    else if (collective_has_rings(row->kind))
        card_append(c, CARD_SETTING, ", one ring whose steps wait for acknowledgements");
    card_append(c, CARD_SETTING, ", protocol %s", nccl_protocol_names[row->protocol]);
    if (row->channels || row->kind == COLLECTIVE_TREE_ALL_REDUCE)
        card_append(c, CARD_SETTING, ", chunks of %u KiB", nccl_chunk_bytes(row->protocol) >> 10);
    card_append(c, CARD_SETTING, ".");
}

/* The fastest preset next to other traffic, if each of its seeds is faster than each of the current
 * setting. */
static void add_preset(const struct found *f, struct card *c)
{
    const struct preset_seen *own = &f->preset[0], *best = own;

    for (uint32_t i = 1; i < f->presets; i++)
        best = f->preset[i].time.us < best->time.us ? &f->preset[i] : best;
    if (!f->presets || best->time.high_us >= own->time.low_us)
        return;
    card_add(c, CARD_DETAIL, "Preset %s makes it %.2g times as fast", best->name,
             own->time.us / best->time.us);
    if (isfinite(best->time.slowdown) && isfinite(own->time.slowdown))
        card_add(c, CARD_DETAIL, "and slows other traffic %.3g times instead of %.3g times",
                 best->time.slowdown, own->time.slowdown);
    card_append(c, CARD_DETAIL, ".");
}

static bool has_step_cost(const struct collective_options *o)
{
    for (uint32_t i = 0; i < o->sets; i++)
        if (strstr(o->set[i], "step_cost"))
            return true;
    return false;
}

void collective_answer(const struct collective_options *o, const struct found *f, struct card *c)
{
    const struct row *row = &f->row[f->rows - 1];
    char              size[32], is[32], was[32];
    double            times = o->beside ? row->beside.us / row->alone.us : 1;
    uint32_t          trees = 0;

    *c = (struct card){ 0 };
    text_from_bytes(size, sizeof(size), (double)row->bytes);
    us_text(was, row->alone.us);
    if (o->beside)
        card_add(c, CARD_FINDING,
                 "Next to %.3g %% %s traffic, the %s of %s takes %.3g times as long: %s instead of %s.",
                 100 * o->beside_load, o->beside, collective_kind_text(row), size, times,
                 us_text(is, row->beside.us), was);
    card_add(c, o->beside ? CARD_DETAIL : CARD_FINDING,
             "%s %s of %s takes %s: %.3g GB/s bus bandwidth, %.0f %% of what the links allow.",
             o->beside ? "Alone, the" : "The", collective_kind_text(row), size, was, row->busbw,
             100 * row->busbw / row->ideal);
    add_preset(f, c);
    card_add(c, CARD_DETAIL, "Bottleneck: %s", f->limit[o->beside ? 1 : 0].text);
    if (o->beside)
        card_add(c, CARD_SURE, o->seeds == 1 ? "%u seed: %s." : "%u seeds: %s to %s.", o->seeds,
                 us_text(is, row->beside.low_us), us_text(was, row->beside.high_us));
    card_add(c, CARD_SURE, "Simulation of the network only: GPU kernels and memory copies are not modeled.");
    about_hardware_of_collective(c, row->bytes, has_step_cost(o));
    for (uint32_t i = 0; i < f->rows; i++)
        trees += f->row[i].nccl_has_tree;
    if (trees)
        card_add(c, CARD_SURE, "NCCL would use a tree for the %u smallest size%s; rings were simulated, "
                 "because trees over several NICs of a server are not modeled.", trees,
                 trees == 1 ? "" : "s");
    card_add(c, CARD_NETWORK, "%u ranks on %u server%s.", f->network.cluster.ranks,
             f->network.cluster.servers, f->network.cluster.servers == 1 ? "" : "s");
    card_add(c, CARD_NETWORK, "%s", card_text(&f->about, CARD_NETWORK));
    if (o->beside)
        card_add(c, CARD_TRAFFIC,
                 "Other traffic: %s message sizes between all NICs, %.3g %% of their speed, same class.",
                 o->beside, 100 * o->beside_load);
    add_choice(o, row, c);
    if (o->beside && o->save) {
        card_add(c, CARD_NEXT, "look for a setting for large transfers on this traffic");
        card_add(c, CARD_COMMAND, "anole advise");
        card_add_argument(c, o->save);
        card_add(c, CARD_COMMAND, "--set run=5ms --goal throughput --report advice.html");
        return;
    }
    card_add(c, CARD_NEXT,
             o->beside ? "save the scenario and look for a setting for it"
                       : "see what other traffic costs it");
    card_add_command(c, o->argc, o->argv,
                     (const char *const[]){ "--format", "--save", "--report", "--trace", NULL });
    if (o->beside || f->network.load_most > BESIDE_LOAD)
        card_add(c, CARD_COMMAND, o->beside ? "--save beside.yaml" : "--beside storage");
    else
        card_add(c, CARD_COMMAND, "--beside storage=%.2g%%", 50 * f->network.load_most);
}

/* ---- printing ---- */

static void print_table(const struct collective_options *o, const struct found *f)
{
    struct table *t = table_new(o->beside ? "rrrrrllrrr" : "rrrrrll");

    table_cells(t, "size (B)", "time (us)", "algbw (GB/s)", "busbw (GB/s)", "of ideal", "algorithm",
                "protocol", o->beside ? "beside (us)" : NULL, "seeds (us)", "times", NULL);
    for (uint32_t i = 0; i < f->rows; i++) {
        const struct row *r = &f->row[i];

        table_cell(t, "%" PRIu64, r->bytes);
        table_cell(t, "%.2f", r->alone.us);
        table_cell(t, "%.2f", r->algbw);
        table_cell(t, "%.2f", r->busbw);
        table_cell(t, "%.0f %%", 100 * r->busbw / r->ideal);
        table_cells(t, collective_names[r->kind], nccl_protocol_names[r->protocol], NULL);
        if (!o->beside)
            continue;
        table_cell(t, "%.2f", r->beside.us);
        table_cell(t, "%.0f to %.0f", r->beside.low_us, r->beside.high_us);
        table_cell(t, "%.2f", r->beside.us / r->alone.us);
    }
    table_end(t, stdout, 0);
}

static void print_csv(const struct collective_options *o, const struct found *f)
{
    puts("size_bytes,time_us,algbw_GBps,busbw_GBps,ideal_share,algorithm,protocol,channels,"
         "beside_us,beside_us_min,beside_us_max");
    for (uint32_t i = 0; i < f->rows; i++) {
        const struct row *r = &f->row[i];

        printf("%" PRIu64 ",%.3f,%.4f,%.4f,%.4f,%s,%s,%u,", r->bytes, r->alone.us, r->algbw, r->busbw,
               r->busbw / r->ideal, collective_names[r->kind], nccl_protocol_names[r->protocol], r->channels);
        if (o->beside)
            printf("%.3f,%.3f,%.3f\n", r->beside.us, r->beside.low_us, r->beside.high_us);
        else
            puts(",,");
    }
}

static json_t *limit_json(const struct limit_seen *l)
{
    return JSON_OF({ "text", JSON(l->text) }, JSON_FIELD(l, busy_share), JSON_FIELD(l, paused_share),
                   JSON_FIELD(l, marked_share), JSON_FIELD(l, queue_bytes_max));
}

static json_t *row_json(const struct collective_options *o, const struct found *f, const struct row *r)
{
    return JSON_OF({ "collective", JSON(collective_names[r->kind]) },
                   { "protocol", JSON(nccl_protocol_names[r->protocol]) },
                   { "ranks", JSON(f->network.cluster.ranks) }, JSON_FIELD(r, channels),
                   { "size_bytes", JSON(r->bytes) }, { "time_us", JSON(r->alone.us) },
                   { "algbw_GBps", JSON(r->algbw) }, { "busbw_GBps", JSON(r->busbw) },
                   { "ideal_share", JSON(r->busbw / r->ideal) },
                   { "beside_us", JSON(o->beside ? r->beside.us : NAN) },
                   { "beside_us_min", JSON(o->beside ? r->beside.low_us : NAN) },
                   { "beside_us_max", JSON(o->beside ? r->beside.high_us : NAN) });
}

void collective_print(const struct collective_options *o, const struct found *f)
{
    struct card c;

    if (o->format == FORMAT_CSV) {
        print_csv(o, f);
        return;
    }
    collective_answer(o, f, &c);
    if (o->format == FORMAT_TABLE) {
        card_print(&c, stdout, cmd_has_colour(stdout));
        putchar('\n');
        print_table(o, f);
        collective_print_steps(f);
    } else {
        json_t *rows = json_array();

        for (uint32_t i = 0; i < f->rows; i++)
            json_array_append_new(rows, row_json(o, f, &f->row[i]));
        cmd_print_json(JSON_OF({ "answer", card_json(&c) }, { "sizes", rows },
                               { "bottleneck", limit_json(&f->limit[o->beside ? 1 : 0]) },
                               { "time_line", collective_steps_json(f) }));
    }
    card_fini(&c);
}
