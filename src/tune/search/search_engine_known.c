#include "tune/search/search_engine.h"
#include "tune/setting.h"

#define FEW_MICE      0.8        /* share of elephants above which long queues do no harm */
#define FEW_ELEPHANTS 0.5        /* share below which those for mice do none; in between neither is tried */

static bool is_made_against(const struct search *s, const struct knobs *knobs, int wanted)
{
    for (const struct setting *named = setting_all; named->name; named++) {
        struct knobs made;

        named->make(&made, &s->world);
        if (named->toward * wanted < 0 && knobs_equal(&made, knobs))
            return true;
    }
    return false;
}

#define KNOWN_PASSES 3           /* presets for the dominant flows, the setting from before, other presets */

/* Writes preset 'number'; false: it should not be tried now. Presets with long queues are not tried if
 * there are mice, those with short queues not if there are many elephants. */
static bool make_known(const struct search *s, uint32_t number, struct knobs *made, const char **name)
{
    const struct setting *named = &setting_all[number % SETTINGS];
    uint32_t              pass = number / SETTINGS;
    int                   wanted = !s->is_known ? 0 : s->elephants >= FEW_MICE ? 1 : -1;
    bool                  has_both = wanted < 0 && s->elephants > FEW_ELEPHANTS;

    if (pass == 1) {
        *made = s->before;
        *name = "the setting from before";
        return number % SETTINGS == 0 && !is_made_against(s, made, wanted);
    }
    if (s->world.control)
        return false;            /* all presets are for DCQCN and ECN */
    named->make(made, &s->world);
    *name = named->name;
    if (pass == 0)
        return named->toward != 0 && named->toward == wanted && !has_both;
    return named->toward == 0 || wanted == 0;
}

static bool was_tried(const struct search *s, const struct knobs *knobs)
{
    for (uint32_t i = 0; i < s->samples; i++)
        if (knobs_equal(&s->sample[i].knobs, knobs))
            return true;
    return false;
}

bool search_set_known(struct search *s, struct knobs *knobs)
{
    struct knobs made;

    if (s->measured >= search_count(s, SEARCH_BUDGET))
        return false;
    for (; s->known < KNOWN_PASSES * SETTINGS; s->known++) {
        if (!make_known(s, s->known, &made, &s->known_name) || was_tried(s, &made))
            continue;
        *knobs = made;
        return true;
    }
    return false;
}
