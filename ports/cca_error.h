/* SPDX-License-Identifier: BSD-3-Clause */
/* cca_error.h: the error that a caller owns, shared by all rooms.
 *
 * Fallible functions return 0 (or a positive result) or a negative errno; where a person
 * needs a message, their last argument is `struct cca_error *err`. It may be NULL. The
 * first error is kept; set `*err` to zeros before reuse. */
#ifndef PORTS_CCA_ERROR_H
#define PORTS_CCA_ERROR_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The exception numbers of the CCA specification 0.8.1 (gov.cca.CCAExceptionType). A
 * return value never has such a number: 12 would mean ENOMEM as an errno and NetworkError
 * here. */
enum cca_exception {
    CCA_EXCEPTION_UNEXPECTED = -1,
    /* a number that the specification lacks: no CCA exception applies */
    CCA_EXCEPTION_NONE = 0,
    CCA_EXCEPTION_NONSTANDARD = 1,
    CCA_EXCEPTION_PORT_NOT_DEFINED = 2,
    CCA_EXCEPTION_PORT_ALREADY_DEFINED = 3,
    CCA_EXCEPTION_PORT_NOT_CONNECTED = 4,
    CCA_EXCEPTION_PORT_NOT_IN_USE = 5,
    CCA_EXCEPTION_USES_PORT_NOT_RELEASED = 6,
    CCA_EXCEPTION_BAD_PORT_NAME = 7,
    CCA_EXCEPTION_BAD_PORT_TYPE = 8,
    CCA_EXCEPTION_BAD_PROPERTIES = 9,
    CCA_EXCEPTION_BAD_PORT_INFO = 10,
    CCA_EXCEPTION_OUT_OF_MEMORY = 11,
    CCA_EXCEPTION_NETWORK_ERROR = 12
};

/* An error. `code` is a negative errno, or 0: no error yet; `text` is one line without
 * newline. */
struct cca_error {
    int code;
    enum cca_exception exception;
    char text[512];
};

/* Set `err` unless it is NULL or already set. Returns `code`, so `return cca_error_...`.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static inline int
cca_error_raise(struct cca_error *err, int code, enum cca_exception exception,
                const char *format, ...)
{
    if (err && !err->code) {
        va_list args;

        err->code = code;
        err->exception = exception;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return code;
}

/* Like cca_error_raise, where no exception of the CCA specification applies. */
#define cca_error_set(err, code, ...)                                                    \
    cca_error_raise((err), (code), CCA_EXCEPTION_NONSTANDARD, __VA_ARGS__)

/* Set the error "out of memory", -ENOMEM. */
static inline int cca_no_memory(struct cca_error *err)
{
    return cca_error_raise(err, -ENOMEM, CCA_EXCEPTION_OUT_OF_MEMORY, "out of memory");
}

#ifdef __cplusplus
}
#endif
#endif
