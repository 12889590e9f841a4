/* src/cmd/rule_options.c */
#include "cmd/rule_options.h"

#include "base/text.h"
#include "cmd/cmd.h"
#include "core/units.h"

enum { KEY_BASE = 512, KEY_BETA, KEY_TARGET, KEY_SCALE, KEY_RATE_MIN, KEY_RTT_MAX };

static const struct argp_option option_rows[] = {
    { "base-rtt", KEY_BASE, "TIME", 0, "RTT that counts as 1 (default: 8192ns)", 0 },
    { "beta", KEY_BETA, "N", 0, "RTTs of so many base RTTs are free (default: 1.5)", 0 },
    { "target", KEY_TARGET, "N", 0, "Excess times the root of the rate that is wanted (default: 0.064)", 0 },
    { "scale", KEY_SCALE, "N", 0, "From there to delta (default: 12.5)", 0 },
    { "rate-min", KEY_RATE_MIN, "SHARE", 0, "The lowest rate, of the line's (default: 2^-14, 0.000061)", 0 },
    { "rtt-max", KEY_RTT_MAX, "TIME", 0, "A longer RTT halves the rate, whatever the trees say (default: 150us)", 0 },
    { 0 },
};

/* 0 would mean the default. */
static double real_above_0(const char *option, const char *text)
{
    struct err err;
    double value;

    if (text_to_real(text, &value, &err))
        cmd_usage("%s: %s", option, err.text);
    if (value <= 0)
        cmd_usage("%s: '%s' is not above 0", option, text);
    return value;
}

static double time_ns(const char *option, const char *text)
{
    return (double)cmd_time(option, text, "an RTT of 0 cannot be") * 1000 / PS_PER_US;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct rule_cfg *cfg = state->input;

    switch (key) {
    case KEY_BASE:     cfg->base_ns = time_ns("--base-rtt", arg);             break;
    case KEY_BETA:     cfg->beta = real_above_0("--beta", arg);               break;
    case KEY_TARGET:   cfg->target = real_above_0("--target", arg);           break;
    case KEY_SCALE:    cfg->scale = real_above_0("--scale", arg);             break;
    case KEY_RATE_MIN: cfg->rate_min = real_above_0("--rate-min", arg);       break;
    case KEY_RTT_MAX:  cfg->rtt_us_max = time_ns("--rtt-max", arg) / 1000;    break;
    default:           return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp rule_options_argp = { .options = option_rows, .parser = parse_option };
