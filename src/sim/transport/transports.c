#include "sim/transport/transports.h"
#include "sim/transport/rc/rc.h"
#include "sim/transport/tcp/tcp.h"
#include "sim/transport/uet/uet.h"

const struct transport *const transports[TRANSPORTS] = {
    [TRANSPORT_RC] = &transport_rc, [TRANSPORT_UET] = &transport_uet, [TRANSPORT_TCP] = &transport_tcp,
};
