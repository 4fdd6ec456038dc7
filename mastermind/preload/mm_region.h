/* SPDX-License-Identifier: BSD-3-Clause */
/* mm_region.h: mark regions of your own program. Nothing must be linked, and the marks do
 * nothing unless the program is recorded by `mastermind record -- ./program`.
 *
 *     #include <mm_region.h>
 *
 *     mm_region_begin("solve", mm_param(n), mm_mode(level));
 *     ...
 *     mm_region_end();
 *
 * In C++ also, for a region that ends with the scope, even by an exception:
 *
 *     mm_region_scope("solve", mm_param(n));
 *
 * A region becomes a method PROGRAM.region.NAME with a row for each execution. Its cost
 * is modelled as a function of the parameters, separately for each value of a mode.
 * Regions nest; mm_region_end ends the innermost open region of the thread. The first
 * execution defines the parameters of a name, at most eight: a parameter that is not
 * given later is missing in that row.
 *
 *   name             a string that is valid during the call
 *   mm_param(x)      an integer or floating expression, evaluated once, named by its text
 *   mm_param_as(name, x)   likewise, with the given name
 *   mm_mode(x), mm_mode_as(name, x)   an integer expression
 *
 * Arguments are not evaluated unless the program is recorded. Any thread. C11, C++11;
 * gcc, clang.
 */
#ifndef MM_REGION_H
#define MM_REGION_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mm_region_value {
    const char *name;
    int mode, real; /* real: true if the value is in `number`, not in `integer` */
    long long integer;
    double number;
};

typedef int mm_region_begin_function(const char *name, int count,
                                     const struct mm_region_value *values);
typedef void mm_region_end_function(void);

enum { MM_REGION_MOST = 8 };

/* Attribute that keeps -finstrument-functions from instrumenting the functions of this
 * header, which do not belong to the program. */
#define MM_REGION_QUIET static inline __attribute__((no_instrument_function, unused))

/* Return the recorder's function named `symbol`; NULL: the program is not recorded. */
MM_REGION_QUIET void *mm_region_find(const char *symbol)
{
    return dlsym(NULL, symbol);
}

MM_REGION_QUIET mm_region_begin_function *mm_region_beginner(void)
{
    static mm_region_begin_function *found;
    static int looked;

    if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
        union {
            void *address;
            mm_region_begin_function *call;
        } symbol;

        symbol.address = mm_region_find("mm_preload_region_begin");
        __atomic_store_n(&found, symbol.call, __ATOMIC_RELAXED);
        __atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&found, __ATOMIC_RELAXED);
}

MM_REGION_QUIET void mm_region_end(void)
{
    static mm_region_end_function *found;
    static int looked;

    if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
        union {
            void *address;
            mm_region_end_function *call;
        } symbol;

        symbol.address = mm_region_find("mm_preload_region_end");
        __atomic_store_n(&found, symbol.call, __ATOMIC_RELAXED);
        __atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
    }
    if (__atomic_load_n(&found, __ATOMIC_RELAXED))
        __atomic_load_n(&found, __ATOMIC_RELAXED)();
}

/* `words`: number of arguments that follow it: the name, then the values. */
MM_REGION_QUIET void mm_region_enter(int words, const char *name, ...)
{
    struct mm_region_value values[MM_REGION_MOST];
    va_list list;
    int count = words - 1 < MM_REGION_MOST ? words - 1 : MM_REGION_MOST;

    va_start(list, name);
    for (int i = 0; i < count; i++)
        values[i] = va_arg(list, struct mm_region_value);
    va_end(list);
    mm_region_beginner()(name, count, values);
}

MM_REGION_QUIET struct mm_region_value mm_region_integer(const char *name, int mode,
                                                         long long value)
{
    struct mm_region_value made = {name, mode, 0, value, 0};

    return made;
}

MM_REGION_QUIET struct mm_region_value mm_region_real(const char *name, int mode,
                                                      double value)
{
    struct mm_region_value made = {name, mode, 1, 0, value};

    return made;
}

#ifdef __cplusplus
}

__attribute__((no_instrument_function)) inline mm_region_value
mm_region_value_of(const char *name, double value)
{
    return mm_region_real(name, 0, value);
}
__attribute__((no_instrument_function)) inline mm_region_value
mm_region_value_of(const char *name, float value)
{
    return mm_region_real(name, 0, value);
}
template <class T>
__attribute__((no_instrument_function)) mm_region_value
mm_region_value_of(const char *name, T value)
{
    return mm_region_integer(name, 0, static_cast<long long>(value));
}
#define mm_param_as(name, x) mm_region_value_of(name, x)

struct mm_region_guard {
    ~mm_region_guard()
    {
        mm_region_end();
    }
};
#define MM_REGION_JOIN2(a, b) a##b
#define MM_REGION_JOIN(a, b) MM_REGION_JOIN2(a, b)
#define mm_region_scope(...)                                                             \
    mm_region_begin(__VA_ARGS__);                                                        \
    mm_region_guard MM_REGION_JOIN(mm_region_guard_, __LINE__)
#else
#define mm_param_as(name, x)                                                             \
    _Generic((x), float                                                                  \
             : mm_region_real, double                                                    \
             : mm_region_real, default                                                   \
             : mm_region_integer)(name, 0, x)
#endif

#define mm_param(x) mm_param_as(#x, x)
#define mm_mode_as(name, x) mm_region_integer(name, 1, x)
#define mm_mode(x) mm_mode_as(#x, x)

#define MM_REGION_NTH(a, b, c, d, e, f, g, h, i, count, ...) count
#define MM_REGION_COUNT(...) MM_REGION_NTH(__VA_ARGS__, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define mm_region_begin(...)                                                             \
    do {                                                                                 \
        if (mm_region_beginner())                                                        \
            mm_region_enter(MM_REGION_COUNT(__VA_ARGS__), __VA_ARGS__);                  \
    } while (0)

#endif
