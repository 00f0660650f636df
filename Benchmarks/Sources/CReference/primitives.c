#include "reference.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "aead.h"

enum { BINDING_MESSAGE = 97, PROOF_MESSAGE = 92, HMACS_PER_SIDE = 6 };

struct primitives {
    struct primitive_plan plan;
    uint8_t identity_public[32], identity_secret[64], peer_ephemeral[32];
    gnutls_datum_t leaf, key_info;
    gnutls_x509_crt_t anchor;
    /* Input for hashes, signatures and records; as long as the longest. */
    uint8_t *scratch;
    size_t scratch_length;
};

static size_t largest(struct primitive_plan plan) {
    size_t length = 4096;
    if (plan.prologue_length > length) length = plan.prologue_length;
    if (plan.transcript_length > length) length = plan.transcript_length;
    if (plan.chain_length > length) length = plan.chain_length;
    if (plan.record_length + 64 > length) length = plan.record_length + 64;
    return length;
}

static int load_leaf(struct primitives *primitives, const uint8_t *der, size_t length) {
    primitives->leaf.data = malloc(length);
    if (primitives->leaf.data == NULL) return -1;
    memcpy(primitives->leaf.data, der, length);
    primitives->leaf.size = (unsigned)length;
    gnutls_x509_crt_t certificate = NULL;
    gnutls_pubkey_t key = NULL;
    int ok = gnutls_x509_crt_init(&certificate) == 0 && gnutls_pubkey_init(&key) == 0
        && gnutls_x509_crt_import(certificate, &primitives->leaf, GNUTLS_X509_FMT_DER) == 0
        && gnutls_pubkey_import_x509(key, certificate, 0) == 0
        && gnutls_pubkey_export2(key, GNUTLS_X509_FMT_DER, &primitives->key_info) == 0;
    gnutls_pubkey_deinit(key);
    gnutls_x509_crt_deinit(certificate);
    return ok ? 0 : -1;
}

static int load_anchor(struct primitives *primitives, const uint8_t *der, size_t length) {
    gnutls_datum_t datum = {(unsigned char *)der, (unsigned)length};
    if (gnutls_x509_crt_init(&primitives->anchor) != 0) return -1;
    return gnutls_x509_crt_import(primitives->anchor, &datum, GNUTLS_X509_FMT_DER);
}

struct primitives *primitives_create(
    struct primitive_plan plan, const uint8_t *leaf_der, size_t leaf_length, const uint8_t *anchor_der,
    size_t anchor_length) {
    struct primitives *primitives = calloc(1, sizeof *primitives);
    if (primitives == NULL) return NULL;
    primitives->plan = plan;
    primitives->scratch_length = largest(plan);
    primitives->scratch = calloc(1, primitives->scratch_length);
    int ok = sodium_init() >= 0 && primitives->scratch != NULL
        && crypto_sign_keypair(primitives->identity_public, primitives->identity_secret) == 0
        && crypto_scalarmult_base(primitives->peer_ephemeral, primitives->identity_secret + 32) == 0;
    if (ok && plan.has_certificates) {
        ok = load_leaf(primitives, leaf_der, leaf_length) == 0
            && load_anchor(primitives, anchor_der, anchor_length) == 0;
    }
    if (ok) return primitives;
    primitives_free(primitives);
    return NULL;
}

void primitives_free(struct primitives *primitives) {
    if (primitives->anchor != NULL) gnutls_x509_crt_deinit(primitives->anchor);
    gnutls_free(primitives->key_info.data);
    free(primitives->leaf.data);
    free(primitives->scratch);
    free(primitives);
}

static int key_generation(struct primitives *primitives) {
    (void)primitives;
    for (int side = 0; side < 2; side++) {
        uint8_t secret[32], public_key[32];
        randombytes_buf(secret, sizeof secret);
        if (crypto_scalarmult_base(public_key, secret) != 0) return -1;
    }
    return 0;
}

static int agreement(struct primitives *primitives) {
    for (int side = 0; side < 2; side++) {
        uint8_t shared[32];
        if (crypto_scalarmult(shared, primitives->identity_secret, primitives->peer_ephemeral) != 0) return -1;
    }
    return 0;
}

static void hash(const struct primitives *primitives, size_t length) {
    uint8_t digest[32];
    crypto_hash_sha256(digest, primitives->scratch, length);
}

static int hashing(struct primitives *primitives) {
    struct primitive_plan plan = primitives->plan;
    for (int side = 0; side < 2; side++) {
        // MixHash: h ‖ prologue, e, empty payload, e, tag.
        hash(primitives, 32 + plan.prologue_length);
        hash(primitives, 64);
        hash(primitives, 32);
        hash(primitives, 64);
        hash(primitives, 48);
        for (int index = 0; index < HMACS_PER_SIDE; index++) {
            uint8_t tag[32];
            crypto_auth_hmacsha256(tag, primitives->scratch, 32, primitives->scratch);
        }
        // The session's transcript, always; with certificates both chains and the fingerprint of the peer's key.
        hash(primitives, plan.transcript_length);
        if (!plan.has_certificates) continue;
        hash(primitives, plan.chain_length);
        hash(primitives, plan.chain_length);
        hash(primitives, primitives->key_info.size);
    }
    return 0;
}

/* Signed and verified by libsodium: keys of identities, and Ed25519 keys of certificates, whose bytes differ only. */
static int signatures(struct primitives *primitives, size_t length) {
    for (int side = 0; side < 2; side++) {
        uint8_t signature[64];
        crypto_sign_detached(signature, NULL, primitives->scratch, length, primitives->identity_secret);
        if (crypto_sign_verify_detached(
                signature, primitives->scratch, length, primitives->identity_public) != 0) {
            return -1;
        }
    }
    return 0;
}

static int proofs(struct primitives *primitives) { return signatures(primitives, PROOF_MESSAGE); }

static int bindings(struct primitives *primitives) {
    return primitives->plan.has_certificates ? signatures(primitives, BINDING_MESSAGE) : 0;
}

static int path(struct primitives *primitives) {
    gnutls_x509_crt_t leaf = NULL;
    unsigned verdict = ~0u;
    int status = gnutls_x509_crt_init(&leaf);
    if (status == 0) status = gnutls_x509_crt_import(leaf, &primitives->leaf, GNUTLS_X509_FMT_DER);
    if (status == 0) {
        status = gnutls_x509_crt_list_verify(&leaf, 1, &primitives->anchor, 1, NULL, 0, 0, &verdict);
    }
    gnutls_x509_crt_deinit(leaf);
    return status != 0 ? status : verdict == 0 ? 0 : -1;
}

static int paths(struct primitives *primitives) {
    if (!primitives->plan.validates_paths) return 0;
    int status = path(primitives);
    return status != 0 ? status : path(primitives);
}

static int small_records(struct primitives *primitives) {
    struct primitive_plan plan = primitives->plan;
    uint8_t *ad = primitives->scratch, *text = primitives->scratch + 32;
    size_t length = plan.record_length / (plan.record_count == 0 ? 1 : plan.record_count);
    // Each peer: the key that seals the confirmation, and one for each direction.
    for (int index = 0; index < 6; index++) {
        struct raw_aead aead;
        if (raw_aead_open_key(&aead, plan.suite, primitives->identity_secret) != 0) return -1;
        int status = 0;
        if (index == 0) {
            status = raw_aead_seal(&aead, ad, 32, text, 0, text);
            if (status == 0) status = raw_aead_open(&aead, ad, 32, text, 0, text + 16);
        }
        for (size_t record = 0; index == 1 && status == 0 && record < plan.record_count; record++) {
            status = raw_aead_seal(&aead, ad, 3, text, length, text);
            if (status == 0) status = raw_aead_open(&aead, ad, 3, text, length, text);
        }
        raw_aead_close_key(&aead);
        if (status != 0) return -1;
    }
    return 0;
}

int primitives_run_part(struct primitives *primitives, enum primitive_part part, uint64_t count) {
    static int (*const parts[PRIMITIVE_PARTS])(struct primitives *) = {
        key_generation, agreement, hashing, proofs, bindings, paths, small_records,
    };
    if (part < 0 || part >= PRIMITIVE_PARTS) return -1;
    for (uint64_t index = 0; index < count; index++) {
        int status = parts[part](primitives);
        if (status != 0) return status;
    }
    return 0;
}

int primitives_run(struct primitives *primitives, uint64_t count) {
    for (uint64_t index = 0; index < count; index++) {
        for (int part = 0; part < PRIMITIVE_PARTS; part++) {
            int status = primitives_run_part(primitives, (enum primitive_part)part, 1);
            if (status != 0) return status;
        }
    }
    return 0;
}
