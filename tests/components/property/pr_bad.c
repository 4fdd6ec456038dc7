/* SPDX-License-Identifier: BSD-3-Clause */
/* pr_bad.c: properties that do what none should, a port each. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cca.h"
#include "ports/property_port.h"

/* A right answer of the first run. */
static struct property_answer answer_of(const struct property_data *data)
{
    return (struct property_answer){
        .experiment = data->runs[0], .holds = 1, .severity = .5, .confidence = NAN};
}

static void answer_once(struct property_data *data)
{
    const struct property_answer a = answer_of(data);

    data->answer(data, &a);
}

static int crash(struct property_port *self, struct property_data *data,
                 struct cca_error *err)
{
    (void)self;
    (void)err;
    answer_once(data);
    fprintf(stderr, "about to fall\nsecond line\n");
    raise(SIGSEGV);
    return 0;
}

static int hang(struct property_port *self, struct property_data *data,
                struct cca_error *err)
{
    (void)self;
    (void)data;
    (void)err;
    /* A child of its own holds the pipe open. */
    fork();
    while (pause() < 0)
        ;
    return 0;
}

static int leave(struct property_port *self, struct property_data *data,
                 struct cca_error *err)
{
    (void)self;
    (void)err;
    answer_once(data);
    exit(7);
}

static int flood(struct property_port *self, struct property_data *data,
                 struct cca_error *err)
{
    (void)self;
    (void)err;
    while (data->run_count)
        answer_once(data);
    return 0;
}

static int babble(struct property_port *self, struct property_data *data,
                  struct cca_error *err)
{
    static const char noise[] = "\377\376\375\374 no frame at all, but many bytes";

    (void)self;
    (void)data;
    (void)err;
    for (int fd = 3; fd < 20; fd++)
        if (write(fd, noise, sizeof noise) < 0)
            continue;
    return 0;
}

static int lie_infinite(struct property_port *self, struct property_data *data,
                        struct cca_error *err)
{
    struct property_answer a = answer_of(data);

    (void)self;
    (void)err;
    a.severity = INFINITY;
    data->answer(data, &a);
    return 0;
}

static int lie_stranger(struct property_port *self, struct property_data *data,
                        struct cca_error *err)
{
    struct property_answer a = answer_of(data);

    (void)self;
    (void)err;
    a.region = 987654321;
    data->answer(data, &a);
    return 0;
}

static int eat(struct property_port *self, struct property_data *data,
               struct cca_error *err)
{
    (void)self;
    (void)data;
    for (size_t i = 0; i < 4096; i++) {
        char *memory = malloc(16u << 20);

        if (!memory)
            return cca_no_memory(err);
        memory[i] = 1; /* so that it is not left out */
    }
    return 0;
}

static int write_file(struct property_port *self, struct property_data *data,
                      struct cca_error *err)
{
    int fd = open("pr_bad.written", O_WRONLY | O_CREAT | O_TRUNC, 0600);

    (void)self;
    (void)data;
    if (fd >= 0 && write(fd, "x", 1) == 1)
        return 0;
    return cca_error_set(err, -EIO, "cannot write");
}

static int misread(struct property_port *self, struct property_data *data,
                   struct cca_error *err)
{
    (void)self;
    return data->rows(data, "rs", "exec_tme", err) ? 0 : err->code;
}

static int inject(struct property_port *self, struct property_data *data,
                  struct cca_error *err)
{
    (void)self;
    return data->rows(data, "rs", "exec_time FROM rs; DROP TABLE summary; --", err)
               ? 0
               : err->code;
}

static const char *const *require_nonsense(struct property_port *self)
{
    static const char *const needs[] = {"exec_tme", NULL};

    (void)self;
    return needs;
}

static int describe(struct property_port *self, struct property_about *about,
                    struct cca_error *err);

#define BAD(function)                                                                    \
    {                                                                                    \
        {PROPERTY_PORT_TYPE, sizeof(struct property_port)}, describe, NULL, function     \
    }
static const struct property_port ports[] = {
    BAD(crash),      BAD(hang),         BAD(leave),        BAD(flood),
    BAD(babble),     BAD(lie_infinite), BAD(lie_stranger), BAD(eat),
    BAD(write_file), BAD(misread),      BAD(inject)};
static const struct property_port needy = {
    {PROPERTY_PORT_TYPE, sizeof needy}, describe, require_nonsense, crash};

static int describe(struct property_port *self, struct property_about *about,
                    struct cca_error *err)
{
    static const char *const names[] = {
        "BadCrash",    "BadHang", "BadLeave", "BadFlood",   "BadBabble", "BadInfinite",
        "BadStranger", "BadEat",  "BadWrite", "BadMisread", "BadInject"};

    (void)err;
    about->doc = "does what none should";
    about->object = PROPERTY_OF_REGION;
    about->name = "BadNeeds";
    for (size_t i = 0; i < sizeof ports / sizeof *ports && self->requires_data == NULL;
         i++)
        if (self->evaluate == ports[i].evaluate)
            about->name = names[i];
    return 0;
}

#define AT(i, name)                                                                      \
    {                                                                                    \
        name, (i) * sizeof(struct property_port), &ports[i].base                         \
    }
CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct property_port[12]),
    .name = "test.PrBad",
    .summary = "properties that are no good",
    CCA_IMPLEMENTS(AT(0, "crash"), AT(1, "hang"), AT(2, "leave"), AT(3, "flood"),
                   AT(4, "babble"), AT(5, "infinite"), AT(6, "stranger"), AT(7, "eat"),
                   AT(8, "write"), AT(9, "misread"), AT(10, "inject"),
                   {"needs", 11 * sizeof(struct property_port), &needy.base}),
};
