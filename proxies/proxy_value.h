/* SPDX-License-Identifier: BSD-3-Clause */
/* proxy_value.h: operations in the expressions of marks: arithmetic without overflow or
 * division by zero (integers saturate, and x / 0 is 0), strings, and bounds. */
#ifndef PROXIES_PROXY_VALUE_H
#define PROXIES_PROXY_VALUE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline int64_t proxy_add(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static inline int64_t proxy_sub(int64_t a, int64_t b)
{
    int64_t difference;

    return __builtin_sub_overflow(a, b, &difference) ? (a < 0 ? INT64_MIN : INT64_MAX)
                                                     : difference;
}

static inline int64_t proxy_mul(int64_t a, int64_t b)
{
    int64_t product;

    return __builtin_mul_overflow(a, b, &product)
               ? ((a < 0) != (b < 0) ? INT64_MIN : INT64_MAX)
               : product;
}

static inline int64_t proxy_div(int64_t a, int64_t b)
{
    return b == 0 ? 0 : b == -1 ? proxy_sub(0, a) : a / b;
}

static inline int64_t proxy_mod(int64_t a, int64_t b)
{
    return b == 0 || b == -1 ? 0 : a % b;
}

/* a * 2^b */
static inline int64_t proxy_shl(int64_t a, int64_t b)
{
    if (a == 0 || b < 0)
        return 0;
    return b < 63 ? proxy_mul(a, INT64_C(1) << b) : a < 0 ? INT64_MIN : INT64_MAX;
}

/* Return a / 2^b, rounded down. */
static inline int64_t proxy_shr(int64_t a, int64_t b)
{
    return b < 0 ? 0 : a >> (b < 63 ? b : 63);
}

static inline int64_t proxy_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t proxy_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline double proxy_least(double a, double b)
{
    return a < b ? a : b;
}

static inline double proxy_most(double a, double b)
{
    return a > b ? a : b;
}

/* Comparisons as functions, to avoid compiler warnings about comparisons that are always
 * true or false. */
#define PROXY_COMPARISON(name, operator)                                                 \
    static inline int64_t proxy_##name(int64_t a, int64_t b)                             \
    {                                                                                    \
        return a operator b;                                                             \
    }                                                                                    \
    static inline int64_t proxy_##name##_real(double a, double b)                        \
    {                                                                                    \
        return a operator b;                                                             \
    }
PROXY_COMPARISON(lt, <)
PROXY_COMPARISON(gt, >)
PROXY_COMPARISON(le, <=)
PROXY_COMPARISON(ge, >=)
PROXY_COMPARISON(eq, ==)
PROXY_COMPARISON(ne, !=)
#undef PROXY_COMPARISON

static inline int64_t proxy_upper(int64_t c)
{
    return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

/* Replace INT64_MIN, which represents an absent value (MONITOR_ABSENT), by its neighbour,
 * which is the same as a double. */
static inline int64_t proxy_present(int64_t a)
{
    return a == INT64_MIN ? INT64_MIN + 1 : a;
}

/* True for a valid index of an array of `count` elements; `count` 0: unlimited. */
static inline int proxy_within(int64_t index, int64_t count)
{
    return index >= 0 && (count == 0 || index < count);
}

/* Set `*gone` for an expression that cannot be evaluated. Returns 0 as its value. */
static inline int64_t proxy_missing(int *gone)
{
    *gone = 1;
    return 0;
}

/* C library functions called here may be interposed; in interposition libraries, which
 * define PROXY_BUSY, such calls are not recorded as calls of the program. */
#ifdef PROXY_BUSY
#define PROXY_OWN(call)                                                                  \
    __extension__({                                                                      \
        const int proxy_busy = PROXY_BUSY;                                               \
        PROXY_BUSY = 1;                                                                  \
        __asm__ volatile("" ::                                                           \
                             : "memory"); /* the barrier keeps the call in its place:    \
                                             compilers know strlen and would move it */  \
        const __typeof__(call) proxy_own = (call);                                       \
        __asm__ volatile("" ::: "memory");                                               \
        PROXY_BUSY = proxy_busy;                                                         \
        proxy_own;                                                                       \
    })
#else
#define PROXY_OWN(call) (call)
#endif

/* Return the length of a string of at most `most` bytes. */
static inline int64_t proxy_strlen(const void *text, int64_t most)
{
    if (!text || most <= 0)
        return 0;
    return (int64_t)PROXY_OWN(most == INT64_MAX
                                  ? strlen((const char *)text)
                                  : strnlen((const char *)text, (size_t)most));
}

/* True if a string of at most `most` bytes equals `word`. Reads no byte after the first
 * byte that differs. */
static inline int proxy_is(const char *text, int64_t most, const char *word)
{
    const size_t length = PROXY_OWN(strlen(word));

    return (int64_t)length <= most && PROXY_OWN(strncmp(text, word, length)) == 0 &&
           ((int64_t)length == most || text[length] == 0);
}

/* Return the index of the string in `set`, a sequence of NUL-terminated strings that ends
 * with an empty one; -1: not found; -2: NULL. */
static inline int64_t proxy_choice(const void *text, int64_t most, const char *set)
{
    for (int64_t i = 0; text && *set; i++) {
        if (proxy_is((const char *)text, most, set))
            return i;
        set += PROXY_OWN(strlen(set)) + 1;
    }
    return text ? -1 : -2;
}

static inline double proxy_ratio(double a, double b)
{
    return b == 0.0 ? 0.0 : a / b;
}

#endif
