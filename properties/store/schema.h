/* SPDX-License-Identifier: BSD-3-Clause */
/* schema.h: the lines of schema.sql, 0 at the end. Made by the Makefile. */
#ifndef PROPERTIES_STORE_SCHEMA_H
#define PROPERTIES_STORE_SCHEMA_H

extern const char *const mm_store_schema[];

#endif
