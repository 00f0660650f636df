#include "reference.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "aead.h"

enum { TAG = 16, HEADER = 3 };

int raw_aead_open_key(struct raw_aead *aead, enum reference_suite suite, const uint8_t key[32]) {
    aead->suite = suite;
    aead->counter = 0;
    aead->handle = NULL;
    memcpy(aead->key, key, sizeof aead->key);
    if (sodium_init() < 0) return -1;
    if (suite != REFERENCE_AES_256_GCM) return 0;
    gnutls_datum_t datum = {aead->key, sizeof aead->key};
    return gnutls_aead_cipher_init(&aead->handle, GNUTLS_CIPHER_AES_256_GCM, &datum);
}

void raw_aead_close_key(struct raw_aead *aead) {
    if (aead->handle != NULL) gnutls_aead_cipher_deinit(aead->handle);
}

struct raw_aead *raw_aead_create(enum reference_suite suite, const uint8_t key[32]) {
    struct raw_aead *aead = malloc(sizeof *aead);
    if (aead == NULL) return NULL;
    if (raw_aead_open_key(aead, suite, key) == 0) return aead;
    free(aead);
    return NULL;
}

void raw_aead_free(struct raw_aead *aead) {
    raw_aead_close_key(aead);
    free(aead);
}

static void make_nonce(const struct raw_aead *aead, uint8_t nonce[12]) {
    memset(nonce, 0, 12);
    memcpy(nonce + 4, &aead->counter, sizeof aead->counter);
}

int raw_aead_seal(
    struct raw_aead *aead, const uint8_t *ad, size_t ad_length, const uint8_t *text, size_t length, uint8_t *sealed) {
    uint8_t nonce[12];
    make_nonce(aead, nonce);
    if (aead->suite == REFERENCE_CHACHA20_POLY1305) {
        return crypto_aead_chacha20poly1305_ietf_encrypt_detached(
            sealed, sealed + length, NULL, text, length, ad, ad_length, NULL, nonce, aead->key);
    }
    size_t sealed_length = length + TAG;
    return gnutls_aead_cipher_encrypt(
        aead->handle, nonce, sizeof nonce, ad, ad_length, TAG, text, length, sealed, &sealed_length);
}

int raw_aead_open(
    struct raw_aead *aead, const uint8_t *ad, size_t ad_length, const uint8_t *sealed, size_t length, uint8_t *text) {
    uint8_t nonce[12];
    make_nonce(aead, nonce);
    if (aead->suite == REFERENCE_CHACHA20_POLY1305) {
        return crypto_aead_chacha20poly1305_ietf_decrypt_detached(
            text, NULL, sealed, length, sealed + length, ad, ad_length, nonce, aead->key);
    }
    size_t text_length = length;
    return gnutls_aead_cipher_decrypt(
        aead->handle, nonce, sizeof nonce, ad, ad_length, TAG, sealed, length + TAG, text, &text_length);
}

int raw_aead_in_place(struct raw_aead *aead, uint8_t *wire, size_t length, uint8_t *plain, uint64_t count) {
    return raw_aead_across(aead, wire + HEADER, wire, length, plain, count);
}

int raw_aead_across(
    struct raw_aead *aead, const uint8_t *source, uint8_t *wire, size_t length, uint8_t *plain, uint64_t count) {
    for (uint64_t index = 0; index < count; index++) {
        int status = raw_aead_seal(aead, wire, HEADER, source, length, wire + HEADER);
        if (status != 0) return status < 0 ? status : -1;
        status = raw_aead_open(aead, wire, HEADER, wire + HEADER, length, plain);
        if (status != 0) return status < 0 ? status : -1;
        aead->counter += 1;
    }
    return 0;
}

const char *reference_sodium_version(void) { return sodium_version_string(); }

const char *reference_gnutls_version(void) { return gnutls_check_version(NULL); }
