/* src/live/wire/ask.c - see ask.h. */
#include "live/wire/ask.h"
#include "live/wire/buffer.h"
#include "live/wire/creds.h"

#include <grpc/support/time.h>

#define OPS_MAX 6

static int ask(grpc_call *call, grpc_completion_queue *cq, const void *bytes, size_t length, const char *address,
               unsigned char **reply, size_t *reply_length, struct err *err)
{
    grpc_metadata_array initial, trailing;
    grpc_byte_buffer   *sent = buffer_from(bytes, length), *received = NULL;
    grpc_status_code    status = GRPC_STATUS_UNKNOWN;
    grpc_slice          text = grpc_empty_slice();
    int                 rc = 0;
    grpc_op             ops[OPS_MAX] = {
        { .op = GRPC_OP_SEND_INITIAL_METADATA }, { .op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = sent },
        { .op = GRPC_OP_SEND_CLOSE_FROM_CLIENT },
        { .op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &initial },
        { .op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &received },
        { .op = GRPC_OP_RECV_STATUS_ON_CLIENT, .data.recv_status_on_client = { &trailing, &status, &text, NULL } },
    };

    grpc_metadata_array_init(&initial);
    grpc_metadata_array_init(&trailing);
    if (grpc_call_start_batch(call, ops, OPS_MAX, call, NULL) == GRPC_CALL_OK)
        grpc_completion_queue_next(cq, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);        /* the call has a deadline */
    if (status != GRPC_STATUS_OK || !received)
        rc = err_set(err, ECONNREFUSED, "%s: no answer from a controller: %.*s", address, (int)GRPC_SLICE_LENGTH(text),
                     (const char *)GRPC_SLICE_START_PTR(text));
    else
        *reply = buffer_bytes(received, reply_length);
    grpc_byte_buffer_destroy(sent);
    if (received)
        grpc_byte_buffer_destroy(received);
    grpc_metadata_array_destroy(&initial);
    grpc_metadata_array_destroy(&trailing);
    grpc_slice_unref(text);
    return rc;
}

int rpc_ask(const char *address, const struct rpc_tls *tls, const void *bytes, size_t length, int timeout_ms,
            unsigned char **reply, size_t *reply_length, struct err *err)
{
    gpr_timespec           deadline;
    grpc_completion_queue *cq;
    grpc_channel          *channel;
    grpc_call             *call;
    struct creds          *files = NULL;
    int                    rc = creds_check(address, tls, err);

    if (!rc)
        rc = creds_open(&files, tls, err);
    if (rc)
        return rc;
    grpc_init();
    deadline = gpr_time_add(gpr_now(GPR_CLOCK_REALTIME), gpr_time_from_millis(timeout_ms, GPR_TIMESPAN));
    cq = grpc_completion_queue_create_for_next(NULL);
    channel = creds_channel(address, files);
    call = grpc_channel_create_call(channel, NULL, GRPC_PROPAGATE_DEFAULTS, cq, grpc_slice_from_static_string(RPC_ASK_METHOD), NULL,
                                    deadline, NULL);
    rc = ask(call, cq, bytes, length, address, reply, reply_length, err);
    grpc_call_unref(call);
    grpc_channel_destroy(channel);
    grpc_completion_queue_shutdown(cq);
    while (grpc_completion_queue_next(cq, gpr_inf_future(GPR_CLOCK_REALTIME), NULL).type != GRPC_QUEUE_SHUTDOWN)
        ;
    grpc_completion_queue_destroy(cq);
    creds_free(files);
    grpc_shutdown();
    return rc;
}
