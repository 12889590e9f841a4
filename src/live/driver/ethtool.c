#include "live/driver/ethtool.h"
#include "base/err.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define STATS_MAX 65536

static int ask(int fd, const char *netdev, void *data)
{
    struct ifreq r = { 0 };

    snprintf(r.ifr_name, sizeof r.ifr_name, "%s", netdev);
    r.ifr_data = data;
    return ioctl(fd, SIOCETHTOOL, &r) ? -errno : 0;
}

static int count_stats(int fd, const char *netdev, uint32_t *count)
{
    struct ethtool_sset_info *set = xcalloc(1, sizeof *set + sizeof set->data[0]);

    set->cmd = ETHTOOL_GSSET_INFO;
    set->sset_mask = 1ull << ETH_SS_STATS;
    int rc = ask(fd, netdev, set);
    *count = set->sset_mask ? set->data[0] : 0;
    free(set);
    return !rc && *count > STATS_MAX ? -EFBIG : rc;
}

static int visit_stats(int fd, const char *netdev, uint32_t count, ethtool_visit *visit, void *arg)
{
    struct ethtool_gstrings *names = xcalloc(1, sizeof *names + (unsigned long)count * ETH_GSTRING_LEN);
    struct ethtool_stats    *stats = xcalloc(1, sizeof *stats + (unsigned long)count * sizeof stats->data[0]);

    names->cmd = ETHTOOL_GSTRINGS;
    names->string_set = ETH_SS_STATS;
    names->len = count;
    stats->cmd = ETHTOOL_GSTATS;
    stats->n_stats = count;
    int rc = ask(fd, netdev, names);
    rc = rc ? rc : ask(fd, netdev, stats);
    for (uint32_t i = 0; i < count && !rc; i++) {
        char name[ETH_GSTRING_LEN + 1] = "";     /* they need not end with a zero */

        memcpy(name, names->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
        visit(arg, name, stats->data[i]);
    }
    free(names);
    free(stats);
    return rc;
}

static int from_kernel(const char *netdev, ethtool_visit *visit, void *arg)
{
    int      fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc;
    uint32_t count = 0;

    if (fd < 0)
        return -errno;
    rc = count_stats(fd, netdev, &count);
    rc = rc ? rc : visit_stats(fd, netdev, count, visit, arg);
    close(fd);
    return rc;
}

static int from_file(const char *root, const char *netdev, ethtool_visit *visit, void *arg)
{
    char  path[512], line[256];

    snprintf(path, sizeof path, "%s/ethtool/%s", root, netdev);
    FILE *f = fopen(path, "re");
    if (!f)
        return -errno;
    while (fgets(line, sizeof line, f)) {
        char *name = line + strspn(line, " \t"), *colon = strchr(name, ':');

        if (!colon || colon[1] != ' ' || colon[2] < '0' || colon[2] > '9')
            continue;            /* the heading */
        *colon = '\0';
        visit(arg, name, strtoull(colon + 2, NULL, 10));
    }
    fclose(f);
    return 0;
}

int ethtool_stats(const char *root, const char *netdev, ethtool_visit *visit, void *arg)
{
    return strcmp(root, "/") == 0 ? from_kernel(netdev, visit, arg) : from_file(root, netdev, visit, arg);
}
