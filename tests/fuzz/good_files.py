"""Good files to be broken: together they say nearly all that the formats can say."""

EVERYTHING_TOML = """\
lissom = 1
name = "everything"
source = "invented"
notes = ["first", "second"]
gravity = [0.0, 0.1, -9.81]
flexibility = "linear"
kinematics_only = false

[[links]]
name = "post"
mass = 4.0
joint = { type = "fixed", placement = { xyz = [0.0, 0.0, 0.2], quaternion = [0.8, 0.1, 0.2, -0.3] } }

[[links]]
name = "upper"
parent = "post"
mass = 1.7
com = [0.11, -0.02, 0.03]
inertia = [[0.02, 0.001, 0.0], [0.001, 0.03, 0.0], [0.0, 0.0, 0.025]]
frame = { xyz = [0.01, 0.0, 0.0], rotation = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]] }
payload = { mass = 0.3, com = [0.0, 0.0, 0.05], inertia = 0.001 }

[links.joint]
name = "shoulder"
type = "revolute"
axis = [0.2, 1.0, 0.0]
placement = [[1.0, 0.0, 0.0, 0.1], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.3], [0.0, 0.0, 0.0, 1.0]]
armature = 0.02
gear_ratio = -50.0
rotor_inertia = 1e-5
damping = 0.3
friction = 0.1
stiffness = 3.0
rest = 0.2
actuated = true
limits = { position_deg = [-90.0, inf], velocity = 2.0, jerk = 80.0, torque = [-3.0, 4.0], power = 90.0 }
elastic = { stiffness = 900.0, damping = 0.4 }

[[links.tools]]
name = "eye"
placement = { xyz = [0.1, 0.0, 0.0], rpy = [0.1, -0.2, 0.3] }

[[links.shapes]]
kind = "mesh"
file = "package://upper.stl"
size = [0.001, 0.001, 0.001]
origin = { rpy_deg = [0.0, 90.0, 0.0] }
role = "collision"

[[links]]
name = "boom"
parent = "upper"
mass = 0.2
inertia = [0.001, 0.002, 0.002]

[links.joint]
limits = { torque = inf }

[links.beam]
length = 0.8
mass_per_length = [0.9, 0.7, 0.4]
EI_y = 40.0
EI_z = [30.0, 20.0, 10.0]
GJ = 12.0
EA = 1e5
modes = { bending_z = 2, bending_y = 1, torsion = 1, stretch = 0 }
damping = [0.01, 0.01, 0.02, 0.02]
gyration = [0.01, 0.02]
stations = [0.0, 0.3, 0.8]

[[links]]
name = "given"
parent = "boom"
inertia = 0.01

[links.joint]
type = "prismatic"
axis = [1.0, 0.0, 0.0]
mimic = { joint = "shoulder", multiplier = -0.5, offset = 0.01 }

[links.modal_integrals]
C = [[0.5, 0.1, 0.0, 0.0], [0.1, 0.05, 0.0, 0.0], [0.0, 0.0, 0.01, 0.0], [0.0, 0.0, 0.0, 0.01]]
Ck = [[[0.0, 0.0, 0.2, 0.0], [0.0, 0.0, 0.1, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]]
Ckl = [[[[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.4, 0.0], [0.0, 0.0, 0.0, 0.0]]]]
K = [[70.0]]
D = [[0.2]]
tip = [0.4, 0.0, 0.0]
tip_shift = [[0.0, 1.0, 0.0]]
tip_turn = [[0.0, 0.0, 2.1]]

[[loops]]
a = { link = "post", point = [0.3, 0.0, 0.1] }
b = { frame = { xyz = [0.0, 0.0, 0.1], rpy_deg = [10.0, 20.0, 30.0] } }
joint = "revolute"

[[loads]]
link = "given"
force = [1.0, 2.0, 3.0]
moment = [0.1, 0.0, 0.0]
point = [0.0, 0.0, 0.2]
"""

TABLE_TOML = """\
name = "table"
[dh]
convention = "modified"
base = { xyz = [0.0, 0.1, 0.4] }
rows = [
  { a = 0.3, alpha_deg = 90.0, d = 0.1, theta_deg = -90.0, mass = 1.1, com = [0.1, 0.0, 0.0], inertia = 0.02 },
  { name = "slide", joint = "prismatic", alpha = -1.2, mass = 0.7, limits = { position = [-0.1, 0.4] } },
  { name = "hand", a = 0.2, mass = 0.4, inertia = 0.002, payload = { mass = 0.1 }, tools = [{ name = "grip" }] },
]
"""

EVERYTHING_URDF = """\
<?xml version="1.0" encoding="utf-8"?>
<!-- all that the reader knows, and some it passes over -->
<robot name="everything" version="1.0">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="world"/>
  <link name="torso">
    <inertial>
      <origin xyz="0.01 0.02 0.3" rpy="0.1 -0.2 1.5"/>
      <mass value="6.1"/>
      <inertia ixx="0.21" ixy="0.01" ixz="-0.02" iyy="0.2" iyz="0.005" izz="0.1"/>
    </inertial>
    <visual name="shell">
      <origin xyz="0 0 0.1"/>
      <geometry><mesh filename="package://robot/torso.dae" scale="0.001 0.001 0.001"/></geometry>
      <material name="grey"/>
    </visual>
    <collision><geometry><box size="0.2 0.3 0.6"/></geometry></collision>
  </link>
  <joint name="float" type="floating"><parent link="world"/><child link="torso"/></joint>
  <link name="arm">
    <inertial><mass value="1.9"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.03"/></inertial>
    <visual><geometry><cylinder radius="0.05" length="0.4"/></geometry></visual>
    <collision><origin rpy="0 1.57 0"/><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0.1 0.2 0.5" rpy="0 0 0.7"/>
    <parent link="torso"/>
    <child link="arm"/>
    <axis xyz="0 0.6 0.8"/>
    <limit lower="-1.5" upper="2.1" effort="40" velocity="3"/>
    <dynamics damping="0.4" friction="0.2"/>
    <safety_controller k_velocity="10"/>
  </joint>
  <link name="pad">
    <inertial><mass value="0.4"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial>
  </link>
  <joint name="slide" type="planar"><parent link="arm"/><child link="pad"/><axis xyz="0 0 1"/></joint>
  <link name="finger">
    <inertial><mass value="0.1"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>
  </link>
  <joint name="grip" type="prismatic">
    <parent link="arm"/><child link="finger"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.04" effort="0" velocity="1e12"/>
    <mimic joint="shoulder" multiplier="0.02" offset="0.001"/>
  </joint>
  <link name="tool"/>
  <joint name="mount" type="fixed"><origin xyz="0.3 0 0"/><parent link="arm"/><child link="tool"/></joint>
  <link name="wheel">
    <inertial><mass value="0.5"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.001"/></inertial>
  </link>
  <joint name="spin" type="continuous"><parent link="arm"/><child link="wheel"/><axis xyz="0 1 0"/></joint>
  <gazebo reference="arm"><mu1>0.2</mu1></gazebo>
  <transmission name="t"><type>simple</type><joint name="shoulder"/></transmission>
</robot>
"""

MACHINE_XML = """\
<mujoco model="machine">
  <compiler angle="radian" autolimits="true"/>
  <option gravity="0 0 -9.81" timestep="0.002"/>
  <default><joint damping="0.1" armature="0.01"/><default class="soft"><geom rgba="0.5 0.5 0.5 1"/></default></default>
  <asset>
    <texture name="grid" type="2d" builtin="checker" width="64" height="64" rgb1="0 0 0" rgb2="1 1 1"/>
    <material name="grid" texture="grid"/>
    <mesh name="tet" vertex="0 0 0 0.1 0 0 0 0.1 0 0 0 0.1"/>
    <hfield name="hill" nrow="3" ncol="3" size="1 1 1 0.1"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="1 1 0.1" material="grid"/>
    <body name="base" pos="0 0 0.1">
      <inertial pos="0.02 -0.05 0.11" mass="1.3" fullinertia="0.021 0.027 0.016 0.002 -0.001 0.003"/>
      <joint name="turn" type="hinge" axis="0 0 1" range="-2 2" stiffness="3" springref="0.2" frictionloss="0.1"/>
      <geom class="soft" type="box" size="0.1 0.1 0.05"/>
      <body name="upper" pos="0.1 0 0.2" quat="0.8 -0.3 0.4 0.2">
        <joint name="lift" type="slide" axis="1 0 0" pos="0 0.1 0" range="0 0.5" ref="0.1"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04" density="800"/>
        <geom type="mesh" mesh="tet"/>
        <site name="eye" pos="0.1 0 0" euler="0.1 0.2 0.3"/>
        <body name="ball" pos="0.3 0 0"><joint name="wrist" type="ball"/><geom type="sphere" size="0.05"/></body>
        <body name="other" pos="0.3 0.1 0"><joint name="rock" axis="0 1 0"/>
          <geom type="cylinder" size="0.03 0.1"/></body>
      </body>
    </body>
    <body name="loose" pos="1 1 1"><freejoint name="float"/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body>
  </worldbody>
  <equality>
    <connect body1="ball" body2="other" anchor="0 0 0"/>
    <weld body1="upper" body2="loose" active="false"/>
  </equality>
  <actuator><motor joint="turn" gear="3" ctrlrange="-1 1"/></actuator>
  <tendon><fixed><joint joint="turn" coef="1"/></fixed></tendon>
</mujoco>
"""

ARM_TOML = """\
name = "small"
[[links]]
name = "upper_arm"
mass = 4.0
com = [0.2, 0.0, 0.0]
inertia = [0.01, 0.05, 0.05]
joint = { name = "shoulder", limits = { torque = 90.0, velocity = 3.0 } }
[[links]]
name = "forearm"
parent = "upper_arm"
mass = 3.0
com = [0.2, 0.0, 0.0]
inertia = [0.01, 0.05, 0.05]
joint = { name = "elbow", placement = { xyz = [0.4, 0.1, 0.0] } }
tools = [{ name = "grip", placement = { xyz = [0.5, 0.0, 0.0] } }]
"""

SIDE_TOML = """\
lissom_flexible = 1
source = "invented"
notes = ["first"]
[[links]]
name = "upper_arm"
z = [0.0, 0.0, 1.0]
hub = { mass = 0.2, com = [0.0, 0.0, 0.01], inertia = [0.001, 0.001, 0.001] }
[links.beam]
EI = 900.0
GJ = 300.0
damping = 0.01
mass_per_length = 3.0
modes = { bending_z = 2, bending_y = 1, torsion = 1 }
[[links]]
name = "forearm"
end = [0.5, 0.0, 0.0]
hub = "rest"
[links.beam]
EI_y = 700.0
EI_z = 500.0
mass_per_length = 2.0
modes = { bending_z = 1 }
"""

ARM_WITH_VALVE_TOML = (
    ARM_TOML
    + """\
[[links]]
name = "valve"
parent = "upper_arm"
mass = 0.3
inertia = [0.001, 0.001, 0.001]
joint = { type = "fixed", placement = { xyz = [0.1, 0.05, 0.0] } }
[[links]]
name = "camera"
parent = "upper_arm"
mass = 0.2
inertia = [0.001, 0.001, 0.001]
joint = { placement = { xyz = [0.3, 0.1, 0.02] } }
"""
)

SIDE_ALONG_TOML = """\
lissom_flexible = 1
[[links]]
name = "upper_arm"
child = "forearm"
at = { valve = 0.1, camera = "nearest" }
[links.beam]
EI = 900.0
mass_per_length = 3.0
gyration = [0.02, 0.02]
modes = { bending_z = 1 }
"""

RUN_TOML = """\
lissom_run = 1
title = "a reach"
arm = "arm.toml"
flexible = "side.toml"
until = 0.3
dt = 1e-3
rtol = 1e-8
output = ["reach.nc", "reach.csv"]
payload = { mass = 0.2, com = [0.0, 0.0, 0.1] }
[start]
q_deg = [10, -40]
qd = [0.1, 0.0]
[controller]
kind = "pd"
t = [0.0, 0.1, 0.3]
q = [[0.1, 0.2], [0.2, 0.3], [0.3, 0.1]]
profile = "linear"
kp = [200, 300]
kd = 40
gravity = true
[[loads]]
link = "forearm"
t = [0.0, 0.1, 0.2]
force = [[0, 0, 0], [10, 0, -5], [0, 0, 0]]
[base]
linear_acceleration = [0.0, 0.0, 0.1]
[prescribed]
elbow = { t = [0.0, 0.1, 0.3], acceleration = [0.0, 0.1, 0.0], kind = "linear" }
[[events]]
name = "passed"
coordinate = "shoulder"
quantity = "q"
value = 0.3
direction = 1
stop = true
[ensemble]
runs = 4
seed = 2
q = [0.1, 0.1]
kp = 0.1
payload = { link = "forearm", mass = [0.1, 0.5], com = [0.0, 0.0, 0.1], size = 0.1 }
"""

DRIVEN_TOML = """\
arm = "arm.toml"
until = 0.1
[start]
q = [0.1, 0.2]
[torque]
file = "tau.csv"
kind = "linear"
"""

TAU_CSV = """\
# torques of a test
t, tau[shoulder], tau[elbow]
0.0, 1.0, 0.5
0.05, 1.5, 0.25
0.1, 0.0, -0.5
0.2, 1e-3, 0.125
"""

TASK_TOML = """\
lissom_task = 1
title = "a transfer"
arm = "arm.toml"
gravity = [0.0, 0.0, -9.8]
payload = { mass = 0.5, com = [0, 0, 0.08] }
start_deg = [-50, 30]
start_velocity = [0.0, 0.0]
duration = [0.4, 3.0]
segments = 12
degree = 5
continuity = 3
margin = 0.01
tolerance = 1e-6
iterations = 100
starts = 2
seed = 3
output = ["transfer.nc", "transfer.csv"]
[goal]
link = "forearm"
position = [0.5, 0.2, nan]
[limits]
torque = [97.6, 186.4]
velocity_deg = [120, 150]
acceleration = { upper = 60, lower = [-60, -80] }
[minimise]
time = 1.0
torque_squared = 5e-4
[[via]]
at = 0.5
q_deg = [5, nan]
[[obstacles]]
centre = [0.5, 0.5, 0.5]
radius = 0.1
[[obstacles]]
a = [0.5, -0.5, 0.5]
b = [0.5, -0.5, 1.5]
radius = 0.05
[[bodies]]
link = "forearm"
a = [0.0, 0.0, 0.0]
b = [0.3, 0.0, 0.0]
radius = 0.04
[[loads]]
link = "forearm"
force = [[0, 0, 0], [10, 0, -5], [0, 0, 0]]
"""

PATH_CSV = """\
# a motion
t, q[shoulder], elbow, qd[shoulder], qd[elbow]
0.0, 0.0, 0.1, 0.0, 0.0
0.1, 0.01, 0.12, 0.2, 0.4
0.2, 0.04, 0.18, 0.4, 0.8
0.3, 0.09, 0.28, 0.6, 1.2
0.4, 0.16, 0.42, 0.8, 1.6
"""

WALK_MOT = """\
walk of nobody
version=1
nRows=6
nColumns=4
inDegrees=yes

Units are S.I. units (second, meters, Newtons, ...)
endheader
time\tpelvis_tx\tknee_angle_r\tground_force_r_vy
0.00\t0.0\t-5.25\t0
0.01\t0.013\t-6.5\t120.5
0.02\t0.026\t-8.125\t3.5e2
0.03\t0.039\t-9.0\t512.75
0.04\t0.052\t-9.5\t640
0.05\t0.065\t-9.75\t701.125
"""

BOX_OBJ = """\
mtllib box.mtl
o box
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vn 0 0 1
vt 0.5 0.5
usemtl red
f 1 2 3
f 1/1/1 2/1/1 4/1/1
f 1 3 4
f 2 3 4
"""

BOX_MTL = """\
newmtl red
Ka 0.1 0.1 0.1
Kd 0.8 0.1 0.1
d 1.0
map_Kd box.png
"""

SWEPT_RUN_TOML = """\
lissom_study = 1
evaluate = "simulate"
run = "run.toml"
lanes = false
store = "rows"
[sampling]
kind = "latin_hypercube"
count = 8
[parameters.gain]
path = "controller.kp[0]"
log_uniform = [50.0, 500.0]
unit = "N m/rad"
[parameters."start of it"]
path = "q0[1]"
how = "add"
normal = [0.0, 0.1]
within = [-0.3, 0.3]
[parameters.mass]
path = 'arm.links."forearm".mass'
uniform = [1.0, 5.0]
[outputs]
end = "q"
peak = { of = "tau", take = "max_abs max", entry = 1, after = 0.05, before = 0.2, unit = "N m" }
"""

SWEPT_TASK_TOML = """\
evaluate = "predict_motion"
task = "task.toml"
[arguments]
segments = 8
[parameters]
mass = { path = "arm.links.*.mass", how = "scale", values = [0.9, 1.0, 1.1] }
time = { path = "task.duration", log_grid = [0.5, 2.0, 3] }
[outputs]
cost = { of = "cost" }
"""

SWEPT_LOADS_TOML = """\
evaluate = "inverse_dynamics"
arm = "arm.toml"
flexible = "side.toml"
payload = { mass = 0.2, com = [0.0, 0.0, 0.1] }
gravity = [0.0, 0.0, -1.6]
[arguments]
q_deg = [10, 20]
qd = [0.0, 0.0]
qdd = [0.0, 0.0]
[[arguments.loads]]
link = "forearm"
force = [0.0, 0.0, 1.0]
[sampling]
kind = "list"
[parameters.angle]
path = "q[0]"
grid = [-1.0, 1.0, 5]
[parameters.push]
path = "loads[0].force[2]"
values = [1, 2, 3, 4, 5]
"""
