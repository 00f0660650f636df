#pragma once
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <gnutls/x509-ext.h>

/* gnutls_free is a mutable global function pointer, which Swift cannot call safely from several threads. */
static inline void multipeer_gnutls_free(void *memory) { gnutls_free(memory); }
