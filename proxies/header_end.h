/* SPDX-License-Identifier: BSD-3-Clause */
/* header_end.h: included by generated code after the original header; resets pragmas that
 * the header has left in effect. It has no include guard, which a header could define. */
#pragma pack()
#if defined __GNUC__ && !defined __clang__
#pragma GCC reset_options
#endif
