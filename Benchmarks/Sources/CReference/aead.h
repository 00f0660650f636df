#pragma once
#include <gnutls/crypto.h>

#include "reference.h"

/* One direction's key and counter. */
struct raw_aead {
    enum reference_suite suite;
    uint64_t counter;
    gnutls_aead_cipher_hd_t handle;
    uint8_t key[32];
};

int raw_aead_open_key(struct raw_aead *aead, enum reference_suite suite, const uint8_t key[32]);
void raw_aead_close_key(struct raw_aead *aead);

/* `sealed` has length + 16 bytes and may be `text`. */
int raw_aead_seal(
    struct raw_aead *aead, const uint8_t *ad, size_t ad_length, const uint8_t *text, size_t length, uint8_t *sealed);
int raw_aead_open(
    struct raw_aead *aead, const uint8_t *ad, size_t ad_length, const uint8_t *sealed, size_t length, uint8_t *text);
