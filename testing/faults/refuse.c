/* Preloaded: lets writes and renames of files below a directory fail as full disks, quotas and file servers let them fail.
   REFUSE_BELOW: the directory, without links. REFUSE_WRITE: error number, ":", bytes that still pass. REFUSE_RENAME: error number. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long passed;

static int is_below(const char *path)
{
    const char *below = getenv("REFUSE_BELOW");
    char here[4096], whole[8192];

    if (!below || !getcwd(here, sizeof here))
        return 0;
    snprintf(whole, sizeof whole, "%s%s%s", *path == '/' ? "" : here, *path == '/' ? "" : "/", path);
    return strncmp(whole, below, strlen(below)) == 0;
}

ssize_t write(int file, const void *bytes, size_t count)
{
    ssize_t (*next)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    const char *rule = getenv("REFUSE_WRITE");
    char link[64], path[4096];
    long left;
    ssize_t length;

    if (!rule)
        return next(file, bytes, count);
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    if (!is_below(path))
        return next(file, bytes, count);
    left = strtol(strchr(rule, ':') + 1, NULL, 10) - passed;
    if (left <= 0) {
        errno = atoi(rule);
        return -1;
    }
    /* The last write that passes is cut, as on a disk that fills up. */
    length = next(file, bytes, count < (size_t)left ? count : (size_t)left);
    if (length > 0)
        passed += length;
    return length;
}

int rename(const char *from, const char *to)
{
    int (*next)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    const char *rule = getenv("REFUSE_RENAME");

    if (!rule || !is_below(to))
        return next(from, to);
    errno = atoi(rule);
    return -1;
}
