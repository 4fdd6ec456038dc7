/* SPDX-License-Identifier: BSD-3-Clause */
/* Adviser: runs a program several times, and asks the Mastermind after each run about the
 * calls so far: the cost of one call as a number, then a whole document. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "ports/query_port.h"

struct adviser {
    struct go_port port;
    struct cca_services *services;
};

/* Print the cost of one call by its model. */
static int print_cost(struct adviser *adviser, struct query_port *query)
{
    const char *of_class = cca_services_param_string(adviser->services, "of_class");
    const char *at = cca_services_param_string(adviser->services, "at");
    struct cca_error err = {0};
    struct query_cost cost;
    int code = query->refresh(query, &err);

    if (!code)
        code = query->cost(query, of_class, NULL, at, &cost, &err);
    if (code)
        return cca_services_fail(adviser->services, code, "%s", err.text);
    printf("a call of %s at %s: %.3g us, 95 %% of calls from %.3g to %.3g us%s\n",
           of_class, at, cost.typical_ns / 1e3, cost.low_ns / 1e3, cost.high_ns / 1e3,
           cost.beyond > 1 ? ", beyond the sizes measured" : "");
    return 0;
}

/* Print the answer to the question of parameter `ask`, "whatif flux.flux.compute=-30%",
 * which is a document as of `mastermind VERB RUN WORDS --json`. */
static int print_answer(struct adviser *adviser, struct query_port *query)
{
    const char *question = cca_services_param_string(adviser->services, "ask");
    const char *words[16];
    struct cca_error err = {0};
    char text[512], *rest = text, *word, *answer;
    size_t count = 0;
    int code;

    snprintf(text, sizeof text, "%s", question);
    while (count < 16 && (word = strsep(&rest, " ")))
        words[count++] = word;
    code = query->ask(query, words[0], words + 1, count - 1, &answer, &err);
    if (code < 0)
        return cca_services_fail(adviser->services, code, "%s", err.text);
    puts(answer);
    free(answer);
    return 0;
}

static int go(struct go_port *self)
{
    struct adviser *adviser = cca_container_of(self, struct adviser, port);
    const int runs = (int)cca_services_param_long(adviser->services, "runs");
    CCA_USE(struct go_port, program, adviser->services, "program");
    CCA_USE(struct query_port, query, adviser->services, "query");
    int code = program && query ? 0 : -ENOTCONN;

    for (int i = 0; i < runs && !code; i++) {
        code = program->go(program);
        if (!code)
            code = print_cost(adviser, query);
    }
    return code ? code : print_answer(adviser, query);
}

static const struct go_port port = {.base = {GO_PORT_TYPE, sizeof port}, .go = go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct adviser, services),
    .name = "Adviser",
    .summary = "runs a program and asks what its calls cost",
    CCA_IMPLEMENTS({"go", offsetof(struct adviser, port), &port.base}),
    CCA_USES(CCA_REQUIRED("program", GO_PORT_TYPE, struct go_port),
             CCA_REQUIRED("query", QUERY_PORT_TYPE, struct query_port)),
    CCA_PARAMS({"runs", CCA_INT, "3", "1", NULL, NULL, NULL, "number of runs", NULL},
               {"of_class", CCA_STRING, "", NULL, NULL, NULL, NULL,
                "class whose calls are asked about", NULL},
               {"at", CCA_STRING, "", NULL, NULL, NULL, NULL,
                "their parameters and modes", NULL},
               {"ask", CCA_STRING, "graph", NULL, NULL, NULL, NULL,
                "question at the end: a verb of mastermind and its words", NULL}),
};
