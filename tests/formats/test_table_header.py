"""Comment lines at the top of tables."""

import numpy as np
import pytest

import lissom as ls
from lissom.formats.table_header import header_lines, header_of, read_header

ARM = ls.load("tree_demo")


def text(header):
    return "".join(f"# {line}\n" for line in header_lines(header)) + "t,q[a]\n0,1\n"


def test_round_trip():
    arm = ARM.with_payload(ls.Payload(0.3, (0.1, 0.2, 0.3), np.diag([1e-3, 2e-3, 2.5e-3])), ARM.ends[0])
    samples = np.array([[0.0, 1, 2], [3, 4, 5]])
    loads = [ls.Load(ARM.ends[1], force=[1, 2, 3.5], point=[0, 0.1, 0]), ls.Load(ARM.ends[0], moment=samples)]
    again = read_header(text(header_of(arm, loads, 0.7)))
    assert again.arm == "tree_demo"
    assert again.digest == arm.digest
    assert again.payloads == {link.name: link.payload for link in arm.links if link.payload is not None}
    assert ARM.ends[0] in again.payloads
    assert again.loads == tuple(loads)
    half = again.loads_at(np.array([0.35]))
    assert half[1].moment == pytest.approx(samples.mean(axis=0)[None])
    assert half[0].force.tolist() == [1, 2, 3.5]


def test_loads_without_numbers():
    header = header_of(ARM, [{"link": ARM.ends[0], "varies": True}])
    assert read_header(text(header)).varying == (ARM.ends[0],)


@pytest.mark.parametrize(
    "damaged",
    [
        "t,q\n0,1\n",
        '# arm: "a"\nt,q\n',
        '# arm: "a"\n# digest: {\nt\n',
        '# arm: "a"\n# digest: "d"\n# payload: [{"mass": 1}]\nt\n',
        '# arm: "a"\n# digest: "d"\n# payload: [3]\nt\n',
        '# arm: "a"\n# digest: "d"\n# payload: [{"link": "x", "mass": -1}]\nt\n',
        '# arm: "a"\n# digest: "d"\n# loads: 7\nt\n',
        '# arm: "a"\n# digest: "d"\n# loads: [{"link": "x", "farce": [1, 2, 3]}]\nt\n',
        '# arm: "a"\n# digest: "d"\n# duration: "long"\nt\n',
        '# arm: "a"\n# digest: "d"\n# duration: -0.5\nt\n',
        '# arm: "a"\n# digest: "d"\n# duration: NaN\nt\n',
        '# arm: "a"\n# digest: "d"\n# duration: 1e999\nt\n',
        f'# arm: "a"\n# digest: "d"\n# duration: {"9" * 400}\nt\n',
        f'# arm: "a"\n# digest: "d"\n# duration: {"9" * 9000}\nt\n',
        f'# arm: "a"\n# digest: "d"\n# payload: [{{"link": "x", "mass": {"9" * 400}}}]\nt\n',
        't,q\n# arm: "a"\n# digest: "d"\n',
    ],
)
def test_damaged_headers_are_passed_over(damaged):
    assert read_header(damaged) is None
