/* SPDX-License-Identifier: BSD-3-Clause */
/* schema.h: schema.sql, line by line; 0 at the end. Made by the Makefile. */
#ifndef PROPERTIES_STORE_SCHEMA_H
#define PROPERTIES_STORE_SCHEMA_H

extern const char *const mm_store_schema[];

#endif
