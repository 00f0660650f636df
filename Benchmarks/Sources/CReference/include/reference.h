#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What Multipeer is compared with, called from C as directly as the libraries allow. Every function returns 0, or a
   negative number when a library refused; a benchmark that did not do its work must not pass for a fast one. */

enum reference_suite { REFERENCE_CHACHA20_POLY1305 = 1, REFERENCE_AES_256_GCM = 2 };

/* ---- Bare AEADs: libsodium's ChaCha20-Poly1305, GnuTLS's AES-256-GCM -------------------------------------------- */

struct raw_aead;

struct raw_aead *raw_aead_create(enum reference_suite suite, const uint8_t key[32]);
void raw_aead_free(struct raw_aead *aead);

/* `count` times: seals `length` bytes in place at wire + 3 under the 3 bytes before them, the tag after; opens them to
   `plain`. `wire` has length + 19 bytes. */
int raw_aead_in_place(struct raw_aead *aead, uint8_t *wire, size_t length, uint8_t *plain, uint64_t count);

/* `count` times: seals from `source` to wire + 3 without touching `source`; opens to `plain`. */
int raw_aead_across(
    struct raw_aead *aead, const uint8_t *source, uint8_t *wire, size_t length, uint8_t *plain, uint64_t count);

/* ---- GnuTLS's TLS 1.3 between two sessions in this process, over memory ------------------------------------------ */

struct tls_identity;
struct tls_pair;

/* Credentials from PEM text; `authority` is what the remote peer's chain must lead to. */
struct tls_identity *tls_identity_create(
    const char *certificate, size_t certificate_length, const char *key, size_t key_length, const char *authority,
    size_t authority_length);
void tls_identity_free(struct tls_identity *identity);

/* A whole handshake: X25519, one cipher suite, certificates of both peers sent and verified against the authority, no
   session tickets. */
struct tls_pair *tls_pair_handshake(
    enum reference_suite suite, const struct tls_identity *client, const struct tls_identity *server);
void tls_pair_free(struct tls_pair *pair);

/* "TLS1.3-X.509-CHACHA20-POLY1305 …", so that the report can show what ran. Free with free(). */
char *tls_pair_description(const struct tls_pair *pair);

/* `count` times: the client sends `length` bytes, the server receives them all into `sink`. */
int tls_pair_transfer(struct tls_pair *pair, const uint8_t *source, size_t length, uint8_t *sink, uint64_t count);

/* Records that the last transfer of one payload took. */
size_t tls_pair_records_per_payload(const struct tls_pair *pair);

/* ---- A bare TCP connection over loopback, with the bare AEAD or without ------------------------------------------- */

struct tcp_pair;

/* Two connected sockets, and calls that go on until all is sent or something has come; -1 on failure. */
int tcp_connect_over_loopback(int *client, int *server);
int tcp_send_all(int socket, const uint8_t *bytes, size_t length);
ssize_t tcp_receive_some(int socket, uint8_t *bytes, size_t capacity);
int tcp_receive_all(int socket, uint8_t *bytes, size_t length);

/* A connection between two threads of this process. `suite` 0: nothing is sealed. */
struct tcp_pair *tcp_pair_create(int suite, size_t length);
void tcp_pair_free(struct tcp_pair *pair);

/* One thread seals payloads of `length` bytes and sends each with one call where the system takes it whole; another
   receives each whole and opens it. Returns when the last of `count` is open. */
int tcp_pair_transfer(struct tcp_pair *pair, uint64_t count);

/* ---- A message after a file, on a bare TCP connection -------------------------------------------------------------- */

struct tcp_latency;

struct tcp_latency *tcp_latency_create(void);
void tcp_latency_free(struct tcp_latency *pair);

/* `count` times: sends a message of 64 bytes and waits for the same one from the remote peer; nanoseconds each to `samples`.
   With a file, another thread sends that without an end, in chunks of 64 KiB that nobody reads from a disk or seals and that the
   receiver hashes (SHA-256 of GnuTLS), and the message goes behind `queued` bytes of it, and behind what the socket holds. */
int tcp_latency_run(struct tcp_latency *pair, int has_file, uint64_t queued, double *samples, size_t count);

/* ---- A file over loopback, read from one disk and stored on another ---------------------------------------------- */

/* One thread reads `source`, hashes (SHA-256 of GnuTLS), seals records of 65,535 bytes and sends; another receives, opens,
   hashes and writes to `target`, which must not exist, and waits for the disk. Returns when the sender has heard that the
   file is stored, and the hashes are equal. */
int file_transfer(enum reference_suite suite, const char *source, const char *target);

/* The same by two processes of Multipeer's own program `tool`, which listens and connects on loopback and stores the file
   in `folder`. `store` is a folder without identities. Returns when both have ended. */
int tool_transfer(
    const char *tool, enum reference_suite suite, const char *source, const char *folder, const char *store);

/* ---- The primitives of a Multipeer handshake, both peers together ------------------------------------------------ */

/* How much of everything; taken from a real handshake by the caller. */
struct primitive_plan {
    enum reference_suite suite;
    size_t prologue_length;
    /* Inputs of the two hashes of a binding transcript. */
    size_t transcript_length;
    size_t chain_length;
    /* Protected records of both directions together, and the bytes of their frames. */
    size_t record_count;
    size_t record_length;
    int has_certificates;
    int validates_paths;
};

struct primitives;

struct primitives *primitives_create(
    struct primitive_plan plan, const uint8_t *leaf_der, size_t leaf_length, const uint8_t *anchor_der,
    size_t anchor_length);
void primitives_free(struct primitives *primitives);

/* Everything once, `count` times. */
int primitives_run(struct primitives *primitives, uint64_t count);

/* The parts of it, for the table that explains the sum. */
enum primitive_part {
    PRIMITIVE_KEY_GENERATION,   /* 2 × 32 random bytes, 2 × X25519 with the base point */
    PRIMITIVE_AGREEMENT,        /* 2 × X25519 */
    PRIMITIVE_HASHING,          /* SHA-256 of the transcripts; 12 × HMAC-SHA256 for HKDF */
    PRIMITIVE_PROOFS,           /* 2 × Ed25519 sign, 2 × verify: libsodium */
    PRIMITIVE_BINDINGS,         /* 2 × Ed25519 sign, 2 × import of the key and verify: GnuTLS */
    PRIMITIVE_PATHS,            /* 2 × parse the leaf and verify it against an anchor that is parsed already: GnuTLS */
    PRIMITIVE_SMALL_RECORDS,    /* 4 keys made, all small records sealed and opened */
    PRIMITIVE_PARTS
};
int primitives_run_part(struct primitives *primitives, enum primitive_part part, uint64_t count);

const char *reference_sodium_version(void);
const char *reference_gnutls_version(void);
