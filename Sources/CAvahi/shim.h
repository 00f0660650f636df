#pragma once
#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/strlst.h>
#include <avahi-common/thread-watch.h>
#include <avahi-core/core.h>
#include <avahi-core/log.h>
#include <avahi-core/lookup.h>
#include <avahi-core/publish.h>
#include <dlfcn.h>

/* Swift sees a union as bytes; this is the 4 or 16 bytes of an address. */
static inline const uint8_t *multipeer_avahi_address_bytes(const AvahiAddress *address) { return address->data.data; }

/* libavahi-client and libavahi-core (0.8) both define avahi_entry_group_free, and each calls its own by name. Linked into one program,
   one of them calls the other's. So each is loaded into a scope of its own. */

/* What is used of libavahi-client. */
typedef struct {
    __typeof__(&avahi_client_errno) avahi_client_errno;
    __typeof__(&avahi_client_free) avahi_client_free;
    __typeof__(&avahi_client_new) avahi_client_new;
    __typeof__(&avahi_entry_group_add_address) avahi_entry_group_add_address;
    __typeof__(&avahi_entry_group_add_service_strlst) avahi_entry_group_add_service_strlst;
    __typeof__(&avahi_entry_group_commit) avahi_entry_group_commit;
    __typeof__(&avahi_entry_group_free) avahi_entry_group_free;
    __typeof__(&avahi_entry_group_new) avahi_entry_group_new;
    __typeof__(&avahi_entry_group_reset) avahi_entry_group_reset;
    __typeof__(&avahi_entry_group_update_service_txt_strlst) avahi_entry_group_update_service_txt_strlst;
    __typeof__(&avahi_service_browser_free) avahi_service_browser_free;
    __typeof__(&avahi_service_browser_new) avahi_service_browser_new;
    __typeof__(&avahi_service_resolver_free) avahi_service_resolver_free;
    __typeof__(&avahi_service_resolver_new) avahi_service_resolver_new;
} MultipeerAvahiClient;

/* Returns whether the library is there, with all functions. */
static inline int multipeer_avahi_load_client(MultipeerAvahiClient *table) {
    void *library = dlopen("libavahi-client.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    if (!(table->avahi_client_errno = (__typeof__(&avahi_client_errno))dlsym(library, "avahi_client_errno"))) return 0;
    if (!(table->avahi_client_free = (__typeof__(&avahi_client_free))dlsym(library, "avahi_client_free"))) return 0;
    if (!(table->avahi_client_new = (__typeof__(&avahi_client_new))dlsym(library, "avahi_client_new"))) return 0;
    if (!(table->avahi_entry_group_add_address = (__typeof__(&avahi_entry_group_add_address))dlsym(library, "avahi_entry_group_add_address"))) return 0;
    if (!(table->avahi_entry_group_add_service_strlst = (__typeof__(&avahi_entry_group_add_service_strlst))dlsym(library, "avahi_entry_group_add_service_strlst"))) return 0;
    if (!(table->avahi_entry_group_commit = (__typeof__(&avahi_entry_group_commit))dlsym(library, "avahi_entry_group_commit"))) return 0;
    if (!(table->avahi_entry_group_free = (__typeof__(&avahi_entry_group_free))dlsym(library, "avahi_entry_group_free"))) return 0;
    if (!(table->avahi_entry_group_new = (__typeof__(&avahi_entry_group_new))dlsym(library, "avahi_entry_group_new"))) return 0;
    if (!(table->avahi_entry_group_reset = (__typeof__(&avahi_entry_group_reset))dlsym(library, "avahi_entry_group_reset"))) return 0;
    if (!(table->avahi_entry_group_update_service_txt_strlst = (__typeof__(&avahi_entry_group_update_service_txt_strlst))dlsym(library, "avahi_entry_group_update_service_txt_strlst"))) return 0;
    if (!(table->avahi_service_browser_free = (__typeof__(&avahi_service_browser_free))dlsym(library, "avahi_service_browser_free"))) return 0;
    if (!(table->avahi_service_browser_new = (__typeof__(&avahi_service_browser_new))dlsym(library, "avahi_service_browser_new"))) return 0;
    if (!(table->avahi_service_resolver_free = (__typeof__(&avahi_service_resolver_free))dlsym(library, "avahi_service_resolver_free"))) return 0;
    if (!(table->avahi_service_resolver_new = (__typeof__(&avahi_service_resolver_new))dlsym(library, "avahi_service_resolver_new"))) return 0;
    return 1;
}

/* What is used of libavahi-core. */
typedef struct {
    __typeof__(&avahi_s_entry_group_commit) avahi_s_entry_group_commit;
    __typeof__(&avahi_s_entry_group_free) avahi_s_entry_group_free;
    __typeof__(&avahi_s_entry_group_new) avahi_s_entry_group_new;
    __typeof__(&avahi_s_entry_group_reset) avahi_s_entry_group_reset;
    __typeof__(&avahi_s_service_browser_free) avahi_s_service_browser_free;
    __typeof__(&avahi_s_service_browser_new) avahi_s_service_browser_new;
    __typeof__(&avahi_s_service_resolver_free) avahi_s_service_resolver_free;
    __typeof__(&avahi_s_service_resolver_new) avahi_s_service_resolver_new;
    __typeof__(&avahi_server_add_address) avahi_server_add_address;
    __typeof__(&avahi_server_add_service_strlst) avahi_server_add_service_strlst;
    __typeof__(&avahi_server_config_free) avahi_server_config_free;
    __typeof__(&avahi_server_config_init) avahi_server_config_init;
    __typeof__(&avahi_server_errno) avahi_server_errno;
    __typeof__(&avahi_server_free) avahi_server_free;
    __typeof__(&avahi_server_new) avahi_server_new;
    __typeof__(&avahi_server_update_service_txt_strlst) avahi_server_update_service_txt_strlst;
    __typeof__(&avahi_set_log_function) avahi_set_log_function;
} MultipeerAvahiCore;

/* Returns whether the library is there, with all functions. */
static inline int multipeer_avahi_load_core(MultipeerAvahiCore *table) {
    void *library = dlopen("libavahi-core.so.7", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    if (!(table->avahi_s_entry_group_commit = (__typeof__(&avahi_s_entry_group_commit))dlsym(library, "avahi_s_entry_group_commit"))) return 0;
    if (!(table->avahi_s_entry_group_free = (__typeof__(&avahi_s_entry_group_free))dlsym(library, "avahi_s_entry_group_free"))) return 0;
    if (!(table->avahi_s_entry_group_new = (__typeof__(&avahi_s_entry_group_new))dlsym(library, "avahi_s_entry_group_new"))) return 0;
    if (!(table->avahi_s_entry_group_reset = (__typeof__(&avahi_s_entry_group_reset))dlsym(library, "avahi_s_entry_group_reset"))) return 0;
    if (!(table->avahi_s_service_browser_free = (__typeof__(&avahi_s_service_browser_free))dlsym(library, "avahi_s_service_browser_free"))) return 0;
    if (!(table->avahi_s_service_browser_new = (__typeof__(&avahi_s_service_browser_new))dlsym(library, "avahi_s_service_browser_new"))) return 0;
    if (!(table->avahi_s_service_resolver_free = (__typeof__(&avahi_s_service_resolver_free))dlsym(library, "avahi_s_service_resolver_free"))) return 0;
    if (!(table->avahi_s_service_resolver_new = (__typeof__(&avahi_s_service_resolver_new))dlsym(library, "avahi_s_service_resolver_new"))) return 0;
    if (!(table->avahi_server_add_address = (__typeof__(&avahi_server_add_address))dlsym(library, "avahi_server_add_address"))) return 0;
    if (!(table->avahi_server_add_service_strlst = (__typeof__(&avahi_server_add_service_strlst))dlsym(library, "avahi_server_add_service_strlst"))) return 0;
    if (!(table->avahi_server_config_free = (__typeof__(&avahi_server_config_free))dlsym(library, "avahi_server_config_free"))) return 0;
    if (!(table->avahi_server_config_init = (__typeof__(&avahi_server_config_init))dlsym(library, "avahi_server_config_init"))) return 0;
    if (!(table->avahi_server_errno = (__typeof__(&avahi_server_errno))dlsym(library, "avahi_server_errno"))) return 0;
    if (!(table->avahi_server_free = (__typeof__(&avahi_server_free))dlsym(library, "avahi_server_free"))) return 0;
    if (!(table->avahi_server_new = (__typeof__(&avahi_server_new))dlsym(library, "avahi_server_new"))) return 0;
    if (!(table->avahi_server_update_service_txt_strlst = (__typeof__(&avahi_server_update_service_txt_strlst))dlsym(library, "avahi_server_update_service_txt_strlst"))) return 0;
    if (!(table->avahi_set_log_function = (__typeof__(&avahi_set_log_function))dlsym(library, "avahi_set_log_function"))) return 0;
    return 1;
}

/* The library logs to standard error by itself. */
static inline void multipeer_avahi_ignore(AvahiLogLevel level, const char *text) { (void)level, (void)text; }
static inline void multipeer_avahi_silence(const MultipeerAvahiCore *core) {
    core->avahi_set_log_function(multipeer_avahi_ignore);
}
