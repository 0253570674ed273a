// rabbitmq-c 0.11. amqp_login* are variadic, which Swift cannot call.
#ifndef WAYBILL_CRABBITMQ_SHIM_H
#define WAYBILL_CRABBITMQ_SHIM_H

#include <sys/time.h>
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>

static inline amqp_rpc_reply_t wb_amqp_login_plain(
    amqp_connection_state_t connection, const char *vhost, int channel_max, int frame_max, int heartbeat,
    const amqp_table_t *client_properties, const char *username, const char *password) {
    return amqp_login_with_properties(
        connection, vhost, channel_max, frame_max, heartbeat, client_properties, AMQP_SASL_METHOD_PLAIN, username,
        password);
}

#endif
