/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h: the words of a command, as they are put together. */
#ifndef MASTERMIND_CMD_SWEEP_WORDS_H
#define MASTERMIND_CMD_SWEEP_WORDS_H

#include <stddef.h>

struct sweep_words {
    char **items;
    size_t count;
    int failed; /* out of memory */
};

/* Add a word, which is stolen; NULL: out of memory. */
void sweep_words_add(struct sweep_words *words, char *word);
/* Add the words of a launcher, which blanks separate: with the number of ranks for %n, or
 * else behind them as `-n RANKS`. `ranks` NULL: none. */
void sweep_words_add_launcher(struct sweep_words *words, const char *launcher,
                              const char *ranks);
/* End the words with NULL. New array of them; NULL: out of memory, all are freed. */
char **sweep_words_end(struct sweep_words *words);
void sweep_words_free(char **words);

#endif
