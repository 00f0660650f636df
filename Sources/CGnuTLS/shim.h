#pragma once
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <gnutls/x509-ext.h>

/* gnutls_free is a mutable global function pointer, which Swift cannot call safely from several threads. */
static inline void multipeer_gnutls_free(void *memory) { gnutls_free(memory); }

/* Whether the processor has instructions for AES and for carry-less multiplication. GnuTLS uses them for AES-GCM. */
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
static inline int multipeer_has_aes_instructions(void) {
    unsigned int a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 25)) && (c & (1u << 1));
}
#elif defined(__aarch64__)
#include <sys/auxv.h>
static inline int multipeer_has_aes_instructions(void) {
    unsigned long capabilities = getauxval(AT_HWCAP);
    return (capabilities & (1ul << 3)) && (capabilities & (1ul << 4));
}
#else
static inline int multipeer_has_aes_instructions(void) { return 0; }
#endif
