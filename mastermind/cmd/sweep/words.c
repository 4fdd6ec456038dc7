/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c: build the array of words of a command. */
#include "mastermind/cmd/sweep/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void sweep_words_add(struct sweep_words *words, char *word)
{
    char **item = cca_array_add(&words->items, &words->count, sizeof *item);

    words->failed |= !item || !word;
    if (item)
        *item = word;
    else
        free(word);
}

void sweep_words_add_launcher(struct sweep_words *words, const char *launcher,
                              const char *ranks)
{
    for (const char *at = launcher; *at;) {
        size_t length = strcspn(at, " \t");
        const char *mark = memmem(at, length, "%n", 2);
        char *word = NULL;

        if (length && mark) {
            if (asprintf(&word, "%.*s%s%.*s", (int)(mark - at), at, ranks ? ranks : "",
                         (int)(at + length - mark - 2), mark + 2) < 0)
                word = NULL;
            sweep_words_add(words, word);
        } else if (length) {
            sweep_words_add(words, strndup(at, length));
        }
        at += length;
        at += strspn(at, " \t");
    }
    if (ranks && !strstr(launcher, "%n")) {
        sweep_words_add(words, strdup("-n"));
        sweep_words_add(words, strdup(ranks));
    }
}

char **sweep_words_end(struct sweep_words *words)
{
    char **end = cca_array_add(&words->items, &words->count, sizeof *end);

    if (!words->failed && end)
        return words->items;
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    return NULL;
}

void sweep_words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}
