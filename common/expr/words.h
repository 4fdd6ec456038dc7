/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h: search words in lists, and among the keywords of programming languages. Any
 * thread. */
#ifndef COMMON_EXPR_WORDS_H
#define COMMON_EXPR_WORDS_H

#include <stddef.h>

enum { CCA_C = 1, CCA_CXX = 2, CCA_PYTHON = 4 };

/* True if `name`, of `length` bytes, occurs in the blank-separated list `words`: "if else
 * while". */
int cca_is_word(const char *words, const char *name, size_t length);
/* True for a keyword of one of the languages in the set `languages`: C11 with asm and
 * typeof, the additional keywords of C++17, Python 3. */
int cca_is_keyword(int languages, const char *name, size_t length);

#endif
