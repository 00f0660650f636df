/* Gives a program that is started with this library (LD_PRELOAD) another time: OTHER_TIME seconds later than it is. With OTHER_STEADY_TIME
   the clocks that never go back are that many seconds later as well: timers that the kernel runs by them never fire then. The times of files
   and what the kernel says stay as they are. libfaketime does more, and stops a program with several threads at times. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long seconds(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static long difference(void) { return seconds("OTHER_TIME"); }

int clock_gettime(clockid_t clock, struct timespec *result)
{
    int status = (int)syscall(SYS_clock_gettime, clock, result);
    if (status == 0 && clock == CLOCK_REALTIME) result->tv_sec += difference();
    if (status == 0 && (clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME)) result->tv_sec += seconds("OTHER_STEADY_TIME");
    return status;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone)
{
    int status = (int)syscall(SYS_gettimeofday, result, zone);
    if (status == 0) result->tv_sec += difference();
    return status;
}

time_t time(time_t *result)
{
    struct timeval now;
    if (gettimeofday(&now, NULL) != 0) return (time_t)-1;
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
