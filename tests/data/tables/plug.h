/* SPDX-License-Identifier: BSD-3-Clause */
/* plug.h: a plug-in interface with everything that makes tables awkward. */
#ifndef PLUG_H
#define PLUG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct point {
    double x, y;
    float weight;
};
union number {
    long i;
    double d;
};
struct plug_ops;

/* An object that carries its table, and a context beside it. */
struct plug_object {
    const struct plug_ops *ops;
    int value;
};

typedef int (*plug_step)(void *context, int n);

typedef struct plug_ops {
    const char *name;
    unsigned version : 8, flags : 24;
    struct plug_ops *next;
    const int limit;

    /* Self first, in the middle, const; a context; nothing at all. */
    int (*twice)(struct plug_ops *self, int n);
    int (*limited)(int n, const struct plug_ops *self);
    plug_step step;
    int (*const nothing)(void);
    void (*note)(const char *text) __attribute__((nonnull(1)));

    /* Values of every kind, functions and arrays without a name. */
    struct point (*move)(struct point p, union number n, bool flip);
    double _Complex (*turn)(double _Complex z);
    __int128 (*wide)(__int128 a);
    int (*each)(int n, const int values[3], int (*visit)(int value, void *context), void *context);

    /* Variadic, with and without a way to forward it. */
    int (*format)(char *to, size_t size, const char *format, ...);
    int (*vformat)(char *to, size_t size, const char *format, va_list list);
    int (*sum)(int count, ...);
#ifndef __cplusplus
    int (*old)();
#else
    int (*old)(...);
#endif

    struct {
        int (*anonymous)(int n);
    };
    union {
        int (*either)(int n);
        void *other;
    };
    int (*several[2])(int n);

    /* Objects and tables that are handed out. */
    int (*open)(void *context, struct plug_object **out);
    void (*init)(struct plug_object *object);
    struct plug_object *(*create)(int value);
    const struct plug_ops *(*get_ops)(void);
    int (*query)(int which, const struct plug_ops **out);

    int (*fail)(int number);  /* since version 2 */
    int (*later)(int n);
    void *(*newest)(void); /* since version 3 */
} plug_ops;

#ifdef __cplusplus
}
#endif
#endif
