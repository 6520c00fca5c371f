"""A few seconds of the fuzzers of files in every run of the tests; `make fuzz` goes on from there."""

import pytest

from fuzz.cases.damage import damaged
from fuzz.failure import Failure
from fuzz.subjects import files, scenes


def run_some(subject, cases):
    for seed in range(cases):
        subject.cases(seed)


@pytest.mark.parametrize("subject", [files, scenes], ids=["files", "scenes"])
def test_files_intact_and_damaged_are_read_right_or_refused_in_one_line(subject):
    run_some(subject, 300)


def test_file_fuzzer_notices_a_reader_that_is_wrong(monkeypatch):
    from carom.io import mesh_file

    fan = mesh_file.triangulated

    def turned(mesh):
        return fan(mesh)[:, [0, 1, 1]]

    monkeypatch.setattr(mesh_file, "triangulated", turned)
    with pytest.raises(Failure, match=r"area|count") as caught:
        run_some(files, 60)
    compile(caught.value.script, "script", "exec")
    assert "carom.load(first)" in caught.value.script


def test_damage_changes_most_files():
    import numpy as np

    data = bytes(range(200))
    assert sum(damaged(np.random.default_rng(seed), data) != data for seed in range(50)) > 45
