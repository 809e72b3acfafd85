"""Demo: arms that stop without vibration, on one page.

`make demo` runs this file and writes `out/index.html`, a page that needs nothing beside it. It shows

- a flexible two-link arm (`still.toml`) that follows the optimal plan for rigid links and keeps vibrating, beside the
  same arm under lissom's plan, which stands still from the instant of its stop,
- the same for a PUMA 560 whose upper arm and forearm are slim tubes (`slim_links.toml`),
- a rigid PUMA 560 that carries two kilograms from one shelf to another (`transfer.toml`).

Each motion is verified by an independent simulation under its torques. Beside the page are, for each of them, the
complete motion for `lissom.load_motion` (`.nc`) and samples for a controller (`.csv`).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")

import lissom as ls
from lissom.listing import Listing
from lissom.markup import Markup, tag
from lissom.motion.task_file import read_task_file
from lissom.pages.page import Section, page, picture, verbatim
from lissom.views.viewer import embedded

HERE = Path(__file__).parent
RIGID, OURS = "plan for rigid links", "lissom's plan"
REST = np.zeros(6)
EXAGGERATE = 4  # deflections of the PUMA, which are millimetres
OWN_ARM = """import lissom as ls
arm = ls.load("robot.urdf", flexible="links.toml")  # links.toml names the links that bend, and their stiffness
motion = ls.predict_motion(arm, start=start, goal=goal, duration=1.0, minimise="torque_squared")
ls.view(arm, motion, export="motion.html")
"""
SIDE_FILE = """lissom_flexible = 1
[[links]]
name = "forearm_link"
[links.beam]
EI = 1200.0                                # N m^2: Young's modulus times second moment of area
modes = { bending_z = 1, bending_y = 1 }
damping = 0.01
"""


def say(words: str) -> None:
    print(f"[{time.process_time():5.1f} s] {words}", flush=True)


# ---- one arm, two plans --------------------------------------------------------------------------


def follow(arm: ls.Arm, plan: ls.Motion, until: float) -> ls.Run:
    """Simulate an arm whose joints follow a plan exactly, as stiff servos would move them, and then stand still."""
    t = np.linspace(0.0, plan.duration, 801)
    accelerations = plan.at(t)[2][:, plan.arm.joint_index]
    moved = {joint.name: ls.Profile(t, x, "cubic") for joint, x in zip(arm.joints, accelerations.T, strict=True)}
    begin = ls.equilibrium(arm, plan.q[0][plan.arm.joint_index]).q
    return ls.simulate(arm, begin, until=until, prescribed=moved, dt=1e-3, method="rk8")


def swing_after(run: ls.Run, stop: float) -> float:
    """Largest distance of the tip from its mean position after the stop [mm]."""
    tip = run.tip[run.t > stop]
    return 1e3 * float(np.linalg.norm(tip - tip.mean(axis=0), axis=1).max())


def compared(arm: ls.Arm, rigid_plan: ls.Motion, motion: ls.Motion, until: float, exaggerate: float) -> Markup:
    """Both plans on the flexible arm, side by side, and how much the tip swings after each."""
    plans = {RIGID: rigid_plan, OURS: motion}
    runs = {title: follow(arm, plan, until) for title, plan in plans.items()}
    swings = {title: swing_after(run, motion.duration) for title, run in runs.items()}
    for title, swing in swings.items():
        say(f"  {title}: after the stop the tip swings by {millimetres(swing)}")
    rows = [
        (title, millimetres(swings[title]), peaks(plan)) for title, plan in zip(runs, (rigid_plan, motion), strict=True)
    ]
    table = Listing.of(("plan", "the tip swings after the stop by", "largest torques of the joints"), rows)
    titled = {f"{title}: swings by {millimetres(swings[title])} after the stop": run for title, run in runs.items()}
    scene = embedded(arm, titled, goal=motion.q[-1], exaggerate=exaggerate)
    return Markup(scene + table.html())


def millimetres(length: float) -> str:
    return f"{length:.2g} mm" if length >= 1e-3 else "< 0.001 mm"


def peaks(plan: ls.Motion) -> str:
    most = np.abs(plan.tau[:, plan.arm.joint_index]).max(axis=0)
    return ", ".join(f"{x:.3g}" if x > 1e-3 * most.max() else "0" for x in most) + " N m"


def stiff(arm: ls.Arm) -> ls.Arm:
    """The arm as if its links did not bend."""
    for link in arm.links:
        if link.beam is not None:
            arm = arm.with_link(link.name, beam=link.beam.replace(modes=ls.Modes(bending_z=0), damping=0.0))
    return arm


def two_link(folder: Path) -> Section:
    """The flexible two-link arm of De Luca and Siciliano."""
    asked = read_task_file(HERE / "still.toml")
    task = asked.task.replace(start_acceleration=REST[:2], goal_acceleration=REST[:2])  # servos cannot jump
    say("flexible two-link arm: the plan for rigid links, and lissom's plan")
    rigid_plan = ls.predict_motion(stiff(asked.arm), task, degree=5, starts=1)
    motion = ls.predict_motion(asked.arm, task, starts=1)
    words = tag(
        "p",
        f"""Two light links of half a metre each. Their first mode needs two seconds for one swing. Both
plans move the joints from rest to the same goal in {motion.duration:g} s with the least effort, and then the joints
stand still. The plan on the left knows nothing of bending; the one on the right uses the bending.""",
    )
    scene = compared(asked.arm, rigid_plan, motion, 2.2 * motion.duration, exaggerate=1)
    return Section("A flexible arm that stops dead", Markup(words + scene + computed(motion, folder, "still")))


def puma(slim: bool) -> ls.Arm:
    """A PUMA 560 with two kilograms in its hand; Coulomb friction is left to the joint controllers."""
    arm = ls.load("puma560", flexible=HERE / "slim_links.toml" if slim else None)
    for joint in arm.joints:
        arm = arm.with_joint(joint.name, friction=0.0)
    return arm.with_payload(ls.Payload(2.0, (0.0, 0.0, 0.1)))


def six_joints(folder: Path) -> Section:
    """A six-joint robot made flexible by a side file."""
    say("PUMA 560 with slim links: the plan for rigid links, and lissom's plan")
    arm = puma(slim=True)
    task = ls.Task(
        start=np.deg2rad([-45, 20, 10, 0, -30, 0]), goal=np.deg2rad([45, 50, -40, 0, -10, 0]), duration=0.9,
        minimise="torque_squared", start_acceleration=REST, goal_acceleration=REST,
    )  # fmt: skip
    rigid_plan = ls.predict_motion(puma(slim=False), task, degree=5, starts=1)
    motion = ls.predict_motion(arm, task, starts=1)
    first = ls.modes(arm, motion.q[-1], count=1).frequencies_hz[0]
    words = tag(
        "p",
        f"""A PUMA 560 as it is in the literature, but with aluminium tubes of 25 mm as upper arm and
forearm, which a side file adds. It then vibrates at {first:.2g} Hz. Carrying 2 kg, it turns by 90 degrees in
{task.duration} s.""",
    )
    scene = compared(arm, rigid_plan, motion, 2.5, EXAGGERATE)
    return Section("A six-joint robot with slim links", Markup(words + scene + computed(motion, folder, "slim_puma")))


# ---- rigid robots --------------------------------------------------------------------------------


def transfer(folder: Path) -> Section:
    """The motion of a task file."""
    asked = read_task_file(HERE / "transfer.toml")
    say("transfer.toml: a rigid PUMA 560 between two shelves")
    motion = ls.predict_motion(asked.arm, asked.task, starts=1)
    words = tag(
        "p",
        """Rigid arms too: a PUMA 560 carries two kilograms over a point between two shelves, as quickly as
the limits of its torques and speeds allow. The task is a file of twenty lines, transfer.toml.""",
    )
    return Section("A rigid robot between two shelves",
                   Markup(words + embedded(motion.arm, motion) + computed(motion, folder, "transfer")))  # fmt: skip


def computed(motion: ls.Motion, folder: Path, name: str) -> Markup:
    """What was solved and how it was verified, with a figure; the motion's files."""
    motion.save(folder / f"{name}.nc")
    motion.to_csv(folder / f"{name}.csv", rate_hz=1000)
    solve = motion.report.seconds["build"] + motion.report.seconds["solve"]
    rows = [
        ("duration", f"{motion.duration:.4g} s"), ("cost", f"{motion.cost:.5g}"), ("status", motion.status),
        ("solved in", f"{solve:.2g} s"), ("verified by simulation", motion.verify().describe().splitlines()[0]),
        ("files", f"{name}.nc, {name}.csv"),
    ]  # fmt: skip
    say(f"  {motion.status}, {motion.duration:.4g} s; {rows[4][1]}")
    table = Listing.of(("computed in this run", ""), rows).html()
    return Markup(
        table + picture(ls.plot(motion), "Joints, torques, poses of the arm, and the progress of the solver.")
    )


def own_arm() -> Section:
    words = tag(
        "p", "Any URDF, MJCF or native file. A side file names the links that bend; without it all links are rigid."
    )
    return Section(
        "With your own arm", Markup(words + verbatim(OWN_ARM) + tag("p", "links.toml:") + verbatim(SIDE_FILE))
    )


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    sections = [
        two_link(folder),
        six_joints(folder),
        own_arm(),
        transfer(folder),
    ]
    lead = """lissom plans motions for arms that bend. The arm stops where it should and stands still: without dampers,
without waiting, and no slower than before."""
    (folder / "index.html").write_text(page("Light arms that stop dead", lead, sections), encoding="utf-8")
    say("done")
    print(f"Open {folder / 'index.html'} in a browser.")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
