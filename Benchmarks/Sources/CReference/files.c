#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aead.h"
#include "reference.h"

/* A record of 65,535 bytes with its header and its tag. */
enum { HEADER = 3, TAG = 16, RECORD = 65535, CHUNK = RECORD - HEADER - TAG, DIGEST = 32 };

/* One peer of a transfer: a thread of its own with a socket, a file, a key and a running hash. */
struct side {
    int socket, file;
    uint64_t size;
    struct raw_aead aead;
    gnutls_hash_hd_t hash;
    uint8_t *plain, *wire;
    uint8_t digest[DIGEST];
    int status;
};

static int side_start(struct side *side, int socket, int file, uint64_t size, enum reference_suite suite) {
    static const uint8_t key[32] = {9};
    memset(side, 0, sizeof *side);
    side->socket = socket;
    side->file = file;
    side->size = size;
    side->plain = malloc(CHUNK);
    side->wire = malloc(RECORD);
    if (side->plain == NULL || side->wire == NULL) return -1;
    if (gnutls_hash_init(&side->hash, GNUTLS_DIG_SHA256) != 0) return -1;
    return raw_aead_open_key(&side->aead, suite, key);
}

static void side_stop(struct side *side) {
    raw_aead_close_key(&side->aead);
    if (side->hash != NULL) gnutls_hash_deinit(side->hash, NULL);
    if (side->socket >= 0) close(side->socket);
    if (side->file >= 0) close(side->file);
    free(side->plain);
    free(side->wire);
}

static int read_all(int file, uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t got = read(file, bytes, length);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        bytes += got;
        length -= (size_t)got;
    }
    return 0;
}

static int write_all(int file, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t put = write(file, bytes, length);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return -1;
        bytes += put;
        length -= (size_t)put;
    }
    return 0;
}

static size_t chunk_at(const struct side *side, uint64_t offset) {
    return side->size - offset < CHUNK ? (size_t)(side->size - offset) : CHUNK;
}

static int send_chunk(struct side *side, size_t length) {
    if (read_all(side->file, side->plain, length) != 0) return -1;
    if (gnutls_hash(side->hash, side->plain, length) != 0) return -1;
    if (raw_aead_seal(&side->aead, side->wire, HEADER, side->plain, length, side->wire + HEADER) != 0) return -1;
    side->aead.counter += 1;
    return tcp_send_all(side->socket, side->wire, HEADER + length + TAG);
}

/* Reads, hashes, seals and sends; then waits until the receiver has stored everything. */
static void *send_file(void *argument) {
    struct side *side = argument;
    for (uint64_t offset = 0; offset < side->size && side->status == 0; offset += CHUNK) {
        side->status = send_chunk(side, chunk_at(side, offset));
    }
    gnutls_hash_output(side->hash, side->digest);
    uint8_t stored;
    if (side->status == 0) side->status = tcp_receive_all(side->socket, &stored, 1);
    /* A receiver that still reads must not wait for ever for somebody to send. */
    if (side->status != 0) shutdown(side->socket, SHUT_RDWR);
    return NULL;
}

static int receive_chunk(struct side *side, size_t length) {
    if (tcp_receive_all(side->socket, side->wire, HEADER + length + TAG) != 0) return -1;
    if (raw_aead_open(&side->aead, side->wire, HEADER, side->wire + HEADER, length, side->plain) != 0) return -1;
    side->aead.counter += 1;
    if (gnutls_hash(side->hash, side->plain, length) != 0) return -1;
    return write_all(side->file, side->plain, length);
}

/* Receives, opens, hashes and writes; waits for the disk, and says so. */
static void *receive_file(void *argument) {
    struct side *side = argument;
    for (uint64_t offset = 0; offset < side->size && side->status == 0; offset += CHUNK) {
        side->status = receive_chunk(side, chunk_at(side, offset));
    }
    gnutls_hash_output(side->hash, side->digest);
    if (side->status == 0) side->status = fsync(side->file);
    const uint8_t stored = 1;
    if (side->status == 0) side->status = tcp_send_all(side->socket, &stored, 1);
    if (side->status != 0) shutdown(side->socket, SHUT_RDWR);
    return NULL;
}

static int run_both(struct side *sender, struct side *receiver) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, send_file, sender) != 0) return -1;
    receive_file(receiver);
    pthread_join(thread, NULL);
    if (sender->status != 0 || receiver->status != 0) return -1;
    return memcmp(sender->digest, receiver->digest, DIGEST) == 0 ? 0 : -1;
}

int file_transfer(enum reference_suite suite, const char *source, const char *target) {
    int input = open(source, O_RDONLY | O_CLOEXEC);
    int output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int client = -1, server = -1;
    struct stat about;
    struct side sender = {.socket = -1, .file = -1}, receiver = sender;
    int status = input >= 0 && output >= 0 && fstat(input, &about) == 0 ? 0 : -1;
    if (status == 0) status = tcp_connect_over_loopback(&client, &server);
    uint64_t size = status == 0 ? (uint64_t)about.st_size : 0;
    if (side_start(&sender, client, input, size, suite) != 0) status = -1;
    if (side_start(&receiver, server, output, size, suite) != 0) status = -1;
    if (status == 0) status = run_both(&sender, &receiver);
    side_stop(&sender);
    side_stop(&receiver);
    return status;
}
