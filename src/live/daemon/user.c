#include "live/daemon/user.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As data/systemd/anole-agent.service has them; both have numbers below 32. */
#define AGENT_CAPABILITIES (1u << CAP_DAC_OVERRIDE | 1u << CAP_NET_ADMIN)

/* Those of the first 32; the others are dropped. */
static int set_capabilities(uint32_t bits)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct   data[_LINUX_CAPABILITY_U32S_3] = { { bits, bits, 0 } };

    return (int)syscall(SYS_capset, &head, data);
}

int user_become(const char *name, bool is_agent, struct err *err)
{
    const struct passwd *user = getpwnam(name);

    if (!user)
        return err_set(err, ENOENT, "there is no user '%s'", name);
    if (user->pw_uid == geteuid())
        return 0;
    if (geteuid())
        return err_set(err, EPERM, "only root can become the user '%s'", name);
    if (prctl(PR_SET_KEEPCAPS, 1) || initgroups(name, user->pw_gid) ||
        setresgid(user->pw_gid, user->pw_gid, user->pw_gid) ||
        setresuid(user->pw_uid, user->pw_uid, user->pw_uid) ||
        set_capabilities(is_agent ? AGENT_CAPABILITIES : 0))
        return err_set(err, errno, "cannot become the user '%s': %s", name, strerror(errno));
    return 0;
}
