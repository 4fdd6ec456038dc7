/* SPDX-License-Identifier: BSD-3-Clause */
/* json.h: print values as JSON on standard output. */
#ifndef FRAMEWORK_CMD_JSON_H
#define FRAMEWORK_CMD_JSON_H

void ccafe_json_string(const char *value);
/* Print , "key": value; nothing if the value is NULL. */
void ccafe_json_number(const char *key, double value);
void ccafe_json_member(const char *key, const char *value);

#endif
