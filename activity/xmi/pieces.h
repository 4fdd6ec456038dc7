/* SPDX-License-Identifier: BSD-3-Clause */
/* pieces.h: expressions and code of a stranger's file, before they are put into a text:
 * each is one piece, which closes all that it opens and nothing around it. */
#ifndef ACTIVITY_XMI_PIECES_H
#define ACTIVITY_XMI_PIECES_H

/* An expression, or several with commas: parentheses and quotes closed, no braces, `;`,
 * comments or assignments. */
int xmi_is_expression(const char *text);
/* The language takes each of them as an expression, whatever its names mean. */
int xmi_is_one_clause(const char *text);
/* Assignments and ifs with braces closed. */
int xmi_is_code(const char *text);
/* What is written about an action, no code of ours: without an assignment, or in another
 * language than C and C++. */
int xmi_is_prose(const char *language, const char *body);
/* A word of a text. */
int xmi_has_word(const char *text, const char *word);

#endif
