/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c: search words in lists. */
#include "common/expr/words.h"

#include <string.h>

static const char words_of_c[] =
    "auto break case char const continue default do double else enum extern float for "
    "goto if inline int long register restrict return short signed sizeof static struct "
    "switch typedef union unsigned void volatile while _Alignas _Alignof _Atomic _Bool "
    "_Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local asm typeof";

static const char words_of_cxx[] =
    "alignas alignof and and_eq bitand bitor bool catch class compl const_cast constexpr "
    "decltype delete dynamic_cast explicit export false friend mutable namespace new "
    "noexcept not not_eq nullptr operator or or_eq private protected public "
    "reinterpret_cast static_assert static_cast template this thread_local throw true "
    "try typeid typename using virtual wchar_t xor xor_eq";

static const char words_of_python[] =
    "False None True and as assert async await break class continue def del elif else "
    "except finally for from global if import in is lambda nonlocal not or pass raise "
    "return try while with yield";

int cca_is_word(const char *words, const char *name, size_t length)
{
    while (*words) {
        size_t own = strcspn(words, " ");

        if (own == length && memcmp(words, name, length) == 0)
            return 1;
        words += own + (words[own] == ' ');
    }
    return 0;
}

int cca_is_keyword(int languages, const char *name, size_t length)
{
    return (languages & CCA_C && cca_is_word(words_of_c, name, length)) ||
           (languages & CCA_CXX && cca_is_word(words_of_cxx, name, length)) ||
           (languages & CCA_PYTHON && cca_is_word(words_of_python, name, length));
}
