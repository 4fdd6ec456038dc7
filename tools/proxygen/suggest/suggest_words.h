/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest_words.h: what the name of an argument or a field says of it. */
#ifndef PROXYGEN_SUGGEST_WORDS_H
#define PROXYGEN_SUGGEST_WORDS_H

enum pg_meaning {
    PG_SAYS_NOTHING,
    PG_SAYS_COUNT,     /* how many */
    PG_SAYS_DIMENSION, /* how many in one of several directions: they are multiplied */
    PG_SAYS_LENGTH,    /* how long: of one thing, or of each of many */
    PG_SAYS_STRIDE,    /* how far apart */
    PG_SAYS_MODE,      /* in which of a few ways */
};

/* What it says, and in `*why` the words for it, "a length". Case and underscores at
 * either end do not count. */
enum pg_meaning pg_suggest_meaning(const char *name, const char **why);

/* True where the name of a function says that it ends what it is given, or that it sets
 * the members of what it is given. */
int pg_suggest_ends(const char *name);
int pg_suggest_begins(const char *name);

#endif
