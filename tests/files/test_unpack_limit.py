"""How much memory a file may take: archives, declared sizes and instances."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile

import numpy as np
import pytest

import carom
from carom.errors import InvalidInputError
from carom.files.npz import NpzError, array_names, read_arrays
from carom.files.unpack_limit import UNPACK_LIMIT, check_unpacked, unpack_limit
from command_line import command, complaint


def npz_with(path, header, payload=b"", name="faces.npy"):
    text = header.encode()
    text += b" " * (63 - (len(text) + 10) % 64) + b"\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + payload)


def test_unpack_limit_is_what_the_environment_says(monkeypatch):
    monkeypatch.delenv(UNPACK_LIMIT, raising=False)
    assert unpack_limit(0) == 256_000_000
    assert unpack_limit(10**9) == 20 * 10**9
    for text, size in (("1000", 1000), ("2 kB", 2000), ("1.5GB", 1_500_000_000), ("3m", 3), (" ", 256_000_000)):
        monkeypatch.setenv(UNPACK_LIMIT, text)
        if text == "3m":
            with pytest.raises(InvalidInputError, match="CAROM_UNPACK_LIMIT is '3m'; expected a size such as 4GB"):
                unpack_limit(0)
        else:
            assert unpack_limit(0) == size


def test_check_unpacked_says_how_to_allow_more(monkeypatch):
    monkeypatch.delenv(UNPACK_LIMIT, raising=False)
    check_unpacked("a.npz", 256_000_000, 10)
    message = r"a\.npz: takes 2\.5 GB .* limit of 256 MB .* --unpack-limit 3GB .* CAROM_UNPACK_LIMIT=3GB"
    with pytest.raises(InvalidInputError, match=message):
        check_unpacked("a.npz", 2_500_000_000, 10)
    monkeypatch.setenv(UNPACK_LIMIT, "3GB")
    check_unpacked("a.npz", 2_500_000_000, 10)


HEADERS = {
    "more than stored": ("{'descr':'<f8','fortran_order':False,'shape':(10000000000000,3),}", "has 0 bytes"),
    "negative": ("{'descr':'<f8','fortran_order':False,'shape':(-1,3),}", r"should have shape \(-1, 3\)"),
    "nested": ("{'descr':'<f8','fortran_order':False,'shape':" + "(" * 3000 + ",}", "damaged"),
    "objects": ("{'descr':'|O','fortran_order':False,'shape':(3,),}", "holds Python objects"),
    "wide": ("{'descr':'(100000,100000)<f8','fortran_order':False,'shape':(100000,),}", "damaged|has 0 bytes"),
    "words": ("hello", "damaged"),
}


@pytest.mark.parametrize("case", HEADERS)
def test_npz_whose_header_is_wrong_is_refused_before_memory_is_taken(tmp_path, case):
    header, message = HEADERS[case]
    npz_with(tmp_path / "a.npz", header)
    with pytest.raises(NpzError, match=message):
        read_arrays(tmp_path / "a.npz")
    with pytest.raises(InvalidInputError, match=r"a\.npz: cannot be read as a NumPy archive"):
        carom.load_animation(tmp_path / "a.npz")


def test_npz_reads_what_numpy_writes(tmp_path):
    rng = np.random.default_rng(0)
    arrays = {
        "a.b": rng.normal(size=(3, 4)), "fortran": np.asfortranarray(rng.normal(size=(3, 4))), "none": np.empty((0, 3)),
        "one": np.array(3.5), "text": np.array(["x", "yz"]), "small": np.arange(5, dtype=np.uint8),
    }  # fmt: skip
    np.savez_compressed(tmp_path / "a.npz", **arrays)
    found = read_arrays(tmp_path / "a.npz")
    assert array_names(tmp_path / "a.npz") == list(arrays) == list(found)
    for name, array in arrays.items():
        assert np.array_equal(found[name], array)
        assert found[name].dtype == array.dtype
        assert found[name].flags.writeable
    assert list(read_arrays(tmp_path / "a.npz", ("one",))) == ["one"]


def test_npz_with_an_array_twice_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", b"")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("x.npy", b"")
    with pytest.raises(NpzError, match="holds x twice"):
        read_arrays(tmp_path / "a.npz")


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setenv(UNPACK_LIMIT, "100kB")


def test_npz_that_unpacks_to_more_than_the_limit_is_refused(tmp_path, small_limit):
    np.savez_compressed(tmp_path / "a.npz", faces=np.zeros((10_000, 3)))
    with pytest.raises(InvalidInputError, match=r"a\.npz: takes 240 kB|a\.npz: takes 240 KB"):
        carom.load_animation(tmp_path / "a.npz")
    np.savez_compressed(tmp_path / "b.npz", faces=np.zeros((10_000, 3), dtype=np.uint8))
    with pytest.raises(InvalidInputError, match=r"b\.npz: takes 240"):
        carom.load_animation(tmp_path / "b.npz")


def archive_with(path, names, data):
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                archive.writestr(name, data)
        return
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


TRIANGLE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_archive_of_mesh_files_is_one_mesh(tmp_path, name):
    archive_with(tmp_path / name, ["b.obj", "folder/a.obj", "__MACOSX/b.obj", "notes.txt"], TRIANGLE)
    assert carom.load(tmp_path / name).faces.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
@pytest.mark.parametrize(
    ("files", "data", "message"),
    [
        (["../x.obj"], TRIANGLE, r"holds '\.\./x\.obj'; expected names inside"),
        (["/x.obj"], TRIANGLE, "expected names inside"),
        (["x.txt"], TRIANGLE, "holds no mesh file"),
        (["bad.obj"], TRIANGLE + b"f 1 2 9\n", r"a\.(zip|tar\.gz)/bad\.obj: line 5: face 1 joins vertices \[0, 1, 8\]"),
        (["big.obj"], TRIANGLE + b"#" * 200_000, "more than the limit of 100 KB"),
    ],
    ids=["outside", "absolute", "no mesh", "bad mesh", "too much"],
)
def test_archive_that_is_wrong_is_refused(tmp_path, small_limit, name, files, data, message):
    archive_with(tmp_path / name, files, data)
    with pytest.raises(InvalidInputError, match=message):
        carom.load(tmp_path / name)
    assert not list(tmp_path.parent.glob("x.obj"))


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.tar.bz2", "a.tar.xz", "a.tar", "a.tgz"])
def test_archive_that_is_none_is_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(InvalidInputError, match="cannot be unpacked: it is damaged or cut off"):
        carom.load(tmp_path / name)


def test_archive_of_zeros_is_refused_while_it_unpacks(tmp_path, small_limit):
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(bytes(3_000_000)))
    with pytest.raises(InvalidInputError, match="more than the limit"):
        carom.load(tmp_path / "a.tar.gz")


DAMAGED = {
    "nan.obj": b"v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n",
    "nan.stl": struct.pack("<80sI", b"", 1) + struct.pack("<12fH", *[np.nan] * 12, 0),
    "deep.gltf": b"[" * 100_000,
    "huge.ply": b"ply\nformat binary_little_endian 1.0\nelement vertex 99999999999999\nproperty float x\nproperty float y\n"
    b"property float z\nelement nothing 99999999999999\nend_header\n",
    "huge.off": b"OFF\n99999999999999 99999999999999 0\n",
    "bytes.off": b"OFF\n3 1 0\n0 0 \xff\xfe\x00\n0 1 0\n1 0 0\n3 0 1 2\n",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_command_says_in_one_message_what_is_wrong_with_a_damaged_mesh(tmp_path, monkeypatch, capsys, name):
    (tmp_path / name).write_bytes(DAMAGED[name])
    monkeypatch.chdir(tmp_path)
    code, out, err = command(monkeypatch, capsys, "query")("distance", name, "box:1,1,1")
    assert (code, out) == (2, "")
    assert f"A: {name}: " in complaint(err)


@pytest.mark.parametrize("text", ["until = " + "[" * 50_000, "until = " + "9" * 5000, "until = 1\x00"])
def test_command_says_in_one_message_what_is_wrong_with_a_damaged_scene(tmp_path, monkeypatch, capsys, text):
    (tmp_path / "a.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    code, out, err = command(monkeypatch, capsys, "run")("a.toml")
    assert (code, out) == (2, "")
    assert "line 1" in complaint(err)


COMMANDS = {
    "query": (["distance", "big.zip", "box:1,1,1"], 0),
    "check": (["big.npz"], 0),
    "run": (["big.toml", "--no-log"], 0),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_command_takes_a_limit_that_counts_more_than_the_variable(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    archive_with(tmp_path / "big.zip", ["a.obj"], TRIANGLE + b"#" * 200_000)
    corners = np.repeat([[[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]], 3000, axis=0)
    np.savez_compressed("big.npz", vertices=corners, faces=[[0, 1, 2]], times=np.arange(3000.0))
    np.savez_compressed("many.npz", positions=np.arange(30_000.0).reshape(-1, 3) * 9.0)
    (tmp_path / "big.toml").write_text(
        "until = 0.01\n[shapes.ball]\nkind = 'sphere'\nradius = 1\n[[swarms]]\nshape = 'ball'\n"
        "positions = { file = 'many.npz', array = 'positions' }\n"
    )
    call, (arguments, code) = command(monkeypatch, capsys, name), COMMANDS[name]
    monkeypatch.setenv(UNPACK_LIMIT, "100kB")
    refused = call(*arguments)
    assert refused[0] == 2
    assert "--unpack-limit 1GB" in complaint(refused[2])
    assert call(*arguments, "--unpack-limit", "1MB")[0] == code
    assert call(*arguments)[0] == 2, "the option holds for one command"
    monkeypatch.delenv(UNPACK_LIMIT)
    assert call(*arguments)[0] == code
    assert call(*arguments, "--unpack-limit", "100 kB")[0] == 2
    wrong = call(*arguments, "--unpack-limit", "much")
    assert (wrong[0], complaint(wrong[2])) == (2, "carom: --unpack-limit is 'much'; expected a size such as 4GB")
