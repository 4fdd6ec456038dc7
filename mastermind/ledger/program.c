/* SPDX-License-Identifier: BSD-3-Clause */
/* program.c: compute the identity of a program from its wiring without classes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/hash.h"
#include "common/sort.h"
#include "mastermind/ledger/match.h"

struct words {
    char **items;
    size_t count;
};

static int add_word(struct words *words, const char *kind, const char *a, const char *b,
                    const char *c, const char *d, const char *e)
{
    char **word = &words->items[words->count];

    /* Blanks can separate the names, because names of instances and ports contain
     * none. */
    if (asprintf(word, "%s %s %s %s %s %s", kind, a, b, c, d, e) < 0)
        return -ENOMEM;
    words->count++;
    return 0;
}

static const char *type_of(const struct mm_wiring *wiring,
                           const struct mm_connection *connection)
{
    const struct mm_instance *user = mm_wiring_instance(wiring, connection->user);
    const struct mm_wiring_port *port =
        user ? mm_wiring_port_named(user->uses, user->uses_count, connection->uses)
             : NULL;

    return port ? port->type : "";
}

static uint64_t hash_words(const struct words *words)
{
    uint64_t hash = CCA_HASH_START;

    for (size_t i = 0; i < words->count; i++)
        hash = cca_hash_field(hash, words->items[i]);
    return hash;
}

int mm_ledger_program(const struct mm_wiring *wiring, char text[MM_PROGRAM_TEXT])
{
    struct words words = {0};
    int result = 0;

    words.items =
        calloc(wiring->instance_count + wiring->connection_count + wiring->go_count + 1,
               sizeof *words.items);
    if (!words.items)
        return -ENOMEM;
    for (size_t i = 0; i < wiring->instance_count && !result; i++)
        result = add_word(&words, "instance", wiring->instances[i].name, "", "", "", "");
    for (size_t i = 0; i < wiring->connection_count && !result; i++) {
        const struct mm_connection *c = &wiring->connections[i];

        result = add_word(&words, "connect", c->user, c->uses, c->provider, c->provides,
                          type_of(wiring, c));
    }
    for (size_t i = 0; i < wiring->go_count && !result; i++)
        result = add_word(&words, "go", wiring->gos[i].instance, wiring->gos[i].port, "",
                          "", "");
    if (!result) {
        qsort(words.items, words.count, sizeof *words.items, cca_order_text);
        snprintf(text, MM_PROGRAM_TEXT, "%016" PRIx64, hash_words(&words));
    }
    for (size_t i = 0; i < words.count; i++)
        free(words.items[i]);
    free(words.items);
    return result;
}
