"""Arms with flexible links as geometrically nonlinear finite elements, by Exudyn.

Elements stretch (and those in space shear) a little, and motion depends on it: axial vibration feeds the geometric
stiffness. So these stiffnesses have to be far above what a material would have.
"""

from itertools import pairwise

import exudyn as exu
import exudyn.itemInterface as item  # noqa: N813
import numpy as np
from exudyn.rigidBodyUtilities import RigidBodyInertia, RotationMatrix2RotationVector

import lissom as ls

POSITION = exu.OutputVariableType.Position


class Twin:
    """What planar and spatial twins share: motors, gravity, integration."""

    def __init__(self, arm):
        self.mbs = exu.SystemContainer().AddSystem()
        self.gravity = np.asarray(arm.gravity, float)
        self.motors = []  # of every joint: loads and their directions

    def _on_body(self, number, place=(0.0, 0.0, 0.0)):
        return self.mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=number, localPosition=list(place)))

    def _on_node(self, number):
        return self.mbs.AddMarker(item.MarkerNodeRigid(nodeNumber=number))

    def _clamp(self, a, b, axes):
        self.mbs.AddObject(item.ObjectJointGeneric(markerNumbers=[a, b], constrainedAxes=axes))

    def _motor(self, ends):
        """Torques on markers, each about an axis of its own body."""
        loads = [item.LoadTorqueVector(markerNumber=marker, bodyFixed=True) for marker, _ in ends]
        self.motors.append([(self.mbs.AddLoad(load), np.asarray(axis)) for load, (_, axis) in zip(loads, ends)])

    def _weight(self, body):
        if self.gravity.any():
            marker = self.mbs.AddMarker(item.MarkerBodyMass(bodyNumber=body))
            self.mbs.AddLoad(item.LoadMassProportional(markerNumber=marker, loadVector=self.gravity.tolist()))

    def _ready(self, tip):
        """`tip`: marker whose path is kept."""
        sensor = item.SensorMarker(markerNumber=tip, outputVariableType=POSITION, storeInternal=True)
        self.tip = self.mbs.AddSensor(sensor)
        self.mbs.Assemble()

    def run(self, pieces, step, every=0.01, radius=0.8):
        """Move by torques that hold for a while.

        Parameters
        ----------
        pieces : [(end, torques)]     times [s] and what each motor does until then
        step, every : float           of the integrator (generalized-alpha), of the samples [s]
        radius : float                spectral radius, below 1

        Returns
        -------
        t, tip : (samples,), (samples, 3)
        """
        begin, rows = 0.0, []
        for end, torques in pieces:
            for motor, torque in zip(self.motors, torques, strict=True):
                for load, axis in motor:
                    self.mbs.SetLoadParameter(load, "loadVector", (torque * axis).tolist())
            self.mbs.SolveDynamic(self.settings(begin, end, step, every, radius), updateInitialValues=True)
            found = self.mbs.GetSensorStoredData(self.tip)
            rows.append(found if begin == 0.0 else found[1:])
            begin = end
        rows = np.vstack(rows)
        return rows[:, 0], rows[:, 1:]

    def settings(self, begin, end, step, every, radius):
        """Of Exudyn's implicit integrator."""
        made = exu.SimulationSettings()
        made.solution.file.write = False
        made.solution.sensors.writePeriod = every
        time = made.timeIntegration
        time.startTime, time.endTime, time.numberOfSteps = begin, end, round((end - begin) / step)
        time.generalizedAlpha.spectralRadius = radius
        # by increments of coordinates: residuals are dominated by the stretch of stiff elements, and stall
        time.newton.residualMode = 1
        time.newton.relativeTolerance = time.newton.absoluteTolerance = 1e-9
        made.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        return made


class PlanarTwin(Twin):
    """An arm in the x-y plane, one beam after the other, all joints about z, as ANCF cables.

    These have cubic elements on absolute positions and slopes, exact curvature, no shear. Hubs and payload are
    rigid bodies clamped to them.

    Parameters
    ----------
    arm : Arm            its modes do not matter
    elements : int       per link
    EA : float           axial stiffness [N]
    angle : f(t)         motion of the first joint, if that is given
    """

    AXIS, CLAMPED = (0.0, 0.0, 1.0), [1, 1, 0, 0, 0, 1]

    def __init__(self, arm, elements, EA=1e7, angle=None):
        super().__init__(arm)
        x = 0.0
        before = self._on_body(self.mbs.AddObject(item.ObjectGround()))
        for k, link in enumerate(arm.links):
            root, hub, end = self._link(link, elements, EA, x)
            self.mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=[before, hub]))
            if angle is not None and k == 0:
                self._lead(root, angle)
            self._motor([(hub, self.AXIS)] + ([(before, (0.0, 0.0, -1.0))] if k else []))
            before = end
            x += link.beam.length
        self._ready(before)

    def _link(self, link, elements, EA, x):
        """Its hub's node; markers of its hub and its tip."""
        beam, places = link.beam, x + np.linspace(0.0, link.beam.length, elements + 1)
        root = self._node(x)
        hub = self._on_body(self._body(link, root))
        nodes = [self.mbs.AddNode(item.NodePoint2DSlope1(referenceCoordinates=[s, 0.0, 1.0, 0.0])) for s in places]
        for pair in pairwise(nodes):
            cable = item.ObjectANCFCable2D(
                length=beam.length / elements, massPerLength=beam.mass_per_length, bendingStiffness=beam.EI[1],
                axialStiffness=EA, nodeNumbers=list(pair)
            )  # fmt: skip
            self._weight(self.mbs.AddObject(cable))
        start, end = (self._on_node(n) for n in (nodes[0], nodes[-1]))
        self._clamp(hub, start, self.CLAMPED)
        if link.payload is not None:
            self._clamp(end, self._on_body(self._body(link.payload, self._node(places[-1]))), self.CLAMPED)
        return root, hub, end

    def _node(self, x):
        return self.mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=[x, 0.0, 0.0]))

    def _body(self, rigid, node):
        """Mass and inertia of a hub or payload, on a node."""
        body = item.ObjectRigidBody2D(mass=rigid.mass, inertia=rigid.inertia[2, 2], nodeNumber=node)
        number = self.mbs.AddObject(body)
        self._weight(number)
        return number

    def _lead(self, hub, angle):
        ground = self.mbs.AddNode(item.NodePointGround())
        ends = [item.MarkerNodeCoordinate(nodeNumber=n, coordinate=c) for n, c in ((ground, 0), (hub, 2))]
        self.mbs.AddObject(
            item.ObjectConnectorCoordinate(
                markerNumbers=[self.mbs.AddMarker(m) for m in ends],
                offsetUserFunction=lambda mbs, t, number, offset: angle(t),
            )
        )


class SpatialTwin(Twin):
    """A chain of revolute joints, links rigid or flexible, as geometrically exact beams in space.

    Parameters
    ----------
    arm : Arm            starts at its home, undeformed; its modes do not matter
    elements : int       per flexible link
    EA, GA : float       axial and shear stiffness [N]
    """

    CLAMPED = [1] * 6

    def __init__(self, arm, elements, EA=1e6, GA=1e5):
        super().__init__(arm)
        before = self._on_body(self.mbs.AddObject(item.ObjectGround())), np.eye(3)
        places = ls.poses(arm, arm.home)
        for k, (link, X) in enumerate(zip(arm.links, places, strict=True)):
            body, com = self._body(link.mass, link.inertia, link.com, X)
            hub = self._on_body(body, -com)
            self._joint(link.joint.axis, *before, hub, X)
            if link.beam is None:  # the next joint is where it is in this body
                end = self._on_body(body, X[:3, :3].T @ (places[k + 1][:3, 3] - X[:3, 3]) - com)
            else:
                end = self._beam(link.beam, elements, EA, GA, X, hub)
                if link.payload is not None:
                    p, tip = link.payload, X.copy()
                    tip[:3, 3] += X[:3, 0] * link.beam.length
                    body, com = self._body(p.mass, p.inertia, p.com, tip)
                    self._clamp(self._on_body(body, -com), end, self.CLAMPED)
            before = end, X[:3, :3]
        self._ready(end)

    def _body(self, mass, inertia, com, X):
        """A rigid body, and its centre of mass in X."""
        com = np.asarray(com, float)
        node = self._node(X[:3, 3] + X[:3, :3] @ com, X)
        I = RigidBodyInertia(mass=mass, inertiaTensor=np.asarray(inertia)).GetInertia6D()
        body = self.mbs.AddObject(item.ObjectRigidBody(mass=mass, inertia=I, nodeNumber=node))
        self._weight(body)
        return body, com

    def _node(self, place, X):
        turn = RotationMatrix2RotationVector(X[:3, :3])
        return self.mbs.AddNode(item.NodeRigidBodyRotVecLG(referenceCoordinates=[*place, *turn]))

    def _joint(self, axis, before, axes, marker, X):
        """Revolute; its z lies on the axis, in both bodies."""
        x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        x /= np.linalg.norm(x)
        R = np.column_stack([x, np.cross(axis, x), axis])
        ends = [axes.T @ X[:3, :3] @ R, R]
        self.mbs.AddObject(
            item.ObjectJointRevoluteZ(
                markerNumbers=[before, marker], rotationMarker0=ends[0], rotationMarker1=ends[1]
            )
        )  # fmt: skip
        self._motor([(marker, ends[1][:, 2]), (before, -ends[0][:, 2])])

    def _beam(self, beam, elements, EA, GA, X, hub):
        """Marker of its tip."""
        section = exu.BeamSection()
        section.stiffnessMatrix = np.diag([EA, GA, GA, beam.GJ, *beam.EI])
        section.massPerLength = beam.mass_per_length
        y, z = beam.gyration**2
        section.inertia = beam.mass_per_length * np.diag([y + z, y, z])
        places = np.linspace(0.0, beam.length, elements + 1)
        nodes = [self._node(X[:3, 3] + s * X[:3, 0], X) for s in places]
        for pair in pairwise(nodes):
            element = item.ObjectBeamGeometricallyExact(
                nodeNumbers=list(pair), length=beam.length / elements, sectionData=section
            )
            self._weight(self.mbs.AddObject(element))
        self._clamp(hub, self._on_node(nodes[0]), self.CLAMPED)
        return self._on_node(nodes[-1])
