/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest_words.h: guess the meaning of names of arguments, fields and functions. */
#ifndef PROXYGEN_SUGGEST_WORDS_H
#define PROXYGEN_SUGGEST_WORDS_H

enum pg_meaning {
    PG_SAYS_NOTHING,
    PG_SAYS_COUNT,     /* a number of items */
    PG_SAYS_DIMENSION, /* a number of items in one of several directions, to be
                        * multiplied */
    PG_SAYS_LENGTH,    /* the size of one item, or of each of many */
    PG_SAYS_STRIDE,    /* a distance between items */
    PG_SAYS_MODE,      /* a choice between a few behaviours of the function (mode) */
};

/* The meaning of a name, with its description in `*why`, such as "a length". Case and
 * underscores at both ends are ignored. */
enum pg_meaning pg_suggest_meaning(const char *name, const char **why);

/* True if the name of a function shows that it ends its object; or that it initialises
 * its object's members. */
int pg_suggest_ends(const char *name);
int pg_suggest_begins(const char *name);

#endif
