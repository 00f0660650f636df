#include "reference.h"

#include <gnutls/crypto.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 64, CHUNK = 65536, HEADER = 4, FLOWING = 256, DIGEST = 32 };
enum kind { KIND_MESSAGE, KIND_CHUNK, KIND_END };

/* One end sends a file and messages, and the other answers the messages. */
struct tcp_latency {
    int client, server;
    uint8_t *outgoing, *incoming;

    pthread_mutex_t mutex;
    /* Chunks that have been sent. */
    uint64_t sent;
    /* Whether a message waits after `ahead` bytes of the file; whether the file ends. */
    int is_wanted, is_over;
    uint64_t ahead;
    int status;
};

struct tcp_latency *tcp_latency_create(void) {
    struct tcp_latency *pair = calloc(1, sizeof *pair);
    if (pair == NULL) return NULL;
    pthread_mutex_init(&pair->mutex, NULL);
    pair->client = pair->server = -1;
    pair->outgoing = calloc(1, HEADER + CHUNK);
    pair->incoming = calloc(1, CHUNK);
    if (pair->outgoing != NULL && pair->incoming != NULL
        && tcp_connect_over_loopback(&pair->client, &pair->server) == 0) {
        return pair;
    }
    tcp_latency_free(pair);
    return NULL;
}

void tcp_latency_free(struct tcp_latency *pair) {
    if (pair->client >= 0) close(pair->client);
    if (pair->server >= 0) close(pair->server);
    pthread_mutex_destroy(&pair->mutex);
    free(pair->outgoing);
    free(pair->incoming);
    free(pair);
}

static size_t length_of(enum kind kind) { return kind == KIND_MESSAGE ? MESSAGE : kind == KIND_CHUNK ? CHUNK : 0; }

static int send_frame(struct tcp_latency *pair, enum kind kind) {
    pair->outgoing[0] = (uint8_t)kind;
    return tcp_send_all(pair->client, pair->outgoing, HEADER + length_of(kind));
}

/* Answers messages, and hashes the file, until the end. */
static void *answer(void *argument) {
    struct tcp_latency *pair = argument;
    uint8_t header[HEADER], digest[DIGEST];
    for (;;) {
        if (tcp_receive_all(pair->server, header, HEADER) != 0) break;
        if (header[0] == KIND_END) return NULL;
        size_t length = length_of((enum kind)header[0]);
        if (tcp_receive_all(pair->server, pair->incoming, length) != 0) break;
        if (header[0] == KIND_CHUNK && gnutls_hash_fast(GNUTLS_DIG_SHA256, pair->incoming, length, digest) != 0) break;
        if (header[0] == KIND_MESSAGE && tcp_send_all(pair->server, pair->incoming, length) != 0) break;
    }
    pair->status = -1;
    shutdown(pair->server, SHUT_RDWR);
    return NULL;
}

/* Sends the file, and in its midst each message that is wanted, after what was in the queue before it. */
static void *send_file(void *argument) {
    struct tcp_latency *pair = argument;
    for (int is_over = 0; !is_over;) {
        pthread_mutex_lock(&pair->mutex);
        int is_due = pair->is_wanted && pair->ahead == 0;
        if (is_due) {
            pair->is_wanted = 0;
        } else {
            pair->ahead -= pair->ahead < CHUNK ? pair->ahead : CHUNK;
            pair->sent += 1;
        }
        is_over = pair->is_over && !pair->is_wanted && !is_due;
        pthread_mutex_unlock(&pair->mutex);
        if (!is_over && send_frame(pair, is_due ? KIND_MESSAGE : KIND_CHUNK) != 0) break;
    }
    return NULL;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int round_trip(struct tcp_latency *pair, int has_file, uint64_t queued, double *sample) {
    uint8_t answered[MESSAGE];
    double start = now();
    if (has_file) {
        pthread_mutex_lock(&pair->mutex);
        pair->is_wanted = 1;
        pair->ahead = queued;
        pthread_mutex_unlock(&pair->mutex);
    } else if (send_frame(pair, KIND_MESSAGE) != 0) {
        return -1;
    }
    if (tcp_receive_all(pair->client, answered, MESSAGE) != 0) return -1;
    *sample = now() - start;
    return 0;
}

static int is_flowing(struct tcp_latency *pair) {
    pthread_mutex_lock(&pair->mutex);
    int is_flowing = pair->sent >= FLOWING;
    pthread_mutex_unlock(&pair->mutex);
    return is_flowing;
}

static int measure(struct tcp_latency *pair, int has_file, uint64_t queued, double *samples, size_t count) {
    // The first ones begin before the socket is full.
    double unused;
    do {
        if (round_trip(pair, has_file, queued, &unused) != 0) return -1;
    } while (has_file && !is_flowing(pair));
    for (size_t index = 0; index < count; index++) {
        if (round_trip(pair, has_file, queued, &samples[index]) != 0) return -1;
    }
    return 0;
}

int tcp_latency_run(struct tcp_latency *pair, int has_file, uint64_t queued, double *samples, size_t count) {
    pthread_t answering, sending;
    pair->status = pair->is_wanted = pair->is_over = 0;
    pair->sent = 0;
    if (pthread_create(&answering, NULL, answer, pair) != 0) return -1;
    if (has_file && pthread_create(&sending, NULL, send_file, pair) != 0) return -1;
    int status = measure(pair, has_file, queued, samples, count);
    if (status != 0) shutdown(pair->client, SHUT_RDWR);
    if (has_file) {
        pthread_mutex_lock(&pair->mutex);
        pair->is_over = 1;
        pthread_mutex_unlock(&pair->mutex);
        pthread_join(sending, NULL);
    }
    if (send_frame(pair, KIND_END) != 0) status = -1;
    pthread_join(answering, NULL);
    return pair->status != 0 ? -1 : status;
}
