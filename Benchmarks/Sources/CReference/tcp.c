#include "reference.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "aead.h"

enum { TAG = 16, HEADER = 3 };

/* One end, and what it does with a payload. */
struct end {
    int socket;
    int is_sealed;
    struct raw_aead aead;
    uint8_t *plain, *wire;
    size_t length;
    uint64_t count;
    int status;
};

struct tcp_pair {
    struct end sender, receiver;
};

int tcp_connect_over_loopback(int *client, int *server) {
    int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    *client = socket(AF_INET, SOCK_STREAM, 0);
    *server = -1;
    if (listener >= 0 && *client >= 0 && bind(listener, (struct sockaddr *)&address, length) == 0
        && getsockname(listener, (struct sockaddr *)&address, &length) == 0 && listen(listener, 1) == 0
        && connect(*client, (struct sockaddr *)&address, length) == 0) {
        *server = accept(listener, NULL, NULL);
        setsockopt(*client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    if (listener >= 0) close(listener);
    return *server >= 0 ? 0 : -1;
}

static int end_start(struct end *end, int socket, int suite, size_t length) {
    static const uint8_t key[32] = {9};
    end->socket = socket;
    end->length = length;
    end->is_sealed = suite != 0;
    end->plain = calloc(1, length);
    end->wire = calloc(1, length + HEADER + TAG);
    if (end->plain == NULL || end->wire == NULL) return -1;
    return suite == 0 ? 0 : raw_aead_open_key(&end->aead, (enum reference_suite)suite, key);
}

static void end_stop(struct end *end) {
    if (end->socket >= 0) close(end->socket);
    if (end->is_sealed) raw_aead_close_key(&end->aead);
    free(end->plain);
    free(end->wire);
}

struct tcp_pair *tcp_pair_create(int suite, size_t length) {
    struct tcp_pair *pair = calloc(1, sizeof *pair);
    if (pair == NULL) return NULL;
    int client = -1, server = -1;
    int status = tcp_connect_over_loopback(&client, &server);
    if (end_start(&pair->sender, client, suite, length) != 0) status = -1;
    if (end_start(&pair->receiver, server, suite, length) != 0) status = -1;
    if (status == 0) return pair;
    tcp_pair_free(pair);
    return NULL;
}

void tcp_pair_free(struct tcp_pair *pair) {
    end_stop(&pair->sender);
    end_stop(&pair->receiver);
    free(pair);
}

int tcp_send_all(int socket, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(socket, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return -1;
        bytes += sent;
        length -= (size_t)sent;
    }
    return 0;
}

ssize_t tcp_receive_some(int socket, uint8_t *bytes, size_t capacity) {
    while (1) {
        ssize_t received = recv(socket, bytes, capacity, 0);
        if (received < 0 && errno == EINTR) continue;
        return received > 0 ? received : -1;
    }
}

int tcp_receive_all(int socket, uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t received = tcp_receive_some(socket, bytes, length);
        if (received < 0) return -1;
        bytes += received;
        length -= (size_t)received;
    }
    return 0;
}

static void *send_payloads(void *argument) {
    struct end *end = argument;
    end->status = 0;
    for (uint64_t index = 0; index < end->count && end->status == 0; index++) {
        if (!end->is_sealed) {
            end->status = tcp_send_all(end->socket, end->plain, end->length);
            continue;
        }
        end->status = raw_aead_seal(&end->aead, end->wire, HEADER, end->plain, end->length, end->wire + HEADER);
        end->aead.counter += 1;
        if (end->status == 0) end->status = tcp_send_all(end->socket, end->wire, end->length + HEADER + TAG);
    }
    return NULL;
}

static void *receive_payloads(void *argument) {
    struct end *end = argument;
    end->status = 0;
    for (uint64_t index = 0; index < end->count && end->status == 0; index++) {
        if (!end->is_sealed) {
            end->status = tcp_receive_all(end->socket, end->plain, end->length);
            continue;
        }
        end->status = tcp_receive_all(end->socket, end->wire, end->length + HEADER + TAG);
        if (end->status == 0) {
            end->status = raw_aead_open(&end->aead, end->wire, HEADER, end->wire + HEADER, end->length, end->plain);
        }
        end->aead.counter += 1;
    }
    // A sender that still writes must not wait for ever for somebody to read.
    if (end->status != 0) shutdown(end->socket, SHUT_RDWR);
    return NULL;
}

int tcp_pair_transfer(struct tcp_pair *pair, uint64_t count) {
    pthread_t sender;
    pair->sender.count = pair->receiver.count = count;
    if (pthread_create(&sender, NULL, send_payloads, &pair->sender) != 0) return -1;
    receive_payloads(&pair->receiver);
    pthread_join(sender, NULL);
    return pair->sender.status != 0 ? -1 : pair->receiver.status != 0 ? -1 : 0;
}
