/* Inserts delivery records into MongoDB as the log writer does: unordered bulks, majority and journal, one client of a
 * pool for each writer. Names, types and order of the fields are those of schemas/delivery-record.schema.json; each part
 * can be left out or given another form, so that its cost can be told from the difference.
 *
 * Build: cc -O2 store_insert.c $(pkg-config --cflags --libs libmongoc-1.0)
 * Prints one JSON object: records, seconds, client CPU, bytes of one document.
 */
#include <getopt.h>
#include <inttypes.h>
#include <mongoc/mongoc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum token_form { TOKEN_HEX, TOKEN_BINARY };

#define DAY_MS INT64_C(86400000)

static struct {
    const char *uri, *database, *collection, *omit;
    uint64_t first, count, tokens, failures_of_1000, expiring_of_1000, per_day;
    int64_t expiry_step_ms;
    int writers, bulk, message_bytes, in_batch;
    bool random_ids;
    enum token_form token;
} options = {.uri = "mongodb://127.0.0.1:27017/?replicaSet=rs0",
             .database = "waybill",
             .collection = "deliveries",
             .omit = "",
             .count = 100000,
             .tokens = UINT64_C(1) << 40,
             .expiring_of_1000 = 1000,
             .failures_of_1000 = 10,
             .expiry_step_ms = 1,
             .writers = 2,
             .bulk = 1000,
             .message_bytes = 200,
             .in_batch = 100};

static mongoc_client_pool_t *pool;

/* SplitMix64's finishing step: every input gives another, well-spread output. */
static uint64_t spread(uint64_t number) {
    number += UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

static void put_bytes(uint8_t *target, uint64_t number) {
    for (int index = 0; index < 8; index++) target[index] = (uint8_t)(number >> (56 - 8 * index));
}

static void put_hexadecimal(char *target, const uint8_t *bytes, int count) {
    static const char digits[] = "0123456789abcdef";
    for (int index = 0; index < count; index++) {
        target[2 * index] = digits[bytes[index] >> 4];
        target[2 * index + 1] = digits[bytes[index] & 15];
    }
}

/* 32 bytes that stand for a device token or a digest. */
static void derive(uint8_t bytes[32], uint64_t seed) {
    for (int part = 0; part < 4; part++) put_bytes(bytes + 8 * part, spread(seed * 4 + part));
}

static bool has(const char *field) {
    size_t length = strlen(field);
    for (const char *at = options.omit; (at = strstr(at, field)); at += length) {
        bool begins = at == options.omit || at[-1] == ',';
        if (begins && (at[length] == ',' || at[length] == 0)) return false;
    }
    return true;
}

static struct {
    bool status, message, expires, batch, client, lane, topic, push_type, collapse, attempts, latency, queued, token;
} present;

static void choose_fields(void) {
    present.token = has("device_token");
    present.status = has("status_code");
    present.message = has("message");
    present.expires = has("expires_at");
    present.batch = has("batch_id");
    present.client = has("client");
    present.lane = has("lane");
    present.topic = has("topic");
    present.push_type = has("push_type");
    present.collapse = has("collapse_id");
    present.attempts = has("attempts");
    present.latency = has("latency_ms");
    present.queued = has("queued_ms");
}

#define TEXT(document, key, value) bson_append_utf8(document, key, sizeof key - 1, value, sizeof value - 1)

/* An id with the message's time in front (version 8), or with random bits there. */
static void append_id(bson_t *record, uint64_t number, int64_t now) {
    uint8_t id[16];
    put_bytes(id, options.random_ids ? spread(~number) : (uint64_t)now << 16 | (spread(number) & 0xffff));
    put_bytes(id + 8, spread(number ^ UINT64_C(0x5bd1e995)));
    id[6] = 0x80 | (id[6] & 0x0f);
    id[8] = 0x80 | (id[8] & 0x3f);
    bson_append_binary(record, "_id", 3, BSON_SUBTYPE_UUID, id, sizeof id);
}

static void append_token(bson_t *record, uint64_t number) {
    uint8_t bytes[32];
    char text[64];
    derive(bytes, spread(number) % options.tokens);
    if (options.token == TOKEN_BINARY) {
        bson_append_binary(record, "device_token", 12, BSON_SUBTYPE_BINARY, bytes, sizeof bytes);
    } else {
        put_hexadecimal(text, bytes, sizeof bytes);
        bson_append_utf8(record, "device_token", 12, text, sizeof text);
    }
}

/* A payload with a constant frame, as in a campaign, and an order number of its own. */
static void append_message(bson_t *record, uint64_t number) {
    static const char filler[] =
        " Your parcel has left the depot and will be with you today between two and four; tap to see where it is, to "
        "choose a neighbour or to give it another day. Thank you for shopping with us, and see you soon again.";
    char text[4200];
    int length = snprintf(text, sizeof text, "{\"aps\":{\"alert\":{\"title\":\"Parcel %" PRIu64 "\",\"body\":\"", number);
    while (length < options.message_bytes - 4) {
        int part = options.message_bytes - 4 - length;
        if (part > (int)sizeof filler - 1) part = sizeof filler - 1;
        memcpy(text + length, filler, part);
        length += part;
    }
    memcpy(text + length, "\"}}}", 4);
    bson_append_utf8(record, "message", 7, text, length + 4);
}

static void make_record(bson_t *record, uint64_t number, int64_t now) {
    bson_reinit(record);
    /* The first day is one before the first expiry. */
    if (options.per_day > 0) now += ((int64_t)(number / options.per_day) - 29) * DAY_MS;
    bool failed = spread(number ^ 1) % 1000 < options.failures_of_1000;
    append_id(record, number, now);
    if (present.token) append_token(record, number);
    if (failed) {
        TEXT(record, "outcome", "token_invalid");
        if (present.status) bson_append_int32(record, "status_code", 11, 410);
        TEXT(record, "reason", "Unregistered");
    } else {
        TEXT(record, "outcome", "accepted");
        if (present.status) bson_append_int32(record, "status_code", 11, 200);
    }
    if (present.message) append_message(record, number);
    bson_append_date_time(record, "date", 4, now);
    bson_append_int32(record, "day", 3, (int32_t)(now / DAY_MS));
    if (present.expires && spread(number ^ 2) % 1000 < options.expiring_of_1000) {
        int64_t at = now + 30 * DAY_MS + options.expiry_step_ms - 1;
        bson_append_date_time(record, "expires_at", 10, at - at % options.expiry_step_ms);
    }
    if (present.batch) {
        char batch[64];
        int length = snprintf(batch, sizeof batch, "parcels-2026-11-21-%09" PRIu64, number / options.in_batch);
        bson_append_utf8(record, "batch_id", 8, batch, length);
    }
    if (present.client) TEXT(record, "client", "acme");
    if (present.lane) TEXT(record, "lane", "parcels-production");
    if (present.topic) TEXT(record, "topic", "com.example.parcels");
    if (present.push_type) TEXT(record, "push_type", "alert");
    if (present.collapse) {
        uint8_t digest[32];
        char text[64];
        derive(digest, ~number);
        put_hexadecimal(text, digest, sizeof digest);
        bson_append_utf8(record, "collapse_id", 11, text, sizeof text);
    }
    if (present.attempts) bson_append_int32(record, "attempts", 8, 1);
    if (present.latency) bson_append_double(record, "latency_ms", 10, (double)(spread(number) % 50000) / 1000);
    if (present.queued) bson_append_int32(record, "queued_ms", 9, (int)(spread(number) % 30));
}

static int64_t now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static mongoc_collection_t *open_collection(mongoc_client_t *client) {
    mongoc_collection_t *collection = mongoc_client_get_collection(client, options.database, options.collection);
    mongoc_write_concern_t *concern = mongoc_write_concern_new();
    mongoc_write_concern_set_w(concern, MONGOC_WRITE_CONCERN_W_MAJORITY);
    mongoc_write_concern_set_journal(concern, true);
    mongoc_write_concern_set_wtimeout_int64(concern, 10000);
    mongoc_collection_set_write_concern(collection, concern);
    mongoc_write_concern_destroy(concern);
    return collection;
}

/* Writers take bulks in turn, so that ids and dates grow together as they do in a running dispatcher. */
static void *write_share(void *argument) {
    uint64_t writer = (uint64_t)(intptr_t)argument, stride = (uint64_t)options.writers * options.bulk;
    mongoc_client_t *client = mongoc_client_pool_pop(pool);
    mongoc_collection_t *collection = open_collection(client);
    bson_t unordered = BSON_INITIALIZER, record = BSON_INITIALIZER;
    intptr_t failed = 0;
    BSON_APPEND_BOOL(&unordered, "ordered", false);
    for (uint64_t start = writer * options.bulk; start < options.count && !failed; start += stride) {
        uint64_t end = start + options.bulk < options.count ? start + options.bulk : options.count;
        mongoc_bulk_operation_t *bulk = mongoc_collection_create_bulk_operation_with_opts(collection, &unordered);
        bson_error_t error = {0};
        int64_t now = now_ms();
        for (uint64_t number = start; number < end; number++) {
            make_record(&record, options.first + number, now);
            mongoc_bulk_operation_insert_with_opts(bulk, &record, NULL, &error);
        }
        if (!mongoc_bulk_operation_execute(bulk, NULL, &error)) {
            fprintf(stderr, "store_insert: %s\n", error.message);
            failed = 1;
        }
        mongoc_bulk_operation_destroy(bulk);
    }
    bson_destroy(&record);
    bson_destroy(&unordered);
    mongoc_collection_destroy(collection);
    mongoc_client_pool_push(pool, client);
    return (void *)failed;
}

static double seconds(struct timeval time) { return time.tv_sec + time.tv_usec / 1e6; }

static void usage(FILE *stream) {
    fputs("Usage: store_insert [--uri URI] [--database NAME] [--collection NAME] [--first N] [--count N] [--writers N]\n"
          "                    [--bulk N] [--tokens N] [--token hex|binary] [--ids time|random] [--message BYTES]\n"
          "                    [--omit FIELD,…] [--expiry-step MS] [--expiring PERMILLE] [--failures PERMILLE]\n"
          "                    [--in-batch N] [--per-day N] [--print-token N]\n",
          stream);
}

static bool read_options(int count, char **arguments) {
    static const struct option known[] = {
        {"uri", 1, 0, 'u'},      {"database", 1, 0, 'd'}, {"collection", 1, 0, 'c'}, {"first", 1, 0, 'f'},
        {"count", 1, 0, 'n'},    {"writers", 1, 0, 'w'},  {"bulk", 1, 0, 'b'},       {"tokens", 1, 0, 't'},
        {"token", 1, 0, 'T'},    {"ids", 1, 0, 'i'},      {"message", 1, 0, 'm'},    {"omit", 1, 0, 'o'},
        {"failures", 1, 0, 'F'}, {"help", 0, 0, 'h'},     {"expiry-step", 1, 0, 's'}, {"expiring", 1, 0, 'e'},
        {"in-batch", 1, 0, 'B'}, {"print-token", 1, 0, 'p'}, {"per-day", 1, 0, 'D'},
        {0}};
    int option;
    while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
        switch (option) {
            case 'u': options.uri = optarg; break;
            case 'd': options.database = optarg; break;
            case 'c': options.collection = optarg; break;
            case 'f': options.first = strtoull(optarg, NULL, 10); break;
            case 'n': options.count = strtoull(optarg, NULL, 10); break;
            case 'w': options.writers = atoi(optarg); break;
            case 'b': options.bulk = atoi(optarg); break;
            case 't': options.tokens = strtoull(optarg, NULL, 10); break;
            case 'T': options.token = strcmp(optarg, "binary") == 0 ? TOKEN_BINARY : TOKEN_HEX; break;
            case 'i': options.random_ids = strcmp(optarg, "random") == 0; break;
            case 'm': options.message_bytes = atoi(optarg); break;
            case 'o': options.omit = optarg; break;
            case 'F': options.failures_of_1000 = strtoull(optarg, NULL, 10); break;
            case 'e': options.expiring_of_1000 = strtoull(optarg, NULL, 10); break;
            case 's': options.expiry_step_ms = atoll(optarg); break;
            case 'D': options.per_day = strtoull(optarg, NULL, 10); break;
            case 'B': options.in_batch = atoi(optarg); break;
            case 'p': {
                uint8_t bytes[32];
                char text[64];
                derive(bytes, spread(strtoull(optarg, NULL, 10)) % options.tokens);
                put_hexadecimal(text, bytes, sizeof bytes);
                printf("%.64s\n", text);
                exit(0);
            }
            case 'h': usage(stdout); exit(0);
            default: return false;
        }
    }
    return optind == count && options.writers > 0 && options.writers <= 64 && options.bulk > 0 && options.in_batch > 0 &&
           options.tokens > 0 && options.expiry_step_ms > 0 && options.message_bytes >= 100 &&
           options.message_bytes <= 4096;
}

int main(int count, char **arguments) {
    if (!read_options(count, arguments)) {
        usage(stderr);
        return 64;
    }
    choose_fields();
    mongoc_init();
    mongoc_uri_t *uri = mongoc_uri_new(options.uri);
    if (!uri) {
        fputs("store_insert: not a usable URI\n", stderr);
        return 64;
    }
    pool = mongoc_client_pool_new(uri);
    mongoc_client_pool_set_error_api(pool, MONGOC_ERROR_API_VERSION_2);

    /* Connections stand before the clock starts. */
    mongoc_client_t *clients[64];
    for (int index = 0; index < options.writers; index++) {
        bson_t ping = BSON_INITIALIZER;
        BSON_APPEND_INT32(&ping, "ping", 1);
        clients[index] = mongoc_client_pool_pop(pool);
        mongoc_client_command_simple(clients[index], "admin", &ping, NULL, NULL, NULL);
        bson_destroy(&ping);
    }
    for (int index = 0; index < options.writers; index++) mongoc_client_pool_push(pool, clients[index]);

    struct rusage before, after;
    struct timespec start, end;
    pthread_t threads[64];
    intptr_t failed = 0;
    getrusage(RUSAGE_SELF, &before);
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (intptr_t index = 0; index < options.writers; index++) pthread_create(&threads[index], NULL, write_share, (void *)index);
    for (int index = 0; index < options.writers; index++) {
        void *result;
        pthread_join(threads[index], &result);
        failed |= (intptr_t)result;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    getrusage(RUSAGE_SELF, &after);

    bson_t sample = BSON_INITIALIZER;
    make_record(&sample, options.first, now_ms());
    printf("{\"records\": %" PRIu64 ", \"seconds\": %.6f, \"client_cpu\": %.6f, \"document_bytes\": %u}\n", options.count,
           (double)(end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9,
           seconds(after.ru_utime) + seconds(after.ru_stime) - seconds(before.ru_utime) - seconds(before.ru_stime), sample.len);
    bson_destroy(&sample);
    mongoc_client_pool_destroy(pool);
    mongoc_uri_destroy(uri);
    mongoc_cleanup();
    return failed ? 69 : 0;
}
