/* SPDX-License-Identifier: BSD-3-Clause */
/* fa_walker.c: a random application. Each call of its port acts at random, calls further
 * walkers through two uses ports, and mixes results, errno and the state of the process
 * into a number, which go prints. The same seed gives the same number, with or without
 * proxies. The parameter `end` selects the end. */
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "tests/faults/fa_act.h"

/* One walk: of a thread, a child or the main program. */
struct walk {
    uint64_t seed, seen;
    int left; /* calls that may still be made */
    int made; /* calls of ports in this process, without children */
    int can_jump;
    jmp_buf back;
};

struct walker {
    struct flux_port flux;
    struct go_port go;
    struct cca_services *services;
    struct flux_port *next[2];
};

/* For the signal handler. */
static struct walker *volatile signalled;
static struct walk *volatile interrupted;

static void mix(struct walk *walk, uint64_t what)
{
    walk->seen = (walk->seen ^ what) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static struct flux_port *next_of(struct walker *walker, int which)
{
    static const char *const names[] = {"a", "b"};

    if (!walker->next[which])
        walker->next[which] = cca_services_get_port_nonblocking(
            walker->services, names[which], FLUX_PORT_TYPE, sizeof(struct flux_port),
            NULL);
    return walker->next[which];
}

/* The seed of a call determines its errno and result, and the caller knows the seed. */
static void call_next(struct walker *walker, struct walk *walk, int depth)
{
    struct flux_port *next = next_of(walker, fa_random(&walk->seed, 2));
    int64_t iterations = -1;
    int nx = fa_random(&walk->seed, 3) ? fa_random(&walk->seed, 50) : -3, result;

    if (!next || walk->left <= 0)
        return;
    walk->left--;
    walk->made++;
    errno = fa_random(&walk->seed, 90);
    result = next->compute(next, fa_random(&walk->seed, 4) - 1, nx, depth, -1,
                           (const double *)(const void *)walk, NULL, NULL,
                           fa_random(&walk->seed, 4) ? &iterations : NULL, NULL);
    mix(walk, (uint64_t)errno);
    mix(walk, (uint64_t)result);
    mix(walk, (uint64_t)iterations);
}

/* --- Actions of a call ---------------------------------------------------- */

static void use_memory(struct walker *walker, struct walk *walk, int depth)
{
    char *memory = malloc((size_t)fa_random(&walk->seed, 100000) + 1);

    call_next(walker, walk, depth);
    mix(walk, memory != NULL);
    free(memory);
}

static void jump_out(struct walker *walker, struct walk *walk, int depth)
{
    jmp_buf kept;
    int could = walk->can_jump;

    if (walk->can_jump && fa_random(&walk->seed, 3) == 0)
        longjmp(walk->back, 1);
    memcpy(&kept, &walk->back, sizeof kept);
    walk->can_jump = 1;
    if (setjmp(walk->back) == 0)
        call_next(walker, walk, depth);
    else
        mix(walk, 77);
    memcpy(&walk->back, &kept, sizeof kept);
    walk->can_jump = could;
}

struct errand {
    struct walker *walker;
    struct walk walk;
    int depth;
};

static void *walk_in_thread(void *context)
{
    struct errand *errand = context;

    for (int i = 0; i < 5; i++)
        call_next(errand->walker, &errand->walk, errand->depth);
    return NULL;
}

static struct errand errand_of(struct walker *walker, struct walk *walk, int depth)
{
    return (struct errand){
        walker, {.seed = (uint64_t)fa_random(&walk->seed, 1 << 30), .left = 20}, depth};
}

static void start_thread(struct walker *walker, struct walk *walk, int depth)
{
    struct errand errand = errand_of(walker, walk, depth);
    pthread_t thread;

    if (pthread_create(&thread, NULL, walk_in_thread, &errand))
        abort();
    pthread_join(thread, NULL);
    mix(walk, errand.walk.seen);
    walk->made += errand.walk.made;
}

static void fork_child(struct walker *walker, struct walk *walk, int depth)
{
    struct errand errand = errand_of(walker, walk, depth);
    int bare = fa_random(&walk->seed, 2), status = 0;
    pid_t child;

    fflush(NULL);
    child = bare ? _Fork() : fork();
    if (child == 0) {
        walk_in_thread(&errand);
        _exit((int)(errand.walk.seen % 100));
    }
    while (child < 0 || waitpid(child, &status, 0) < 0)
        if (child < 0 || errno != EINTR)
            abort();
    mix(walk, (uint64_t)status);
}

static void on_signal(int number)
{
    int saved = errno;

    mix(interrupted, (uint64_t)number);
    call_next(signalled, interrupted, 1);
    errno = saved;
}

static void take_signal(struct walker *walker, struct walk *walk, int depth)
{
    struct sigaction action = {.sa_handler = on_signal}, before;
    struct walk *outer = interrupted;

    signalled = walker;
    interrupted = walk;
    sigaction(SIGUSR1, &action, &before);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, NULL);
    interrupted = outer;
    call_next(walker, walk, depth);
}

/* The state of the process must be as the application left it. */
static void look_about(struct walker *walker, struct walk *walk, int depth)
{
    sigset_t blocked;
    struct sigaction action;

    fesetround(fa_random(&walk->seed, 2) ? FE_UPWARD : FE_TONEAREST);
    call_next(walker, walk, depth);
    mix(walk, (uint64_t)fegetround());
    fesetround(FE_TONEAREST);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    for (int number = 1; number < 32; number++) {
        mix(walk, (uint64_t)sigismember(&blocked, number));
        sigaction(number, NULL, &action);
        mix(walk, action.sa_handler == SIG_DFL);
    }
    mix(walk, (uint64_t)strlen(setlocale(LC_ALL, NULL)));
}

static int compute(struct flux_port *self, int axis, int nx, int ny, int64_t patch,
                   const double *left, const double *right, double *flux,
                   int64_t *iterations, int64_t *active)
{
    static void (*const acts[])(struct walker *, struct walk *, int) = {
        use_memory, jump_out,  start_thread, fork_child, take_signal, look_about,
        call_next,  call_next, call_next,    call_next,  call_next,   use_memory,
    };
    struct walker *walker = cca_container_of(self, struct walker, flux);
    struct walk *walk = (struct walk *)(uintptr_t)left;
    int result;

    (void)right;
    (void)flux, (void)patch, (void)active;
    mix(walk, (uint64_t)errno);
    mix(walk, (uint64_t)(axis + 3 * nx));
    for (int i = fa_random(&walk->seed, 3); i > 0 && ny > 1; i--)
        acts[(size_t)fa_random(&walk->seed, sizeof acts / sizeof *acts)](walker, walk,
                                                                         ny - 1);
    if (iterations)
        *iterations = fa_random(&walk->seed, 1000);
    result = fa_random(&walk->seed, 7) - 3;
    errno = fa_random(&walk->seed, 90);
    return result;
}

/* --- The end -------------------------------------------------------------- */

static int end(const char *how, int status)
{
    if (strcmp(how, "exit") == 0)
        exit(status);
    if (strcmp(how, "_exit") == 0)
        _exit(status);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(status);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "term") == 0)
        raise(SIGTERM);
    if (strcmp(how, "fail") == 0)
        return -status - 1;
    return 0;
}

static int go(struct go_port *self)
{
    struct walker *walker = cca_container_of(self, struct walker, go);
    struct walk walk = {
        .seed = (uint64_t)cca_services_param_long(walker->services, "seed"),
        .left = (int)cca_services_param_long(walker->services, "calls"),
    };
    const char *how = cca_services_param_string(walker->services, "end");
    int rounds = walk.left, status;

    for (int i = 0; i < rounds && walk.left > 0; i++) {
        call_next(walker, &walk, 5);
        if (i % 64 == 0)
            printf("%d: %016llx\n", i, (unsigned long long)walk.seen);
    }
    status = (int)(walk.seen % 60);
    printf("made %d, seen %016llx\n", walk.made, (unsigned long long)walk.seen);
    return end(how, status);
}

static const struct flux_port flux_port = {{FLUX_PORT_TYPE, sizeof flux_port}, compute};
static const struct go_port go_port = {{GO_PORT_TYPE, sizeof go_port}, go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct walker, services),
    .name = "FaultWalker",
    CCA_IMPLEMENTS({"flux", offsetof(struct walker, flux), &flux_port.base},
                   {"go", offsetof(struct walker, go), &go_port.base}),
    CCA_USES(CCA_PORT("a", FLUX_PORT_TYPE, struct flux_port),
             CCA_PORT("b", FLUX_PORT_TYPE, struct flux_port)),
    CCA_PARAMS({.name = "seed", .type = CCA_LONG, .value = "1"},
               {.name = "calls", .type = CCA_INT, .value = "1000", .low = "0"},
               {.name = "end",
                .type = CCA_STRING,
                .value = "return",
                .choices = "return|fail|exit|_exit|quick_exit|abort|kill|term"}),
};
