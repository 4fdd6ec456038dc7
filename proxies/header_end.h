/* SPDX-License-Identifier: BSD-3-Clause */
/* header_end.h: included by generated code after the original header; resets pragmas that
 * the header has left in effect. It has no include guard, because the original header
 * could define the same name. */
#pragma pack()
#if defined __GNUC__ && !defined __clang__
#pragma GCC reset_options
#endif
