"""The closed form of planar arms with flexible links: the equations of an arm as a whole, without a recursion.

A. De Luca and B. Siciliano, Closed-Form Dynamic Model of Planar Multilink Lightweight Robots, IEEE Transactions on
Systems, Man, and Cybernetics 21 (1991).

    complex_numbers   points of the plane, in numbers or in values of a program
    integrals         integrals over the links (24)
    chain             the arm as links in a plane
    tables            frames (1)-(3), and the inertia (9)-(11) to first order in the deflections, as tables of constants
    equations         B (32), h (26), and the rest of (25), from the tables
    programs          joint torques, mass matrix and energies of arms with `flexibility="de_luca_siciliano"`
"""
