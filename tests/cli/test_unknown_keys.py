"""Unknown keys in every kind of file: the file, the line, and a suggestion."""

import re

import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli.main import app

RUN = 'arm = "two_link"\nuntil = 0.1\n'
TASK = 'arm = "two_link"\nstart = [0, -2]\ngoal = [1, -1]\n'
STUDY = 'evaluate = "modes"\narm = "two_link_flexible"\n'
VARIED = '[parameters.p]\npath = "arm.links.link2.payload.mass"\nvalues = [1, 2]\n'
ARM = ls.shipped()["two_link_flexible"].read_text(encoding="utf-8")
SIDE = '[[links]]\nname = "upper"\n[links.beam]\nEI = 4.0\n'
MANY = ("simulate", RUN + "zzz = 2\n"), ("predict", TASK + "zzz = 2\n")  # files of many keys, none of them close
CASES = [
    ("simulate", RUN + "untill = 2\n", "untill", "until"),
    ("simulate", RUN + "[starts]\nq = [0, 0]\n", "starts", "start"),
    ("simulate", RUN + "[start]\nqq = [0, 0]\n", "qq", "q"),
    ("simulate", RUN + '[controller]\nkind = "pd"\nq = [0, 0]\nkp = 1\nkd = 1\nkpp = 3\n', "kpp", "kp"),
    ("simulate", RUN + '[[loads]]\nlink = "fore"\n[[loads]]\nlink = "fore"\nforse = [1, 2, 3]\n', "forse", "force"),
    ("simulate", RUN + "payload = { mass = 0.3, con = [0.1, 0, 0] }\n", "con", "com"),
    ("simulate", RUN + "[ensemble]\nruns = 2\n[ensemble.payload]\nmas = 1\n", "mas", "mass"),
    ("simulate", RUN + "[prescribed]\nfor = 1.0\n", "for", "fore"),
    ("predict", TASK + "segmnts = 3\n", "segmnts", "segments"),
    ("predict", TASK + "[limit]\ntorque = 1\n", "limit", "limits"),
    ("predict", TASK + "[limits]\nvelocity = 3\ntorque = { lowr = 1 }\n", "lowr", "lower"),
    ("predict", TASK + "[[obstacles]]\ncenter = [0, 0, 0]\nradius = 1\n", "center", "centre"),
    ("sweep", STUDY + f"outputt = []\n{VARIED}", "outputt", "outputs"),
    ("sweep", STUDY + VARIED.replace("path", "pth"), "pth", "path"),
    ("sweep", STUDY + f"[arguments]\ncoun = 2\n{VARIED}", "coun", "count"),
    ("info", ARM.replace("source =", "sourse ="), "sourse", "source"),
    ("info", ARM.replace("EI_z", "EI_q", 1), "EI_q", "EI_z"),
    ("info", ARM.replace("[links.beam]", "[links.beem]", 1), "beem", "beam"),
    ("info", ARM.replace("payload = { mass", "payload = { mas"), "mas", "mass"),
    ("side", SIDE + "lenght = 1\n", "lenght", "length"),
    ("side", "link = 3\n" + SIDE, "link", "links"),
]


@pytest.mark.parametrize(("verb", "text", "word", "meant"), CASES, ids=[f"{case[0]}-{case[2]}" for case in CASES])
def test_unknown_keys_are_named_with_their_line(verb, text, word, meant, tmp_path):
    file = tmp_path / "file.toml"
    file.write_text(text, encoding="utf-8")
    words = ["info", "two_link", "--flexible", str(file)] if verb == "side" else [verb, str(file)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    line = 1 + next(n for n, row in enumerate(text.splitlines()) if re.search(rf"\b{word}\b( =|\])", row))
    message = " ".join(done.stderr.split())
    assert f"file.toml:{line}" in message.replace(" ", "") or f"file.toml:{line}" in message
    assert word in message
    assert f"did you mean '{meant}'?" in message


@pytest.mark.parametrize(("verb", "text"), MANY)
def test_all_keys_of_a_file_are_listed(verb, text, tmp_path):
    (tmp_path / "x.toml").write_text(text)
    done = CliRunner().invoke(app, [verb, str(tmp_path / "x.toml")])
    assert done.exit_code == 1
    sentence = " ".join(done.stderr.split())
    assert re.search(r"zzz is not a key of the file; known: (\w+, ){25,}\w+\.$", sentence), sentence


def test_a_run_file_says_how_its_start_is_written(tmp_path):
    from lissom.motion.run_file import read_run_file

    file = tmp_path / "run.toml"
    file.write_text('arm = "two_link"\nuntil = 1.0\nstart = [0.1, 0.2]\n')
    with pytest.raises(ls.ModelError, match=r":3: start is \[0\.1, 0\.2\]; expected a table, \[start\] with q = "):
        read_run_file(file)


RUN = 'arm = "ur5"\nuntil = 0.1\n[controller]\nkind = "pd"\nkp = 1\nkd = 1\nq = [0, 0, 0, 0, 0, 0]\n'


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("kp =", "Kp =", ":5: Kp is not a key of [controller]; did you mean 'kp'?"),
        ("q =", "zzz =", "; known: q, kp, kd, qd, tau, gravity, limit, model, t, profile, q_deg, qd_deg."),
        ('"pd"', '"PID2"', ":4: kind is 'PID2'; did you mean 'pid'?"),
        ("0.1", '"2 s"', ":2: until is '2 s'; expected a number above 0, in seconds."),
        ("until", "lock = { wrist_3 = 0.0 }\nuntil", ":8: q has 6 entries; expected 5 (shoulder_pan, shoulder_lift, "
         "elbow, wrist_1, wrist_2). Locked joints have no entry: omit that of wrist_3."),
    ],
)  # fmt: skip
def test_slips_in_run_files_are_named_with_their_line(old, new, sentence, tmp_path):
    file = tmp_path / "run.toml"
    file.write_text(RUN.replace(old, new, 1))
    done = CliRunner().invoke(app, ["simulate", str(file)])
    assert done.exit_code == 1
    assert sentence in " ".join(done.output.split())


def test_a_space_between_numbers_is_named():
    done = CliRunner().invoke(app, ["draw", "two_link", "--q", "0,90", "-90"])
    assert done.exit_code == 2
    assert "without spaces: --q 0,90,-90" in done.output
