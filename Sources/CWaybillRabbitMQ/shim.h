// rabbitmq-c 0.11.
#ifndef WAYBILL_CRABBITMQ_SHIM_H
#define WAYBILL_CRABBITMQ_SHIM_H

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>

/// `amqp_login*` are variadic, which Swift cannot call.
static inline amqp_rpc_reply_t wb_amqp_login_plain(
    amqp_connection_state_t connection, const char *vhost, int channel_max, int frame_max, int heartbeat,
    const amqp_table_t *client_properties, const char *username, const char *password) {
    return amqp_login_with_properties(
        connection, vhost, channel_max, frame_max, heartbeat, client_properties, AMQP_SASL_METHOD_PLAIN, username,
        password);
}

/// Ends the connection when what was sent stays unacknowledged, or finds no room at the peer, for so long (tcp(7)).
static inline void wb_amqp_limit_silence(int socket, unsigned int milliseconds) {
    (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

// OpenSSL's own declarations (<openssl/ssl.h>, <openssl/x509_vfy.h>), of which only these are needed here.
struct ssl_ctx_st;
struct X509_VERIFY_PARAM_st;
struct X509_VERIFY_PARAM_st *SSL_CTX_get0_param(struct ssl_ctx_st *context);
int SSL_CTX_set_default_verify_paths(struct ssl_ctx_st *context);
void SSL_CTX_set_verify(struct ssl_ctx_st *context, int mode, int (*callback)(int, void *));
int X509_VERIFY_PARAM_set1_host(struct X509_VERIFY_PARAM_st *parameters, const char *name, size_t length);
int X509_VERIFY_PARAM_set1_ip_asc(struct X509_VERIFY_PARAM_st *parameters, const char *address);
void X509_VERIFY_PARAM_set_hostflags(struct X509_VERIFY_PARAM_st *parameters, unsigned int flags);
unsigned long ERR_peek_error(void);
const char *ERR_reason_error_string(unsigned long error);

/// Lets OpenSSL itself check the broker's name or address, and takes the system's trust store where no CA file is given.
/// rabbitmq-c 0.11 compares host names with code of its own, which knows no IP addresses, and has no call for the store.
/// Returns 1 on success, 0 on failure.
static inline int wb_amqp_tls_verify(amqp_socket_t *socket, const char *host, const char *ca_file) {
    struct ssl_ctx_st *context = (struct ssl_ctx_st *)amqp_ssl_socket_get_context(socket);
    struct X509_VERIFY_PARAM_st *parameters = SSL_CTX_get0_param(context);
    if (ca_file != NULL) {
        if (amqp_ssl_socket_set_cacert(socket, ca_file) != AMQP_STATUS_OK) return 0;
    } else if (SSL_CTX_set_default_verify_paths(context) != 1) {
        return 0;
    }
    X509_VERIFY_PARAM_set_hostflags(parameters, 0x4 /* X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS */);
    // set1_ip_asc refuses what is no address literal; what it refuses is a name.
    if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host) != 1 &&
        X509_VERIFY_PARAM_set1_host(parameters, host, 0) != 1) {
        return 0;
    }
    SSL_CTX_set_verify(context, 1 /* SSL_VERIFY_PEER */, NULL);
    amqp_ssl_socket_set_verify_peer(socket, 1);
    amqp_ssl_socket_set_verify_hostname(socket, 0);
    return 1;
}

#endif
