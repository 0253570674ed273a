/* The least that consuming costs: takes messages from a queue and acknowledges fifty at a time, and does nothing else.
 *
 * limit_broker HOST PORT QUEUE MESSAGES
 * Build: cc -O2 limit_broker.c $(pkg-config --cflags --libs librabbitmq)
 * Prints one JSON object: messages, bytes, seconds and CPU seconds from the first delivery to the last acknowledgement.
 */
#include <amqp.h>
#include <amqp_tcp_socket.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { CHANNEL = 1, PREFETCH = 200, ACKNOWLEDGE_EVERY = 50 };

static void check(int good, const char *what) {
    if (good) return;
    fprintf(stderr, "limit_broker: %s failed\n", what);
    exit(69);
}

static void check_reply(amqp_connection_state_t connection, const char *what) {
    check(amqp_get_rpc_reply(connection).reply_type == AMQP_RESPONSE_NORMAL, what);
}

static double wall_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "limit_broker HOST PORT QUEUE MESSAGES\n");
        return 64;
    }
    const unsigned long messages = strtoul(arguments[4], NULL, 10);
    amqp_connection_state_t connection = amqp_new_connection();
    amqp_socket_t *socket = amqp_tcp_socket_new(connection);
    check(amqp_socket_open(socket, arguments[1], atoi(arguments[2])) == AMQP_STATUS_OK, "connecting");
    check(amqp_login(connection, "/", 0, AMQP_DEFAULT_FRAME_SIZE, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest")
                  .reply_type == AMQP_RESPONSE_NORMAL,
          "logging in");
    amqp_channel_open(connection, CHANNEL);
    check_reply(connection, "opening a channel");
    amqp_basic_qos(connection, CHANNEL, 0, PREFETCH, 0);
    check_reply(connection, "basic.qos");
    amqp_basic_consume(connection, CHANNEL, amqp_cstring_bytes(arguments[3]), amqp_empty_bytes, 0, 0, 0,
                       amqp_empty_table);
    check_reply(connection, "basic.consume");

    double wall = 0, cpu = 0;
    unsigned long long bytes = 0;
    for (unsigned long number = 1; number <= messages; number++) {
        amqp_envelope_t envelope;
        amqp_maybe_release_buffers(connection);
        struct timeval patience = {.tv_sec = 30};
        check(amqp_consume_message(connection, &envelope, &patience, 0).reply_type == AMQP_RESPONSE_NORMAL,
              "consuming");
        if (number == 1) wall = wall_seconds(), cpu = cpu_seconds();
        bytes += envelope.message.body.len;
        if (number % ACKNOWLEDGE_EVERY == 0 || number == messages)
            check(amqp_basic_ack(connection, CHANNEL, envelope.delivery_tag, 1) == AMQP_STATUS_OK, "basic.ack");
        amqp_destroy_envelope(&envelope);
    }
    printf("{\"messages\": %lu, \"bytes\": %llu, \"seconds\": %.6f, \"client_cpu\": %.6f}\n", messages, bytes,
           wall_seconds() - wall, cpu_seconds() - cpu);
    amqp_connection_close(connection, AMQP_REPLY_SUCCESS);
    amqp_destroy_connection(connection);
    return 0;
}
