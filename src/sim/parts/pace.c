#include "sim/parts/pace.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_ENOUGH   10000u   /* events of a round that suffice to measure its speed .. */
#define TIME_ENOUGH_S   0.02     /* .. or duration */
#define TRY_OTHER_AFTER 16u      /* rounds */
#define WAIT_MUCH       0.35     /* share of the time */
#define STEP_EVENTS     4u       /* with fewer events, a step ends before another thread notices */
#define STEPS_ENOUGH    64u

/* If threads wait a lot, tries one thread. The faster choice stays; retries the other periodically. */
bool pace_choose_one(struct pace *p)
{
    bool was_one = p->is_one, one = false;

    if (was_one || p->wait_share > WAIT_MUCH)
        one = !p->one.is_known || p->one.s_per_event < p->many.s_per_event;
    if (p->rounds_same >= TRY_OTHER_AFTER && (was_one || p->wait_share > WAIT_MUCH))
        one = !was_one;
    one &= p->many.is_known;
    one |= p->is_sparse;
    p->rounds_same = one == was_one ? p->rounds_same + 1 : 0;
    p->is_one = one;
    return one;
}

void pace_keep(struct pace *p, const struct pace_round *r)
{
    struct pace_rate *rate = r->threads == 1 ? &p->one : &p->many;
    double            s_per_event = r->took_s / (double)(r->events + 1);

    if (r->steps >= STEPS_ENOUGH)
        p->is_sparse = r->events < STEP_EVENTS * r->steps;
    if (r->events < EVENTS_ENOUGH && r->took_s < TIME_ENOUGH_S)
        return;
    if (r->threads > 1)
        p->wait_share = 0.5 * p->wait_share + 0.5 * r->wait_s / (r->took_s * r->threads);
    rate->s_per_event = rate->is_known ? 0.5 * rate->s_per_event + 0.5 * s_per_event : s_per_event;
    rate->is_known = true;
}

#define NAP_NS 1000000

void nap_while(_Atomic uint32_t *word, uint32_t is)
{
    struct timespec moment = { 0, NAP_NS };

    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, is, &moment, NULL, 0);
}

void nap_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}
