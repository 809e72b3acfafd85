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

HERE = Path(__file__).parent
TITLE = "Light arms that stop dead"
LEAD = """lissom plans motions for arms that bend. The arm stops where it should and stands still: without dampers,
without waiting, and no slower than before."""
EXAGGERATE = 4  # deflections of the PUMA, which are millimetres
OWN_ARM = """import lissom as ls
arm = ls.load("robot.urdf", flexible="links.toml")  # links.toml names the links that bend, and their stiffness
motion = ls.predict_motion(arm, start=start, goal=goal, duration=1.0, minimise="torque_squared")
page = ls.WebPage("My arm")
page.add_comparison(motion)
page.save("my_arm.html")
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


def still_motion() -> ls.Motion:
    """The flexible two-link arm of De Luca and Siciliano."""
    given = ls.load_task(HERE / "still.toml")
    return ls.predict_motion(given.arm, given.task, starts=1)


def two_link(page: ls.WebPage, folder: Path) -> None:
    say("flexible two-link arm: the plan for rigid links, and lissom's plan")
    motion = still_motion()
    page.add_section("A flexible arm that stops dead")
    page.add_text(f"""Two light links of half a metre each. Their first mode needs two seconds for one swing. Both plans
        move the joints from rest to the same goal in {motion.duration:g} s with the least effort, and then the joints
        stand still. The first plan knows nothing of bending; the second uses it.""")
    compare(page, motion, after=1.2 * motion.duration)
    add_result(page, motion, folder, "still")


def slim_puma() -> ls.Arm:
    """A PUMA 560 with slim tubes and 2 kg in its hand; Coulomb friction is left to the joint controllers."""
    arm = ls.load("puma560", flexible=HERE / "slim_links.toml")
    for joint in arm.joints:
        arm = arm.with_joint(joint.name, friction=0.0)
    return arm.with_payload(ls.Payload(2.0, (0.0, 0.0, 0.1)))


def six_joints(page: ls.WebPage, folder: Path) -> None:
    """A six-joint robot made flexible by a side file."""
    say("PUMA 560 with slim links: the plan for rigid links, and lissom's plan")
    arm, rest = slim_puma(), np.zeros(6)
    motion = ls.predict_motion(
        arm, start=np.deg2rad([-45, 20, 10, 0, -30, 0]), goal=np.deg2rad([45, 50, -40, 0, -10, 0]), duration=0.9,
        minimise="torque_squared", start_acceleration=rest, goal_acceleration=rest, starts=1,
    )  # fmt: skip
    first = ls.modes(arm, motion.q[-1], count=1).frequencies_hz[0]
    page.add_section("A six-joint robot with slim links")
    page.add_text(f"""A PUMA 560 as it is in the literature, but with aluminium tubes of 25 mm as upper arm and forearm,
        which a side file adds. It then vibrates at {first:.2g} Hz. Carrying 2 kg, it turns by 90 degrees in
        {motion.duration:g} s.""")
    compare(page, motion, after=1.6, exaggerate=EXAGGERATE)
    add_result(page, motion, folder, "slim_puma")


def compare(page: ls.WebPage, motion: ls.Motion, **options: float) -> None:
    """Both plans side by side."""
    for title, metres in page.add_comparison(motion, **options).items():
        swing = f"{1e3 * metres:.2g} mm" if metres >= 1e-6 else "< 0.001 mm"
        say(f"  {title}: after the stop the tip swings by {swing}")


# ---- rigid robots --------------------------------------------------------------------------------


def transfer(page: ls.WebPage, folder: Path) -> None:
    """The motion of a task file."""
    given = ls.load_task(HERE / "transfer.toml")
    say("transfer.toml: a rigid PUMA 560 between two shelves")
    motion = ls.predict_motion(given.arm, given.task, starts=1)
    page.add_section("A rigid robot between two shelves")
    page.add_text("""Rigid arms too: a PUMA 560 carries two kilograms over a point between two shelves, as quickly as
        the limits of its torques and speeds allow. The task is a file of twenty lines, transfer.toml.""")
    page.add_scene(motion.arm, motion)
    add_result(page, motion, folder, "transfer")


def add_result(page: ls.WebPage, motion: ls.Motion, folder: Path, name: str) -> None:
    """What was solved and how it was verified, with a figure; the motion's files."""
    motion.save(folder / f"{name}.nc")
    motion.to_csv(folder / f"{name}.csv", rate_hz=1000)
    solve = motion.report.seconds["build"] + motion.report.seconds["solve"]
    found = motion.verify()
    error = np.abs(found.joint_error[motion.arm.joint_index]).max()
    say(f"  {motion.status}, {motion.duration:.4g} s; {found.status}")
    rows = [
        ("duration", f"{motion.duration:.4g} s"), ("cost", f"{motion.cost:.5g}"), ("status", motion.status),
        ("solved in", f"{solve:.2g} s"),
        ("simulated under these torques alone", f"{found.status}; joints within {error:.1g} rad of the plan"),
        ("files", f"{name}.nc, {name}.csv"),
    ]  # fmt: skip
    page.add_table(("computed in this run", ""), rows)
    page.add_figure(ls.plot(motion), "Joints, torques, poses of the arm, and how much of its limits the motion uses.")


def own_arm(page: ls.WebPage) -> None:
    page.add_section("With your own arm")
    page.add_text("Any URDF, MJCF or native file. A side file names the links that bend; this writes a page like this.")
    page.add_code(OWN_ARM)
    page.add_text("links.toml:")
    page.add_code(SIDE_FILE)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    page = ls.WebPage(TITLE, LEAD)
    two_link(page, folder)
    six_joints(page, folder)
    own_arm(page)
    transfer(page, folder)
    written = page.save(folder / "index.html")
    say("done")
    print(f"Open {written} in a browser.")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
