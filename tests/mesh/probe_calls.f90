! SPDX-License-Identifier: BSD-3-Clause
! Calls of the module mm_mesh that docs/guide/mesh.md has no example of.
program probe_calls
    use mm_mesh
    implicit none
    type(c_ptr) :: m
    character(100) :: message
    integer :: w, status
    integer(8) :: cell

    m = mm_mesh_open("bad", [4, 0], message)
    print '(a)', trim(message)
    call mm_mesh_cell(m, 1, 1)
    call mm_mesh_close(m)

    m = mm_mesh_open("amr", [8_8, 8_8])
    call mm_mesh_levels(m, 2, 2)
    call mm_mesh_rank(m, 1, 2)
    call mm_mesh_place(m, [0d0, 1d0], [.5d0, .5d0])
    w = mm_mesh_probe(m, "w", "given")
    call mm_mesh_box(m, 0, [1, 1], [4, 8])
    call mm_mesh_boxes(m, 1, reshape([5, 5, 14, 14], [2, 2]), reshape([6, 6, 16, 16], [2, 2]), status)
    if (status /= 0) stop 1
    call mm_mesh_boxes(m, 1, reshape([5, 5, 14, 14, 16, 16], [2, 3]), reshape([6, 6, 16, 16, 16, 17], [2, 3]), status)
    if (status == 0) stop 2
    call mm_mesh_boxes(m, 1, reshape([5, 5, 14, 14], [2, 2]), reshape([6, 6, 16, 17], [2, 2]), status)
    if (status == 0) stop 3
    call mm_mesh_boxes(m, 1, reshape([5_8, 5_8, 15_8, 11_8], [2, 2]), reshape([6_8, 6_8, 16_8, 16_8], [2, 2]), status)
    if (status /= 0) stop 4
    call mm_mesh_step(m, 3)
    call mm_mesh_value(m, w, 1, 2d0)
    call mm_mesh_value(m, w, mm_mesh_index(m, 0, 4, 8), 4d0)
    call mm_mesh_add(m, w, mm_mesh_index(m, 0, 4_8, 8_8), 1d0)
    cell = mm_mesh_index(m, 1, 16, 16)
    if (cell /= 64 + 256) stop 5
    if (mm_mesh_index(m, 1, 17, 1) /= 0 .or. mm_mesh_index(m, 0, 0, 1) /= 0) stop 6
    call mm_mesh_add(m, w, cell, 7.5d0)
    call mm_mesh_block_value(m, w, 1, [5, 5], [6, 6], 4d0)
    call mm_mesh_close(m, status)
    if (status == 0) stop 7 ! the refused boxes

    m = mm_mesh_open_elements("tri", 2, 10)
    w = mm_mesh_probe(m, "w ", "given ")
    call mm_mesh_elements(m, [10, 3], reshape([1d0, 2d0, 3d0, 4d0], [2, 2]))
    call mm_mesh_step(m, 0, 0d0)
    call mm_mesh_value(m, w, 10, 10d0)
    call mm_mesh_value(m, w, 3_8, 3d0)
    call mm_mesh_error(m, message)
    if (message /= "") stop 8
    call mm_mesh_close(m, status)
    if (status /= 0) stop 9
end program
