"""Book 1983: flexible arms by transformation matrices, with a linear field of deflection.

W. J. Book, Recursive Lagrangian Dynamics of Flexible Manipulator Arms via Transformation Matrices, CMU-RI-TR-83-23.

    maps      the transformation matrices, forces and moments of mass as records
    link      a rigid link behind a joint             (3), (9)-(12), (66), (74), (78), (79), (84), (87), (88)
    field     the matrices of a flexible link                                      (4)-(7), (36), (37)
    end       the end of a flexible link, and places along it (`station`)            (13)-(17), (86), (88)
    beam      a flexible link                             (22), (38), (39), (68)-(73), (78)-(81), (86)

A link's end turns by E = 1 + [theta], which is no rotation: frames beyond are not orthonormal, and angular
velocities and wrenches do not exist. These elements pass the 4x4 matrices of the paper on instead, without their
constant first row. `flexibility="linear"` keeps every product: Lagrange's equations of the linear field.
`flexibility="book"` leaves out what the paper leaves out, in (37), (72) and (73).
"""
