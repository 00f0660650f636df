#include "reference.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>

/* ---- A stream in memory ---- */

struct stream {
    uint8_t *bytes;
    size_t capacity, begin, end;
    /* How often something was pushed, which GnuTLS does once a record (once a flight in a handshake). */
    size_t pushes;
};

static int stream_append(struct stream *stream, const void *bytes, size_t length) {
    if (stream->begin == stream->end) stream->begin = stream->end = 0;
    if (stream->end + length > stream->capacity) {
        size_t capacity = 2 * (stream->end + length);
        uint8_t *grown = realloc(stream->bytes, capacity);
        if (grown == NULL) return -1;
        stream->bytes = grown;
        stream->capacity = capacity;
    }
    memcpy(stream->bytes + stream->end, bytes, length);
    stream->end += length;
    return 0;
}

/* ---- Credentials ---- */

struct tls_identity {
    gnutls_certificate_credentials_t credentials;
    gnutls_priority_t priorities[3];
};

static const char *priority_of(enum reference_suite suite) {
#define COMMON "NONE:+VERS-TLS1.3:+AEAD:+GROUP-X25519:+SIGN-EDDSA-ED25519:+CTYPE-X509:"
    return suite == REFERENCE_CHACHA20_POLY1305 ? COMMON "+CHACHA20-POLY1305" : COMMON "+AES-256-GCM";
#undef COMMON
}

struct tls_identity *tls_identity_create(
    const char *certificate, size_t certificate_length, const char *key, size_t key_length, const char *authority,
    size_t authority_length) {
    struct tls_identity *identity = calloc(1, sizeof *identity);
    if (identity == NULL) return NULL;
    gnutls_datum_t leaf = {(unsigned char *)certificate, (unsigned)certificate_length};
    gnutls_datum_t secret = {(unsigned char *)key, (unsigned)key_length};
    gnutls_datum_t anchor = {(unsigned char *)authority, (unsigned)authority_length};
    int ok = gnutls_certificate_allocate_credentials(&identity->credentials) == 0;
    ok = ok && gnutls_certificate_set_x509_key_mem(identity->credentials, &leaf, &secret, GNUTLS_X509_FMT_PEM) >= 0;
    ok = ok && gnutls_certificate_set_x509_trust_mem(identity->credentials, &anchor, GNUTLS_X509_FMT_PEM) == 1;
    for (int suite = 1; ok && suite <= 2; suite++) {
        ok = gnutls_priority_init(&identity->priorities[suite], priority_of((enum reference_suite)suite), NULL) == 0;
    }
    if (ok) return identity;
    tls_identity_free(identity);
    return NULL;
}

void tls_identity_free(struct tls_identity *identity) {
    for (int suite = 1; suite <= 2; suite++) {
        if (identity->priorities[suite] != NULL) gnutls_priority_deinit(identity->priorities[suite]);
    }
    if (identity->credentials != NULL) gnutls_certificate_free_credentials(identity->credentials);
    free(identity);
}

/* ---- Sessions ---- */

struct side {
    gnutls_session_t session;
    struct stream *outgoing, *incoming;
};

struct tls_pair {
    struct side client, server;
    struct stream to_server, to_client;
    size_t records_per_payload;
};

static ssize_t push(gnutls_transport_ptr_t pointer, const void *bytes, size_t length) {
    struct side *side = pointer;
    if (stream_append(side->outgoing, bytes, length) != 0) return -1;
    side->outgoing->pushes += 1;
    return (ssize_t)length;
}

static ssize_t pull(gnutls_transport_ptr_t pointer, void *bytes, size_t length) {
    struct side *side = pointer;
    struct stream *stream = side->incoming;
    size_t available = stream->end - stream->begin;
    if (available == 0) {
        gnutls_transport_set_errno(side->session, EAGAIN);
        return -1;
    }
    size_t taken = available < length ? available : length;
    memcpy(bytes, stream->bytes + stream->begin, taken);
    stream->begin += taken;
    return (ssize_t)taken;
}

static int side_start(
    struct side *side, unsigned flags, const struct tls_identity *identity, enum reference_suite suite) {
    int status = gnutls_init(&side->session, flags | GNUTLS_NONBLOCK | GNUTLS_NO_TICKETS | GNUTLS_NO_SIGNAL);
    if (status < 0) return status;
    status = gnutls_priority_set(side->session, identity->priorities[suite]);
    if (status < 0) return status;
    status = gnutls_credentials_set(side->session, GNUTLS_CRD_CERTIFICATE, identity->credentials);
    if (status < 0) return status;
    if (flags & GNUTLS_SERVER) gnutls_certificate_server_set_request(side->session, GNUTLS_CERT_REQUIRE);
    gnutls_session_set_verify_cert(side->session, NULL, 0);
    gnutls_transport_set_ptr(side->session, side);
    gnutls_transport_set_push_function(side->session, push);
    gnutls_transport_set_pull_function(side->session, pull);
    return 0;
}

static int handshake(struct tls_pair *pair) {
    int client = GNUTLS_E_AGAIN, server = GNUTLS_E_AGAIN;
    for (int round = 0; round < 16 && (client != 0 || server != 0); round++) {
        if (client != 0) client = gnutls_handshake(pair->client.session);
        if (client < 0 && gnutls_error_is_fatal(client)) return client;
        if (server != 0) server = gnutls_handshake(pair->server.session);
        if (server < 0 && gnutls_error_is_fatal(server)) return server;
    }
    return client != 0 ? client : server;
}

struct tls_pair *tls_pair_handshake(
    enum reference_suite suite, const struct tls_identity *client, const struct tls_identity *server) {
    struct tls_pair *pair = calloc(1, sizeof *pair);
    if (pair == NULL) return NULL;
    pair->client.outgoing = pair->server.incoming = &pair->to_server;
    pair->server.outgoing = pair->client.incoming = &pair->to_client;
    if (side_start(&pair->client, GNUTLS_CLIENT, client, suite) == 0
        && side_start(&pair->server, GNUTLS_SERVER, server, suite) == 0 && handshake(pair) == 0) {
        return pair;
    }
    tls_pair_free(pair);
    return NULL;
}

void tls_pair_free(struct tls_pair *pair) {
    if (pair->client.session != NULL) gnutls_deinit(pair->client.session);
    if (pair->server.session != NULL) gnutls_deinit(pair->server.session);
    free(pair->to_server.bytes);
    free(pair->to_client.bytes);
    free(pair);
}

char *tls_pair_description(const struct tls_pair *pair) {
    char *text = gnutls_session_get_desc(pair->client.session);
    char *copy = text == NULL ? NULL : strdup(text);
    gnutls_free(text);
    return copy;
}

static int send_all(gnutls_session_t session, const uint8_t *source, size_t length) {
    for (size_t sent = 0; sent < length;) {
        ssize_t status = gnutls_record_send(session, source + sent, length - sent);
        if (status < 0) return (int)status;
        sent += (size_t)status;
    }
    return 0;
}

static int receive_all(gnutls_session_t session, uint8_t *sink, size_t length) {
    for (size_t received = 0; received < length;) {
        ssize_t status = gnutls_record_recv(session, sink + received, length - received);
        if (status < 0) return (int)status;
        if (status == 0) return -1;
        received += (size_t)status;
    }
    return 0;
}

int tls_pair_transfer(struct tls_pair *pair, const uint8_t *source, size_t length, uint8_t *sink, uint64_t count) {
    for (uint64_t index = 0; index < count; index++) {
        size_t before = pair->to_server.pushes;
        int status = send_all(pair->client.session, source, length);
        if (status == 0) status = receive_all(pair->server.session, sink, length);
        if (status != 0) return status;
        pair->records_per_payload = pair->to_server.pushes - before;
    }
    return 0;
}

size_t tls_pair_records_per_payload(const struct tls_pair *pair) { return pair->records_per_payload; }
