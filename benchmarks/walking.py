"""Predicted walks beside a measured one, and beside published predictions: likeness, numbers, audit, CPU time.

``python benchmarks/walking.py --data FOLDER [--joints 13,31,55] [--free] [--starts 5]``

FOLDER holds tables of OpenSim: the measured walk (gait10dof18_subject01_walk_{IK,grf}.mot of opensim-models), and
the predictions of PredSim (falisse_predsim_ref_{motion,GRF}.mot) and Moco (moco2d_reference{Coordinates,GRF}.sto).
They are not part of lissom. Without them the likeness is left out.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import lissom as ls

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "gait"
MEASURED = ("gait10dof18_subject01_walk_IK.mot", "gait10dof18_subject01_walk_grf.mot")
OTHERS = {
    "PredSim": ("falisse_predsim_ref_motion.mot", "falisse_predsim_ref_GRF.mot"),
    "Moco": ("moco2d_referenceCoordinates.sto", "moco2d_referenceGRF.sto"),
}
SUBJECT = 72.6  # kg
SPEED, STEP = 1.33, 0.692  # m/s, m
CURVES = ("hip", "knee", "ankle", "vertical", "fore_aft")


def measured(folder: Path):
    """Curves of the measured walk; None without its files."""
    files = [folder / name for name in MEASURED]
    return ls.load_gait(*files, mass=SUBJECT, name="measured") if all(file.is_file() for file in files) else None


def likeness_line(name: str, curves, reference) -> str:
    """Five errors and correlations in one line."""
    from lissom.gait.curves import likeness

    found = likeness(curves, reference)
    return f"{name:22s}" + "  ".join(f"{word} {found[word].rmse:.3g} r {found[word].r:.3f}" for word in CURVES)


def walked(joints: int, **options):
    """A walk, and the CPU seconds that it took."""
    person = ls.human(height=1.741, mass=73.0, joints=joints)
    begin = time.process_time()
    motion = ls.predict_walk(person, SPEED, options.pop("step", STEP), on_failure="return", **options)
    return motion, time.process_time() - begin


def show(name: str, motion, cpu: float, reference) -> None:
    """Print status, numbers and likeness of a walk."""
    print(
        f"{name}: {motion.status}, cost {motion.cost:.4f}, {len(motion.report.iterations)} iterations, CPU {cpu:.1f} s"
    )
    if not motion.ok:
        return
    report = ls.gait_report(motion)
    words = ("step_length_right", "cadence", "stance", "double_support", "vertical_first_peak", "vertical_valley",
             "vertical_second_peak", "work")  # fmt: skip
    print("   " + "  ".join(f"{word} {report[word]:.3g}" for word in words if word in report.names))
    moment = report.right.curves.get("ankle_moment")
    if moment is not None:
        print(f"   ankle moment {moment.max():.2f} N m/kg")
    if reference is not None:
        print("   " + likeness_line("", report.right, reference).strip())
    print("   " + str(motion.verify()).replace("\n", "\n   "))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--joints", default="13,31,55")
    parser.add_argument("--free", action="store_true", help="only the speed given")
    parser.add_argument("--starts", type=int, default=0, help="random starts of the planar person, one by one")
    chosen = parser.parse_args()
    reference = measured(chosen.data)
    if reference is not None:
        for name, files in OTHERS.items():
            if all((chosen.data / file).is_file() for file in files):
                print(likeness_line(name, ls.load_gait(*(chosen.data / file for file in files)), reference))
    for joints in (int(word) for word in chosen.joints.split(",") if word):
        if chosen.free:
            for speed in (1.0, SPEED, 1.6):
                begin = time.process_time()
                person = ls.human(height=1.741, mass=73.0, joints=joints)
                motion = ls.predict_walk(person, speed, on_failure="return")
                show(f"{joints} joints at {speed} m/s", motion, time.process_time() - begin, None)
        else:
            show(f"{joints} joints", *walked(joints), reference)
    if chosen.starts:
        motion, cpu = walked(13, starts=chosen.starts + 1)
        print(f"1 start from the guess and {chosen.starts} random ones (0.15 rad), CPU {cpu:.1f} s:")
        for row in motion.report.starts:
            print(f"   {row['status']}, cost {row['cost']:.4f}, {row['iterations']} iterations")


if __name__ == "__main__":
    main()
