/* src/study/report/setting_print.c - a setting in the names, units and ranges of devices.
 *
 * Some devices react badly to invalid values: some versions of the mlx5 driver pass them on to the firmware,
 * and SONiC's orchagent exits at an unknown word. So this code prints only whole numbers in the documented
 * ranges.
 */
#include "study/report/setting_print.h"
#include "base/minmax.h"
#include "core/knob_text.h"
#include "version.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* data/set_mlx5.sh and data/set_sonic.sh; a build step writes them as arrays. */
extern const unsigned char mlx5_script[], sonic_script[];
extern const unsigned long mlx5_script_bytes, sonic_script_bytes;

static void print_comment(const char *text, FILE *out)
{
    bool is_start = true;

    for (; *text; text++) {
        if (is_start)
            fputs(*text == '\n' ? "#" : "# ", out);
        is_start = *text == '\n';
        /* Replaces characters of a name that would end the comment. */
        fputc(*text == '\n' || (unsigned char)*text >= ' ' ? *text : '?', out);
    }
    if (!is_start)
        fputc('\n', out);
}

/* Prints a script up to a marker; returns what follows the marker. */
static const unsigned char *print_part(const unsigned char *from, const unsigned char *end,
                                       const char *marker, FILE *out)
{
    const unsigned char *at = memmem(from, (size_t)(end - from), marker, strlen(marker));

    assert(at);
    fwrite(from, 1, (size_t)(at - from), out);
    return at + strlen(marker);
}

void setting_print_yaml(const struct knobs *knobs, const char *about, FILE *out)
{
    struct knobs base;

    knobs_init(&base);
    print_comment("A setting of anole " ANOLE_VERSION ": what differs from the default.\n", out);
    print_comment(about, out);
    knobs_print_yaml(knobs, &base, out);
}

/* ---- mlx5 ---- */

/* The files of the driver are the rows of DCQCN at NICs, but for two that are no file of this name. */
static bool is_mlx5_file(enum knob knob)
{
    return knob <= KNOB_pmax && knob_info[knob].where == KNOB_NIC && knob != KNOB_roce_cc_prio_mask &&
           knob != KNOB_roce_cc_cnp_moderation;
}

/* The device's ranges, where they are narrower than ours. */
static double mlx5_value(enum knob knob, double value)
{
    value = clamp_real(round(value), knob_info[knob].min, knob_info[knob].max);
    return knob == KNOB_rpg_gd ? clamp_real(value, 10, 11) : knob == KNOB_dce_tcp_g ? fmax(value, 1) : value;
}

static bool is_default(const struct knobs *k, enum knob knob)
{
    return k->value[knob] == knob_info[knob].initial;
}

/* What belongs to a class is printed only if it is not the default. */
static void print_mlx5_file(const struct knobs *k, enum knob knob, FILE *out)
{
    double value = k->value[knob], taken = mlx5_value(knob, value);
    char   text[KNOB_TEXT_MAX];

    if ((knob == KNOB_cnp_dscp || knob == KNOB_cnp_802p_prio) && is_default(k, knob))
        return;
    fprintf(out, "%s/%s %.0f", knob < KNOB_min_time_between_cnps ? "roce_rp" : "roce_np",
            knob_info[knob].name, taken);
    if (taken != value)
        fprintf(out, "   # the setting has %s", knob_text(text, knob, value));
    fputc('\n', out);
}

/* Bit p of the mask is the file enable/p of both NP and RP. */
static void print_mlx5_enable(const struct knobs *k, FILE *out)
{
    unsigned mask = (unsigned)k->value[KNOB_roce_cc_prio_mask];

    if (is_default(k, KNOB_roce_cc_prio_mask))
        return;
    for (unsigned prio = 0; prio < 8; prio++) {
        fprintf(out, "roce_rp/enable/%u %u\n", prio, mask >> prio & 1);
        fprintf(out, "roce_np/enable/%u %u\n", prio, mask >> prio & 1);
    }
}

static void print_mlx5_rest(const struct knobs *k, FILE *out)
{
    if (!is_default(k, KNOB_roce_cc_cnp_moderation))
        fprintf(out,
                "# roce_cc_cnp_moderation is %.0f in the setting: that is no file but\n"
                "# ROCE_CC_CNP_MODERATION of mlxconfig, which takes effect when the firmware is reset.\n",
                k->value[KNOB_roce_cc_cnp_moderation]);
    if (!is_default(k, KNOB_dce_tcp_g))
        fputs("# dce_tcp_g is meant as the weight of the old alpha. NVIDIA's texts do not agree on its\n"
              "# direction: try it on one port first.\n", out);
    fputs("# What belongs to switches (kmin, kmax, pmax): anole tune --as sonic.\n", out);
}

/* A script is for one link speed. */
static void print_by_speed(const struct knobs *k, const char *what, FILE *out)
{
    if (k->value[KNOB_by_speed] != 0)
        fprintf(out, "# by_speed: this is for links as fast as the fastest host's. For those of other "
                     "speeds %s must be\n"
                "# changed in proportion: a quarter for a link that is a quarter as fast.\n", what);
}

bool setting_differs_in_mlx5(const struct knobs *a, const struct knobs *b)
{
    bool differs = a->value[KNOB_roce_cc_prio_mask] != b->value[KNOB_roce_cc_prio_mask];

    for (enum knob i = 0; i < KNOB_COUNT; i++)
        differs |= is_mlx5_file(i) && a->value[i] != b->value[i];
    return differs;
}

void setting_print_mlx5(const struct knobs *k, const char *about, FILE *out)
{
    const unsigned char *end = mlx5_script + mlx5_script_bytes,
                        *rest = print_part(mlx5_script, end, "# @ABOUT@\n", out);

    print_comment(about, out);
    print_by_speed(k, "rates", out);
    print_mlx5_rest(k, out);
    rest = print_part(rest, end, "@VALUES@\n", out);
    for (enum knob i = 0; i < KNOB_COUNT; i++)
        if (is_mlx5_file(i))
            print_mlx5_file(k, i, out);
    print_mlx5_enable(k, out);
    fwrite(rest, 1, (size_t)(end - rest), out);
}

/* ---- SONiC ---- */

#define SONIC_BYTES_MAX 2147483647.0

struct wred { double min_bytes, max_bytes, percent; };

/* Switches accept whole percents. A probability above 0 becomes at least 1 %. */
static struct wred wred_of(const struct knobs *k)
{
    double pmax = 100 * k->value[KNOB_pmax];

    return (struct wred){
        .min_bytes = clamp_real(round(1000 * k->value[KNOB_kmin]), 1, SONIC_BYTES_MAX),
        .max_bytes = clamp_real(round(1000 * k->value[KNOB_kmax]), 1, SONIC_BYTES_MAX),
        .percent = pmax > 0 ? clamp_real(round(pmax), 1, 100) : 0,
    };
}

static void print_rounding(const struct knobs *k, const struct wred *w, FILE *out)
{
    if (fabs(w->percent - 100 * k->value[KNOB_pmax]) > 1e-9)
        fprintf(out, "# Marking probabilities are whole percents: pmax %.4g becomes %.0f %%.\n",
                k->value[KNOB_pmax], w->percent);
}

void setting_print_sonic(const struct knobs *k, const char *about, FILE *out)
{
    static const char *const colours[] = { "green", "yellow", "red" };
    const struct wred    w = wred_of(k);
    const unsigned char *end = sonic_script + sonic_script_bytes,
                        *rest = print_part(sonic_script, end, "# @ABOUT@\n", out);

    print_comment(about, out);
    print_by_speed(k, "thresholds", out);
    print_rounding(k, &w, out);
    rest = print_part(rest, end, "@VALUES@\n", out);
    for (int i = 0; i < 3; i++)
        fprintf(out, "            \"wred_%s_enable\": \"true\",\n"
                     "            \"%s_min_threshold\": \"%.0f\",\n"
                     "            \"%s_max_threshold\": \"%.0f\",\n"
                     "            \"%s_drop_probability\": \"%.0f\",\n",
                colours[i], colours[i], w.min_bytes, colours[i], w.max_bytes, colours[i], w.percent);
    fwrite(rest, 1, (size_t)(end - rest), out);
}

const char *const device_names[] = { "mlx5", "sonic", NULL };

void device_print(enum device device, const struct knobs *knobs, const char *about)
{
    if (device == DEVICE_MLX5)
        setting_print_mlx5(knobs, about, stdout);
    else if (device == DEVICE_SONIC)
        setting_print_sonic(knobs, about, stdout);
}
