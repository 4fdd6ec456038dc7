/* SPDX-License-Identifier: BSD-3-Clause */
/* child.c: a child process with limits, and a pipe from it. */
#include "properties/plugin/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

enum { END = 0, SAID = 160, HEAD = 8 };

/* --- In the child
 * ------------------------------------------------------------------------ */

static int flush(struct mm_frames *f)
{
    size_t done = 0;

    while (done < f->used && !f->failed) {
        ssize_t n = write(f->fd, f->buffer + done, f->used - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            f->failed = 1;
    }
    f->used = 0;
    return f->failed ? -EPIPE : 0;
}

int mm_frame_put(struct mm_frames *f, uint32_t kind, const void *body, size_t size)
{
    uint32_t head[2] = {kind, (uint32_t)size};

    if (size > MM_FRAME_MOST)
        return -EMSGSIZE;
    if (f->used + HEAD + size > sizeof f->buffer && flush(f))
        return -EPIPE;
    memcpy(f->buffer + f->used, head, HEAD);
    memcpy(f->buffer + f->used + HEAD, body, size);
    f->used += HEAD + size;
    return f->failed ? -EPIPE : 0;
}

static void limit(int resource, rlim_t most)
{
    struct rlimit now;

    if (getrlimit(resource, &now) == 0 &&
        (now.rlim_max == RLIM_INFINITY || now.rlim_max > most))
        setrlimit(resource, &(struct rlimit){most, most});
}

static void set_limits(double seconds)
{
    /* sanitizers reserve terabytes of address space */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    /* memory that the child may use in addition to its present size, bytes */
    const rlim_t most = (rlim_t)1 << 30;
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long pages;

    if (file && fscanf(file, "%lu", &pages) == 1)
        limit(RLIMIT_AS, pages * (rlim_t)sysconf(_SC_PAGESIZE) + most);
    if (file)
        fclose(file);
#endif
    limit(RLIMIT_CPU, (rlim_t)ceil(seconds) + 1);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
}

/* Make the pipe of frames descriptor 3; close all others. */
static int arrange_files(int frames, int said)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    /* first move both descriptors out of the range 0 to 3 */
    int high = fcntl(frames, F_DUPFD, 10);

    if (nothing < 0 || high < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 ||
        dup2(said, 2) < 0 || dup2(high, 3) < 0)
        return -1;
    return close_range(4, ~0u, 0);
}

static _Noreturn void be_child(const struct mm_child *child, pid_t parent, int frames,
                               int said)
{
    static const int usual[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT,
                                SIGTERM, SIGINT, SIGALRM, SIGUSR1, SIGUSR2};
    static struct mm_frames out = {.fd = 3};
    struct cca_error err = {0};
    char body[4 + sizeof err.text];
    int32_t code;

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        signal(usual[i], SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || arrange_files(frames, said))
        _exit(111);
    set_limits(child->seconds);
    code = child->work(child->context, &out, &err);
    memcpy(body, &code, 4);
    memcpy(body + 4, err.text, strlen(err.text));
    mm_frame_put(&out, END, body, 4 + strlen(err.text));
    flush(&out);
    _exit(0);
}

/* --- In the parent
 * ----------------------------------------------------------------------- */

/* Copy text of a component without control characters. */
static void put_clean(char *to, size_t size, const char *text, size_t most)
{
    size_t n = 0;

    for (; text[n] && n < most && n + 1 < size; n++)
        to[n] = (unsigned char)text[n] < ' ' || text[n] == 0x7f ? '?' : text[n];
    to[n] = '\0';
}

struct hearing {
    const struct mm_child *child;
    int frames, words; /* read ends of pipes; -1: closed */
    double until;
    size_t used, said;
    int ended; /* 1: the child reported its regular end */
    char *fault;
    size_t fault_size;
    char buffer[HEAD + MM_FRAME_MOST + 1 + 65536], text[SAID + 1];
};

static void put_failure(struct hearing *h, const char *why)
{
    char text[320];

    put_clean(text, sizeof text, why, sizeof text);
    snprintf(h->fault, h->fault_size, "failed: %s", text);
}

static int take_end(struct hearing *h, const char *body, size_t size)
{
    int32_t code;

    if (size < 4) {
        snprintf(h->fault, h->fault_size, "wrote an invalid answer");
        return 1;
    }
    memcpy(&code, body, 4);
    h->ended = 1;
    if (!code)
        return 0;
    if (size > 4)
        put_failure(h, body + 4);
    else
        snprintf(h->fault, h->fault_size, "failed with %d (%s)", code,
                 code < 0 && code > -4096 ? strerror(-code) : "a number of its own");
    return 1;
}

/* Process the frames that are complete. Returns not 0 if the caller must stop; `fault`
 * has the reason. */
static int take_frames(struct hearing *h)
{
    size_t at = 0;
    int bad = 0;

    while (!bad && !h->ended && h->used - at >= HEAD) {
        uint32_t head[2];
        char *body = h->buffer + at + HEAD, kept;

        memcpy(head, h->buffer + at, HEAD);
        if (head[1] > MM_FRAME_MOST) {
            snprintf(h->fault, h->fault_size, "wrote an invalid answer");
            return 1;
        }
        if (h->used - at - HEAD < head[1])
            break;
        kept = body[head[1]];
        body[head[1]] = '\0';
        bad = head[0] == END ? take_end(h, body, head[1])
                             : h->child->take(h->child->context, head[0], body, head[1],
                                              h->fault, h->fault_size);
        body[head[1]] = kept;
        at += HEAD + head[1];
    }
    memmove(h->buffer, h->buffer + at, h->used - at);
    h->used -= at;
    return bad;
}

static int read_frames(struct hearing *h)
{
    ssize_t n = read(h->frames, h->buffer + h->used, sizeof h->buffer - 1 - h->used);

    if (n < 0)
        return errno == EINTR ? 0 : 1;
    if (n == 0)
        h->frames = -1;
    h->used += (size_t)n;
    return n ? take_frames(h) : 0;
}

/* Keep the beginning of the child's output. */
static void read_words(struct hearing *h)
{
    char more[4096];
    ssize_t n = read(h->words, more, sizeof more);

    if (n <= 0) {
        if (n == 0 || errno != EINTR)
            h->words = -1; /* the pipe has ended, or is empty and the child has gone */
        return;
    }
    for (ssize_t i = 0; i < n && h->said < SAID; i++)
        h->text[h->said++] = more[i];
}

/* Read until the child has ended. Returns not 0 if the child must be killed; `fault` has
 * the reason. */
static int hear(struct hearing *h)
{
    int bad = 0;

    while (!bad && !h->ended && h->frames >= 0) {
        struct pollfd files[] = {{h->frames, POLLIN, 0}, {h->words, POLLIN, 0}};
        double left = h->until - cca_clock_s(CLOCK_MONOTONIC);

        if (left <= 0) {
            snprintf(h->fault, h->fault_size, "took longer than %.3g s",
                     h->child->seconds);
            return 1;
        }
        if (poll(files, 2, left > 1000 ? 1000000 : (int)ceil(1000 * left)) <= 0)
            continue;
        if (files[1].revents)
            read_words(h);
        if (files[0].revents)
            bad = read_frames(h);
    }
    return bad;
}

/* Set the message for a process that died without reporting its end. */
static void tell_death(int status, char *fault, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(fault, size, "died of signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(fault, size, "ended the process, with exit status %d",
                 WEXITSTATUS(status));
}

/* Add the first line of the child's output to the message, for the component's author. */
static void add_words(const struct hearing *h)
{
    size_t used = strlen(h->fault), length = strcspn(h->text, "\n");
    char line[SAID + 1];

    put_clean(line, sizeof line, h->text, length);
    if (length)
        snprintf(h->fault + used, h->fault_size - used, "; its output: '%s'", line);
}

/* A child that closed the pipe without a report is about to end; if it does not, kill
 * it. */
static void wait_for(pid_t pid, const struct hearing *h)
{
    int status, ended;

    while ((ended = waitpid(pid, &status, WNOHANG)) == 0 &&
           cca_clock_s(CLOCK_MONOTONIC) < h->until)
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    if (ended > 0)
        tell_death(status, h->fault, h->fault_size);
    else
        snprintf(h->fault, h->fault_size, "took longer than %.3g s", h->child->seconds);
}

static int watch(const struct mm_child *child, pid_t pid, int frames, int said,
                 char *fault, size_t fault_size)
{
    struct hearing *h = calloc(1, sizeof *h);
    int bad;

    if (h)
        *h = (struct hearing){.child = child,
                              .frames = frames,
                              .words = said,
                              .until = cca_clock_s(CLOCK_MONOTONIC) + child->seconds,
                              .fault = fault,
                              .fault_size = fault_size};
    bad = h ? hear(h) : -ENOMEM;
    if (!bad && !h->ended) {
        wait_for(pid, h);
        bad = 1;
    }
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (bad > 0) {
        while (h->words >= 0 && h->said < SAID)
            read_words(h);
        add_words(h);
    }
    free(h);
    return bad;
}

static void close_both(int ends[2])
{
    if (ends[0] >= 0)
        close(ends[0]);
    if (ends[1] >= 0)
        close(ends[1]);
}

int mm_child_run(const struct mm_child *child, char *fault, size_t fault_size,
                 struct cca_error *err)
{
    int frames[2] = {-1, -1}, said[2] = {-1, -1}, result;
    pid_t pid, parent = getpid();

    *fault = '\0';
    if (pipe2(frames, O_CLOEXEC) || pipe2(said, O_CLOEXEC) ||
        fcntl(said[0], F_SETFL, O_NONBLOCK)) {
        result = cca_error_set(err, -errno, "pipe: %s", strerror(errno));
        close_both(frames);
        close_both(said);
        return result;
    }
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        be_child(child, parent, frames[1], said[1]);
    if (pid < 0) {
        result = cca_error_set(err, -errno, "fork: %s", strerror(errno));
    } else {
        setpgid(pid, pid);
        close(frames[1]);
        close(said[1]);
        frames[1] = said[1] = -1;
        result = watch(child, pid, frames[0], said[0], fault, fault_size);
        if (result < 0)
            cca_no_memory(err);
    }
    close_both(frames);
    close_both(said);
    return result;
}
