"""Book 1983: flexible arms by transformation matrices, with a linear field of deflection.

W. J. Book, Recursive Lagrangian Dynamics of Flexible Manipulator Arms via Transformation Matrices, CMU-RI-TR-83-23.

    frames      the transformation matrices, and steps of rigid bodies and joints      (3), (9)-(12), (37), (84), (88)
    links       steps of a flexible link                                    (4)-(7), (13)-(17), (36), (37), (86), (88)
    forces      generalised forces: the equations with all accelerations in them             (38), (39), (56), (57)
    inertia     the inertia matrix J                                                                       (66)-(81)
    motion      energies, momentum, Jacobians of points

A link's end turns by E = 1 + [theta], which is no rotation: frames beyond are not orthonormal, and angular
velocities and wrenches do not exist. The recursion carries the 4x4 matrices of the paper instead, without their
constant first row. `flexibility="linear"` keeps every product: Lagrange's equations of the linear field.
`flexibility="book"` leaves out what the paper leaves out, in (37), (72) and (73).
"""
