/* SPDX-License-Identifier: BSD-3-Clause */
/* pieces.h: checks of expressions and code from UML files before they are put into a
 * model's text. Each must be complete in itself: it closes all that it opens, and cannot
 * close a block around it. */
#ifndef ACTIVITY_XMI_PIECES_H
#define ACTIVITY_XMI_PIECES_H

/* An expression, or several with commas: parentheses and quotes closed, no braces, `;`,
 * comments or assignments. */
int xmi_is_expression(const char *text);
/* Whether the language accepts each part between commas as an expression, whatever its
 * names mean. */
int xmi_is_one_clause(const char *text);
/* Whether the text is assignments and ifs with balanced braces. */
int xmi_is_code(const char *text);
/* Whether an action's body is prose rather than code: it has no assignment, or its
 * language is neither C nor C++. */
int xmi_is_prose(const char *language, const char *body);
/* Whether `word` occurs in a text as a whole word. */
int xmi_has_word(const char *text, const char *word);

#endif
