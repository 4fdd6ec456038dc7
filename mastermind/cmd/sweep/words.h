/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h: build the array of words of a command. */
#ifndef MASTERMIND_CMD_SWEEP_WORDS_H
#define MASTERMIND_CMD_SWEEP_WORDS_H

#include <stddef.h>

struct sweep_words {
    char **items;
    size_t count;
    int failed; /* 1: out of memory */
};

/* Add a word, which is stolen; NULL means out of memory. */
void sweep_words_add(struct sweep_words *words, char *word);
/* Add the words of a launcher, which are separated by blanks: `ranks` replaces %n, or is
 * appended as `-n RANKS` without a %n. NULL: no number. */
void sweep_words_add_launcher(struct sweep_words *words, const char *launcher,
                              const char *ranks);
/* End the words with NULL. Returns a new array; NULL: out of memory, and all words are
 * freed. */
char **sweep_words_end(struct sweep_words *words);
void sweep_words_free(char **words);

#endif
