/* SPDX-License-Identifier: BSD-3-Clause */
/* me_asker.c: a Go port that lets a program run, and asks the Mastermind the questions of
 * a file, a line each, after it or while it runs. Answers go to answer-1.json and so on.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "ports/query_port.h"

struct asker {
    struct go_port go;
    struct cca_services *services;
    struct go_port *program;
    int code;
};

static void *run_program(void *context)
{
    struct asker *asker = context;

    asker->code = asker->program->go(asker->program);
    return NULL;
}

/* Ask for a cost, "cost CLASS METHOD AT". */
static int ask_cost(struct query_port *query, char *const *words, FILE *out,
                    struct cca_error *err)
{
    struct query_cost cost;
    int code = query->cost(query, words[1], strcmp(words[2], "-") ? words[2] : NULL,
                           words[3], &cost, err);

    if (!code)
        fprintf(out, "[%.12g, %.12g, %.12g, %.12g, %.12g]\n", cost.typical_ns,
                cost.mean_ns, cost.low_ns, cost.high_ns, cost.beyond);
    return code;
}

static void ask(struct query_port *query, char *line, int number)
{
    char *words[32], *answer = NULL, path[32];
    struct cca_error err = {0};
    size_t count = 0;
    FILE *out;
    int code;

    line[strcspn(line, "\n")] = '\0';
    while (count < 31 && (words[count] = strsep(&line, " ")))
        count++;
    words[count] = (char *)"";
    snprintf(path, sizeof path, "answer-%d.json", number);
    out = fopen(path, "w");
    if (!out)
        abort();
    if (!strcmp(words[0], "refresh"))
        code = query->refresh(query, &err);
    else if (!strcmp(words[0], "cost"))
        code = ask_cost(query, words, out, &err);
    else
        code = query->ask(query, words[0], (const char *const *)words + 1, count - 1,
                          &answer, &err);
    if (answer)
        fprintf(out, "%s\n", answer);
    free(answer);
    fclose(out);
    printf("%d: %d %s\n", number, code, err.text);
    fflush(stdout);
}

static int go(struct go_port *self)
{
    struct asker *asker = cca_container_of(self, struct asker, go);
    const char *command = cca_services_param_string(asker->services, "command");
    const int64_t rounds = cca_services_param_long(asker->services, "rounds");
    CCA_USE(struct query_port, query, asker->services, "query");
    CCA_USE_OPTIONAL(struct go_port, program, asker->services, "program");
    FILE *in = fopen(cca_services_param_string(asker->services, "questions"), "r");
    char line[512];
    pthread_t thread;
    int beside = cca_services_param_bool(asker->services, "beside"), number = 0;

    if (!query || !in)
        return -ENOTCONN;
    asker->program = program;
    if (program && beside && pthread_create(&thread, NULL, run_program, asker))
        abort();
    if (program && !beside)
        run_program(asker);
    if (*command && system(command))
        asker->code = -EIO;
    for (int64_t i = 0; i < rounds; i++) {
        rewind(in);
        while (fgets(line, sizeof line, in))
            ask(query, line, ++number);
    }
    if (program && beside)
        pthread_join(thread, NULL);
    fclose(in);
    return asker->code;
}

static const struct go_port port = {{GO_PORT_TYPE, sizeof port}, go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct asker, services),
    .name = "Asker",
    CCA_IMPLEMENTS({"go", offsetof(struct asker, go), &port.base}),
    CCA_USES(CCA_PORT("program", GO_PORT_TYPE, struct go_port),
             CCA_REQUIRED("query", QUERY_PORT_TYPE, struct query_port)),
    CCA_PARAMS({.name = "questions", .type = CCA_STRING, .value = "questions"},
               {.name = "command", .type = CCA_STRING, .value = ""},
               {.name = "rounds", .type = CCA_INT, .value = "1"},
               {.name = "beside", .type = CCA_BOOL, .value = "false"}),
};
