/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest_words.h: the meaning of names of arguments, fields and functions. */
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

/* The meaning of a name, with its description in `*why`, such as "a length". Case and
 * underscores at either end do not count. */
enum pg_meaning pg_suggest_meaning(const char *name, const char **why);

/* True if a function, by its name, ends the object that it is given; or sets up the
 * members of that object. */
int pg_suggest_ends(const char *name);
int pg_suggest_begins(const char *name);

#endif
