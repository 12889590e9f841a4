#include "sim/host/transports.h"
#include "sim/host/rc/rc.h"
#include "sim/host/tcp/tcp.h"
#include "sim/host/uet/uet.h"

const struct transport *const transports[TRANSPORTS] = {
    [TRANSPORT_RC] = &transport_rc, [TRANSPORT_UET] = &transport_uet, [TRANSPORT_TCP] = &transport_tcp,
};
