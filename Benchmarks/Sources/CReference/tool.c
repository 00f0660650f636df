#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference.h"

extern char **environ;

static const char *suite_option(enum reference_suite suite) {
    return suite == REFERENCE_AES_256_GCM ? "aesgcm" : "chachapoly";
}

/* Starts a program whose standard output is `output`, or nowhere if that is negative. What it says of errors stays visible,
   what it warns of goes to /dev/null with standard error. */
static int start(char *const arguments[], int output, pid_t *child) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (output < 0) {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    } else {
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    }
    int status = posix_spawn(child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return status == 0 ? 0 : -1;
}

/* Returns the exit status, or -1. */
static int finish(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Finds the address in the first event of `multipeer-lab listen --json`. */
static int read_address(FILE *events, char *address, size_t capacity) {
    static const char key[] = "\"address\":\"";
    char line[1024];
    if (fgets(line, sizeof line, events) == NULL) return -1;
    char *start = strstr(line, key);
    if (start == NULL) return -1;
    start += sizeof key - 1;
    size_t length = strcspn(start, "\"");
    if (length == 0 || length >= capacity) return -1;
    memcpy(address, start, length);
    address[length] = 0;
    return 0;
}

static int send_file(const char *tool, const char *suite, const char *source, const char *store, const char *address) {
    char *arguments[] = {
        (char *)tool, "connect", (char *)address, "--json", "--accept-unverified", "--suite", (char *)suite,
        "--store", (char *)store, "--file", (char *)source, NULL};
    pid_t child;
    return start(arguments, -1, &child) == 0 ? finish(child) : -1;
}

int tool_transfer(
    const char *tool, enum reference_suite suite, const char *source, const char *folder, const char *store) {
    const char *option = suite_option(suite);
    char *arguments[] = {
        (char *)tool, "listen", "--port", "0", "--once", "--json", "--accept", "all", "--accept-unverified",
        "--suite", (char *)option, "--store", (char *)store, "--save", (char *)folder, NULL};
    int ends[2];
    pid_t listener;
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    int status = start(arguments, ends[1], &listener);
    close(ends[1]);
    FILE *events = fdopen(ends[0], "r");
    if (status != 0 || events == NULL) return -1;
    char address[128], rest[1024];
    int sent = read_address(events, address, sizeof address);
    if (sent == 0) sent = send_file(tool, option, source, store, address);
    while (fgets(rest, sizeof rest, events) != NULL) continue;
    fclose(events);
    int received = finish(listener);
    return sent == 0 && received == 0 ? 0 : -1;
}
