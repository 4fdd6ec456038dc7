/* SPDX-License-Identifier: BSD-3-Clause */
/* fa_driver.c: calls a flux port `count` times, then does what the parameter `act` names:
 * mostly a crash. The environment variables FAULT_IN (create, set_services) and FAULT_ACT
 * do the same while the assembly is built. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/faults/fa_go.h"

struct driver {
    struct fa_go own;
    struct fa_act act; /* the action at the end of the chain */
    const char *what;
    int depth;
};

/* A sanitizer must not report these faults before the processor does. */
#define UNCHECKED __attribute__((no_sanitize("undefined", "address")))

static UNCHECKED void fault_in_memory(void)
{
    *(volatile int *)NULL = 1;
}

static UNCHECKED void divide_by_zero(void)
{
    volatile int some = 7, zero = 0;

    some = some / zero;
}

/* A mapped page beyond the end of its file. */
static UNCHECKED void read_beyond_the_end(void)
{
    FILE *file = tmpfile();
    volatile const char *page;

    if (!file)
        return;
    page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
    (void)page[0];
}

static void no_instruction(void)
{
    __builtin_trap();
}

static void spin(void)
{
    volatile int for_ever = 1;

    while (for_ever)
        continue;
}

static void block(void)
{
    for (;;)
        pause();
}

static volatile sig_atomic_t told;

static void be_told(int number)
{
    told = number;
}

static void save_and_leave(int number)
{
    static const char words[] = "saved\n";

    (void)number;
    if (write(STDOUT_FILENO, words, sizeof words - 1) > 0)
        _exit(0);
}

/* Wait for SIGTERM. (The thread sanitizer delivers signals to a thread that sleeps.) */
static void heed(void)
{
    signal(SIGTERM, be_told);
    while (!told)
        usleep(1000);
}

static void sleep_on(void)
{
    for (;;)
        usleep(1000);
}

/* The handler ends the program. */
static void save(void)
{
    signal(SIGTERM, save_and_leave);
    sleep_on();
}

/* The handler changes nothing. */
static void ignore(void)
{
    signal(SIGTERM, be_told);
    sleep_on();
}

static void leave(void)
{
    exit(9);
}

static void leave_at_once(void)
{
    _exit(10);
}

static void leave_quickly(void)
{
    quick_exit(11);
}

static void nothing(void)
{
}

static void do_it(const char *what)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } acts[] = {{"none", nothing},
                {"segv", fault_in_memory},
                {"fpe", divide_by_zero},
                {"bus", read_beyond_the_end},
                {"ill", no_instruction},
                {"spin", spin},
                {"block", block},
                {"heed", heed},
                {"save", save},
                {"ignore", ignore},
                {"exit", leave},
                {"_exit", leave_at_once},
                {"quick_exit", leave_quickly},
                {"abort", abort}};

    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (strcmp(acts[i].name, what) == 0)
            acts[i].run();
}

static void act(struct fa_act *own)
{
    do_it(cca_container_of(own, struct driver, own.act)->what);
}

static void *call_chain(void *context)
{
    struct driver *driver = context;

    fa_call(driver->own.flux, driver->depth, &driver->own.act);
    return NULL;
}

static void call_in_thread(struct driver *driver)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, call_chain, driver))
        abort();
    pthread_join(thread, NULL);
}

/* Start the faults of a preloaded library, if there is one. */
static void arm_faults(void)
{
    void (*arm)(void);

    *(void **)&arm = dlsym(RTLD_DEFAULT, "fault_arm");
    if (arm)
        arm();
}

static int fa_run(struct fa_go *own)
{
    struct driver *driver = cca_container_of(own, struct driver, own);
    int count = fa_int(own, "count"), calls = 0;
    const char *where = cca_services_param_string(driver->own.services, "where");

    driver->depth = fa_int(own, "depth");
    driver->what = cca_services_param_string(driver->own.services, "act");
    arm_faults();
    for (int i = 0; i < count; i++)
        calls += fa_call(driver->own.flux, driver->depth, NULL) == 0;
    printf("%d calls\n", calls);
    if (strcmp(where, "thread") == 0)
        call_in_thread(driver);
    else if (strcmp(where, "chain") == 0)
        call_chain(driver);
    else
        do_it(driver->what);
    printf("came back\n");
    return 0;
}

static void fault_while_building(const char *where)
{
    const char *in = getenv("FAULT_IN"), *what = getenv("FAULT_ACT");

    if (in && what && strcmp(in, where) == 0)
        do_it(what);
}

static void *create(const struct cca_class *cls, struct cca_error *err)
{
    struct driver *driver = calloc(1, cls->instance_size);

    fault_while_building("create");
    if (driver)
        driver->own.act.act = act;
    else
        cca_error_set(err, -ENOMEM, "out of memory");
    return driver;
}

static int set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    (void)self;
    (void)services;
    (void)err;
    fault_while_building("set_services");
    return 0;
}

FA_CLASS(
    driver, "FaultDriver",
    CCA_PARAMS({.name = "count", .type = CCA_INT, .value = "10", .low = "0"},
               {.name = "depth", .type = CCA_INT, .value = "1", .low = "1"},
               {.name = "act",
                .type = CCA_STRING,
                .value = "none",
                .choices = "none|segv|fpe|bus|ill|spin|block|heed|save|ignore|exit|_exit|"
                           "quick_exit|abort"},
               {.name = "where",
                .type = CCA_STRING,
                .value = "go",
                .choices = "go|chain|thread"}),
    .create = create, .set_services = set_services, .destroy = free);
