#pragma once
#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/strlst.h>
#include <avahi-common/thread-watch.h>
#include <avahi-common/timeval.h>
#include <avahi-core/core.h>
#include <avahi-core/log.h>
#include <avahi-core/lookup.h>
#include <avahi-core/publish.h>
#include <dlfcn.h>

/* Swift sees a union as bytes; this is the 4 or 16 bytes of an address. */
static inline const uint8_t *multipeer_avahi_address_bytes(const AvahiAddress *address) { return address->data.data; }

/* libavahi-client and libavahi-core (0.8) both define avahi_entry_group_free, and each calls its own by name. Linked into one program,
   one of them calls the other's. So each is loaded into a scope of its own. */

/* One function: its place in a table, and finding it in the library. */
#define MULTIPEER_AVAHI_FIELD(name) __typeof__(&name) name;
#define MULTIPEER_AVAHI_FIND(name) \
    if (!(table->name = (__typeof__(&name))dlsym(library, #name))) return 0;

/* What is used of libavahi-client. */
#define MULTIPEER_AVAHI_CLIENT(X) \
    X(avahi_client_errno) \
    X(avahi_client_free) \
    X(avahi_client_get_version_string) \
    X(avahi_client_new) \
    X(avahi_entry_group_add_address) \
    X(avahi_entry_group_add_service_strlst) \
    X(avahi_entry_group_commit) \
    X(avahi_entry_group_free) \
    X(avahi_entry_group_new) \
    X(avahi_entry_group_reset) \
    X(avahi_entry_group_update_service_txt_strlst) \
    X(avahi_service_browser_free) \
    X(avahi_service_browser_new) \
    X(avahi_service_resolver_free) \
    X(avahi_service_resolver_new)

typedef struct {
    MULTIPEER_AVAHI_CLIENT(MULTIPEER_AVAHI_FIELD)
} MultipeerAvahiClient;

/* Returns whether the library is there, with all functions. */
static inline int multipeer_avahi_load_client(MultipeerAvahiClient *table) {
    void *library = dlopen("libavahi-client.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    MULTIPEER_AVAHI_CLIENT(MULTIPEER_AVAHI_FIND)
    return 1;
}

/* What is used of libavahi-core. */
#define MULTIPEER_AVAHI_CORE(X) \
    X(avahi_s_entry_group_commit) \
    X(avahi_s_entry_group_free) \
    X(avahi_s_entry_group_new) \
    X(avahi_s_entry_group_reset) \
    X(avahi_s_service_browser_free) \
    X(avahi_s_service_browser_new) \
    X(avahi_s_service_resolver_free) \
    X(avahi_s_service_resolver_new) \
    X(avahi_server_add_address) \
    X(avahi_server_add_service_strlst) \
    X(avahi_server_config_free) \
    X(avahi_server_config_init) \
    X(avahi_server_errno) \
    X(avahi_server_free) \
    X(avahi_server_new) \
    X(avahi_server_update_service_txt_strlst) \
    X(avahi_set_log_function)

typedef struct {
    MULTIPEER_AVAHI_CORE(MULTIPEER_AVAHI_FIELD)
} MultipeerAvahiCore;

/* Returns whether the library is there, with all functions. */
static inline int multipeer_avahi_load_core(MultipeerAvahiCore *table) {
    void *library = dlopen("libavahi-core.so.7", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    MULTIPEER_AVAHI_CORE(MULTIPEER_AVAHI_FIND)
    return 1;
}

/* The library logs to standard error by itself. */
static inline void multipeer_avahi_ignore(AvahiLogLevel level, const char *text) { (void)level, (void)text; }
static inline void multipeer_avahi_silence(const MultipeerAvahiCore *core) {
    core->avahi_set_log_function(multipeer_avahi_ignore);
}
