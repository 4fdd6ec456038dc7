/* SPDX-License-Identifier: BSD-3-Clause */
/* cca_port.h: definitions that all rooms share: the base of a port, and the marks in port
 * headers.
 *
 * A port is a struct of function pointers whose first member is `struct cca_port base`
 * and whose functions take the port itself, typed, as their first argument. Its identity
 * is the string TYPE, "name/revision"; a changed or added method is a new revision. */
#ifndef PORTS_CCA_PORT_H
#define PORTS_CCA_PORT_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

/* First member of every port, filled in by the provider. `connect` compares both members
 * with the type and size that the user expects. */
struct cca_port {
    const char *type; /* type of the port, such as "shock.FluxPort/1"; static storage */
    size_t size;      /* size of the whole port struct */
};

/* Compute the pointer to a struct from the pointer to one of its members, such as an
 * embedded port. */
#define cca_container_of(pointer, type, member)                                          \
    ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/* Marks the only symbol that a component library exports. Its visibility is "protected":
 * otherwise a library that is loaded globally would replace it by its own symbol of the
 * same name. */
#ifdef __cplusplus
#define CCA_EXPORT extern "C" __attribute__((visibility("protected")))
#else
#define CCA_EXPORT __attribute__((visibility("protected")))
#endif

/* Marks of the arguments that decide the cost of a call. They are empty for all compilers
 * but clang, with which proxygen reads them. On an argument:
 *
 *   CCA_PARAM          a parameter: the value of an integer or floating argument
 *   CCA_MODE(labels)   a category; labels "0: x, 1: y" name its values; models are
 *                      fitted per mode
 *   CCA_OUT_PARAM      a pointer to a number known only when the call has ended; may be
 *                      NULL
 *
 * After the declarator of a method:
 *
 *   CCA_PERF(text)     parameters that are expressions over arguments: "Q = nx * ny";
 *                      several are separated by ';'
 *   CCA_UNMEASURED     proxies forward this method and measure nothing (an accessor) */
#if defined(__clang__) && !defined(CCA_NO_MARKS)
#define CCA_PARAM __attribute__((annotate("cca:param")))
#define CCA_MODE(labels) __attribute__((annotate("cca:mode:" labels)))
#define CCA_OUT_PARAM __attribute__((annotate("cca:out")))
#define CCA_PERF(text) __attribute__((annotate("cca:perf:" text)))
#define CCA_UNMEASURED __attribute__((annotate("cca:unmeasured")))
#else
#define CCA_PARAM
#define CCA_MODE(labels)
#define CCA_OUT_PARAM
#define CCA_PERF(text)
#define CCA_UNMEASURED
#endif

#endif
