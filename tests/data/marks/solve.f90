! SPDX-License-Identifier: BSD-3-Clause
! solve.f90: a Fortran library; info is what it sees of the lengths of its strings.
subroutine solve(trans, title, n, wide, x, info)
    implicit none
    character(len=*), intent(in) :: trans, title
    integer, intent(in), optional :: n
    integer(8), intent(in) :: wide
    double precision, intent(inout) :: x(*)
    integer, intent(out) :: info
    info = 100 * len(trans) + len(title)
    if (present(n)) x(1) = x(1) + n * dble(wide)
end subroutine solve
