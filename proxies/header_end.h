/* SPDX-License-Identifier: BSD-3-Clause */
/* header_end.h: what generated code includes behind the header that it was made from:
 * what that has left switched on by pragmas ends here. Without a guard, which a header
 * could define. */
#pragma pack()
#if defined __GNUC__ && !defined __clang__
#pragma GCC reset_options
#endif
