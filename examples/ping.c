/* examples/ping.c - libanole in a few lines: host 0 sends to host 1, which answers, ten times; prints how long each round took.
 *
 *     cc examples/ping.c $(pkg-config --cflags --libs anole) -o ping
 */
#include <anole.h>

#include <stdio.h>

#define ROUNDS 10

struct ping { struct anole_world *world; uint64_t begin_ps; int rounds; };

static void told(void *arg, enum anole_event event, uint64_t now_ps, const struct anole_message *m)
{
    struct ping *p = arg;

    if (event != ANOLE_ARRIVED)
        return;
    if (m->dst == 1) {
        anole_post(p->world, 1, 0, m->bytes, m->tag);
        return;
    }
    printf("round %d: %.3f us\n", ++p->rounds, (double)(now_ps - p->begin_ps) / 1e6);
    p->begin_ps = now_ps;
    if (p->rounds < ROUNDS)
        anole_post(p->world, 0, 1, m->bytes, m->tag + 1);
}

int main(void)
{
    char        error[256];
    struct ping p = { .world = anole_open("topology: {kind: star, hosts: 2}", error, sizeof error) };

    if (!p.world) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    anole_on_message(p.world, told, &p);
    anole_post(p.world, 0, 1, 1000, 1);
    while (anole_run(p.world, anole_now_ps(p.world) + 1000000) > 0)      /* a microsecond at a time */
        ;
    anole_close(p.world);
    return p.rounds == ROUNDS ? 0 : 1;
}
