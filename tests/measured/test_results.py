"""Results that travel: taken over where they fit, whole, from any place; refused where they do not."""

from __future__ import annotations

import http.server
import io
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from hostile_files import hostile_archives
from measured import archives, build, commands, files
from measured.errors import MeasuredError
from measured.making import workflow
from measured.making.beside import Beside
from measured.making.products import RecordProduct
from measured.making.vouchers import Voucher, key_of
from measured.project import Project
from measured.results import archive, fetching, remeasuring, taking
from measured.site.results import Results
from samples import ENGINE, Sample, copy

NAMES = ("fair/seed0", "fair/seed1", "fair/seed2")


@pytest.fixture
def source(accepted, monkeypatch):
    """A built project, from which others take."""
    monkeypatch.syspath_prepend(str(accepted.root / "src"))
    return accepted.root


class Taking:
    """A clone of the sample without runs, and what is said while it takes some over."""

    def __init__(self, root):
        self.root, self.said = root, []
        shutil.rmtree(root / "build" / "runs")
        self.project = Project.load(root)

    def take(self, address):
        self.said = []
        stale = [job for job in workflow.jobs(self.project) if job.why]
        return taking.take_over(self.project, stale, str(address), self.said.append)

    @property
    def told(self):
        return "\n".join(self.said)

    def runs(self):
        folder = self.root / "build" / "runs"
        return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*.*"))}

    def arrays(self):
        return {name: data for name, data in self.runs().items() if name.endswith(".npz")}


@pytest.fixture
def clone(source, tmp_path):
    return Taking(copy(source, tmp_path / "clone").root)


def stored(root):
    return {f"{name}.npz": (root / "build/runs" / f"{name}.npz").read_bytes() for name in NAMES}


# Places


@pytest.mark.parametrize("place", ["", "build", "build/runs", "site", "site/runs", "site/runs/runs.zip"])
def test_runs_are_taken_over_from_any_form_of_a_project(source, clone, place):
    assert clone.take(source / place) == 3
    assert clone.said == [f"taken over from {source / place}: 3 of 3 runs"]
    assert clone.arrays() == stored(source)
    assert not [job for job in workflow.jobs(clone.project) if job.name in NAMES and job.why]
    assert all(Voucher.read(clone.root / f"build/runs/{name}.json").taken for name in NAMES)


def test_what_is_fresh_is_not_replaced(source, clone):
    clone.take(source)
    before = clone.runs()
    assert clone.take(source) == 0
    assert clone.said == []
    assert clone.runs() == before


@contextmanager
def served(folder, handler=http.server.SimpleHTTPRequestHandler):
    asked = []

    class Quiet(handler):
        def log_message(self, *_):
            asked.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield SimpleNamespace(address=f"http://127.0.0.1:{server.server_port}", asked=asked)
    finally:
        server.shutdown()
        server.server_close()


def test_runs_are_taken_over_from_a_published_site(source, clone):
    with served(source / "site") as site:
        assert clone.take(site.address + "/") == 3
        assert site.asked == ["/runs/index.json", "/runs/runs.zip"]
    assert clone.arrays() == stored(source)
    assert list((clone.root / "build/fetched").iterdir()) == []


def test_a_site_that_has_none_is_asked_for_its_index_alone(source, clone):
    other = clone.root / "src/dice/throwing.py"
    other.write_text(other.read_text("utf-8").replace("SIDES + 1", "1 + SIDES"), "utf-8")
    sources = workflow.sources_of(clone.project)
    assert sources.hash_of(other) != sources.hash_of(source / "src/dice/throwing.py")
    jobs = [job for job in workflow.jobs(clone.project) if job.why]
    for job in jobs:
        if job.name in NAMES:
            job.product.inputs()["module dice.throwing"] = sources.hash_of(other)
    said = []
    with served(source / "site") as site:
        assert taking.take_over(clone.project, jobs, site.address, said.append) == 0
        assert site.asked == ["/runs/index.json"]
    assert said[0].endswith(": 0 of 3 runs (3 are of other code, data or versions)")
    said.clear()
    assert taking.take_over(clone.project, jobs, str(source), said.append) == 0
    assert said[1] == "  other: fair/seed0: module dice.throwing changed"


def test_a_site_that_lacks_them_or_altered_its_archive_is_told(source, clone, tmp_path):
    with served(tmp_path) as site:
        assert clone.take(site.address) == 0
    assert "cannot be had: 404" in clone.told
    shutil.copytree(source / "site/runs", tmp_path / "runs")
    packed = bytearray((tmp_path / "runs/runs.zip").read_bytes())
    for change in (packed[:-10], packed + b"x", bytes([*packed[:80], packed[80] ^ 1, *packed[81:]])):
        (tmp_path / "runs/runs.zip").write_bytes(change)
        with served(tmp_path) as site:
            assert clone.take(site.address) == 0
        assert "larger than it may be" in clone.told or "its index vouches for" in clone.told
        assert clone.runs() == {}


def test_another_host_is_not_followed(source, clone):
    class Elsewhere(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            self.send_response(302)
            self.send_header("Location", "http://localhost:1/runs/index.json")
            self.end_headers()

    with served(source, Elsewhere) as site:
        assert clone.take(site.address) == 0
    assert "leads to another host (localhost)" in clone.told


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{"])
def test_a_site_that_is_silent_or_drips_is_given_up_after_seconds(clone, monkeypatch, answer):
    monkeypatch.setattr(fetching, "PATIENCE", 0.4)
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = threading.Event()

        def drip():
            connection, _ = server.accept()
            with connection:
                connection.sendall(answer)
                while not done.wait(0.05):
                    if answer:
                        connection.sendall(b" ")

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        assert clone.take(f"http://127.0.0.1:{server.getsockname()[1]}") == 0
        done.set()
        thread.join(5)
    assert "did not answer within" in clone.told
    assert clone.said[-1] == "  what is missing is measured here"


def test_nobody_at_an_address_is_told_and_the_rest_is_measured(clone):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert clone.take(f"http://127.0.0.1:{port}") == 0
    assert "does not answer" in clone.told


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("../nowhere", "there are no results at"),
        ("src", "there are no results in this folder"),
        ("http://example.org", "anybody on the way could answer"),
        ("ftp://example.org/x", "anybody on the way could answer"),
        ("file:///etc/passwd", "anybody on the way could answer"),
        ("https://me:secret@example.org", "is no address of a site"),
        ("https://example.org:port", "is no address"),
    ],
)
def test_an_address_that_somebody_has_to_mend_stops_the_build(clone, address, told):
    with pytest.raises(MeasuredError, match=told):
        clone.take(address)


# Damage and malice


def offer(clone, data):
    place = clone.root / "offered.zip"
    place.write_bytes(data)
    try:
        return clone.take(place)
    finally:
        place.unlink()


def test_an_archive_cut_short_or_altered_gives_whole_runs_or_none(source, clone):
    whole, good = (source / "site/runs/runs.zip").read_bytes(), stored(source)
    rng = np.random.default_rng(0)
    for at in [0, 1, 40, *rng.integers(0, len(whole), 20), len(whole) - 1]:
        altered = bytearray(whole)
        altered[at] ^= 1 << int(rng.integers(8))
        for data in (bytes(altered), whole[:at]):
            taken = offer(clone, data)
            found = clone.arrays()
            assert len(found) == taken
            assert all(good[name] == content for name, content in found.items())
            shutil.rmtree(clone.root / "build/runs", ignore_errors=True)
    assert offer(clone, whole) == 3


def packed(entries, **more):
    """An archive of anything, as one who knows the engine would make it."""
    members = {f"{voucher.key}.json": voucher.as_bytes() for _, voucher, _ in entries}
    members |= {f"{voucher.arrays}.npz": data for _, voucher, data in entries}
    listed = [{"name": name, "key": v.key, "arrays": v.arrays} for name, v, _ in entries]
    index = {"schema": archive.SCHEMA, "runs": listed}
    return archive._zipped({**members, archive.INDEX: files.json_bytes(archives.sealed(index)), **more})


def honest(source, name=NAMES[0]):
    path = source / "build/runs" / f"{name}.json"
    return Voucher.read(path), path.with_suffix(".npz").read_bytes()


def test_arrays_of_a_hostile_sender_are_refused_under_right_hashes_and_seals(source, clone):
    voucher, good = honest(source)
    assert offer(clone, packed([(NAMES[0], voucher, good)])) == 1
    shutil.rmtree(clone.root / "build/runs")
    for what, data in hostile_archives():
        lying = replace(voucher, arrays=files.sha256(data))
        assert offer(clone, packed([(NAMES[0], lying, data)])) == 0, what
        assert "1 are refused" in clone.told, what
        assert clone.runs() == {}, what


def with_part(voucher, part, sha="0" * 64):
    return replace(voucher, fingerprint={**voucher.fingerprint, part: sha})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda v: with_part(v, "file ../../../etc/passwd"), "is no name of a file"),
        (lambda v: with_part(v, "file /etc/passwd"), "is no name of a file"),
        (lambda v: with_part(v, "folder .."), "is no name of a file"),
        (lambda v: with_part(v, "file src"), "is no plain file"),
        (lambda v: with_part(v, "variable $(id)"), "names the variable"),
        (lambda v: with_part(v, "anything else"), "is no voucher of a run of this engine"),
        (lambda v: with_part(v, "file data/loaded_die.csv"), "file data/loaded_die.csv changed"),
        (lambda v: replace(v, arrays="../x"), "is no voucher of a run of this engine"),
        (lambda v: replace(v, environment={"python": "3"}), "describes no machine"),
        (
            lambda v: replace(v, environment={**v.environment, "versions": {"numpy": "0"}}),
            "other versions than its key",
        ),
        (lambda v: replace(v, environment={**v.environment, "system": ["Linux"]}), "has no machine"),
        (lambda v: replace(v, environment={**v.environment, "system": "x" * 999}), "has no machine"),
        (lambda v: with_part(v, "python", "CPython 2.7"), "python changed|other versions"),
    ],
)
def test_a_voucher_that_says_odd_things_is_refused(source, clone, change, told):
    voucher, good = honest(source)
    odd = change(voucher)
    members = {f"{voucher.key}.json": odd.as_bytes()}
    data = packed([(NAMES[0], voucher, good)], **members)
    assert offer(clone, data) == 0
    assert any(one in clone.told for one in told.split("|")), clone.told
    assert clone.runs() == {}


def zip_of(members, **options):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", **options) as made:
        for name, data in members:
            made.writestr(zipfile.ZipInfo(name), data)
    return stream.getvalue()


def many(count):
    return zip_of((f"{n:064x}.npz", b"") for n in range(count))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "cut short"),
        (b"no archive at all" * 9, "cut short"),
        (zip_of([("../../escaped", b"x")]), "it holds '../../escaped'"),
        (zip_of([("/etc/escaped", b"x")]), "it holds '/etc/escaped'"),
        (zip_of([(f"{'0' * 64}.sh", b"x")]), "it holds"),
        (zip_of([]), "lacks index.json"),
        (zip_of([("index.json", b"[]")]), "no index of runs"),
        (zip_of([("index.json", b"{")]), "no JSON"),
        (zip_of([("index.json", b"{}"), ("index.json", b"{}")]), "two of one name"),
        (many(300) + bytes(1), "cut short"),
        (zip_of([("index.json", b" " * (archives.JSON + 1))]), "would be larger than"),
    ],
)
def test_an_archive_of_something_else_is_refused(clone, data, told):
    assert offer(clone, data) == 0
    assert told in clone.told
    assert not (clone.root.parent / "escaped").exists()


def test_a_table_of_contents_is_bounded_before_it_is_read(clone, monkeypatch):
    monkeypatch.setattr(archive, "_DIRECTORY", 1000)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert offer(clone, MANY) == 0
    assert "table of contents" in clone.told


MANY = many(30)


@pytest.mark.parametrize(
    "index",
    [
        {"schema": 3, "runs": []},
        {"schema": 2, "runs": [], "records": {}},
        {"schema": 2, "runs": [], "records": [{"name": "a", "key": "../a", "arrays": "0" * 64}]},
        {"schema": 1, "runs": {}},
        {"schema": 1, "runs": [{"name": "fair/seed0"}]},
        {"schema": 1, "runs": [{"name": 1, "key": "0" * 64, "arrays": "0" * 64}]},
        {"schema": 1, "runs": [{"name": "a", "key": "../a", "arrays": "0" * 64}]},
        {"schema": 1, "runs": [{"name": "a", "key": "0" * 64, "arrays": "0" * 64}] * 2},
        {"schema": 1, "runs": [], "archive": {"bytes": 1 << 60, "sha256": "0" * 64}},
        {"schema": 1, "runs": [], "archive": {"bytes": True, "sha256": "0" * 64}},
        {"schema": 1, "runs": [], "archive": {"bytes": 5, "sha256": "0"}},
        {"schema": 1, "runs": [], "more": 1},
    ],
)
def test_an_index_of_another_form_is_refused(index):
    with pytest.raises(MeasuredError):
        archive.read_index(files.json_bytes(archives.sealed(index)))
    with pytest.raises(MeasuredError, match="changed since"):
        archive.read_index(files.json_bytes(index))


def test_a_disk_that_fills_stops_with_whole_runs_and_an_error(source, clone, monkeypatch):
    write, count = files.write_bytes, []

    def full(path, data):
        count.append(path)
        if len(count) == 4:  # the arrays of the second run are there, and its voucher is not
            raise MeasuredError("cannot write: No space left on device", path=path, mend="free some space")
        write(path, data)

    monkeypatch.setattr(files, "write_bytes", full)
    with pytest.raises(MeasuredError, match="No space left"), served(source / "site") as site:
        clone.take(site.address)
    assert list(clone.arrays()) == ["fair/seed0.npz", "fair/seed1.npz"]
    assert list((clone.root / "build/fetched").iterdir()) == []
    monkeypatch.setattr(files, "write_bytes", write)
    assert {job.name for job in workflow.jobs(clone.project) if job.why} >= {"fair/seed1", "fair/seed2"}
    assert clone.take(source) == 2


def test_what_is_fetched_does_not_fit_on_the_disk(source, clone, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fetching.tempfile, "NamedTemporaryFile", full)
    with served(source / "site") as site:
        assert clone.take(site.address) == 0
    assert "cannot be written: No space left on device" in clone.told


# What is published


def test_the_same_runs_are_the_same_archive_and_say_nothing_of_who_took_them(source, clone):
    clone.take(source)
    ours, theirs = (dict(Results.of(Project.load(root)).files()) for root in (source, clone.root))
    assert ours == theirs
    assert ours["runs/runs.zip"] == (source / "site/runs/runs.zip").read_bytes()
    assert Results.of(Project.load(source)).taken_in_words() == {}
    (said,) = Results.of(clone.project).taken_in_words().values()
    assert said.startswith("3 of its 3 runs were taken over, measured on another machine: Python 3.")
    assert not Results.of(Project.load(source, quick=True)).records


def test_a_key_is_what_is_known_before_the_work():
    known = {"module a": "1", "parameters": "2", "package numpy": "3", "python": "4", "settings": "5"}
    assert key_of({**known, "file data": "6", "folder .": "7", "code a.py": "8"}) == key_of(known)
    assert key_of({**known, "parameters": "3"}) != key_of(known)


# Records


@pytest.fixture
def bare(clone, monkeypatch):
    """A clone with neither runs nor records, whose own code is imported."""
    shutil.rmtree(clone.root / "build/records")
    for name in [name for name in sys.modules if name.partition(".")[0] == "dice"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(clone.root / "src"))
    monkeypatch.setenv("PYTHONPATH", str(clone.root / "src"))
    return clone


def records(root):
    return {name: data for name, data in Sample(root).tree("build/records").items() if "taken" not in name}


@pytest.mark.parametrize("place", ["", "build/runs", "site/runs/runs.zip"])
def test_records_are_taken_over_after_their_runs(source, bare, place):
    assert bare.take(source / place) == 5, bare.told
    assert bare.said == [f"taken over from {source / place}: 3 of 3 runs, and 2 of 2 records"]
    assert records(bare.root) == records(source)
    assert not [job for job in workflow.jobs(bare.project) if job.why]
    assert [job.name for job in remeasuring.taken_over(workflow.jobs(bare.project), RecordProduct)] == [
        "fair",
        "loaded",
    ]
    anew = {job.name for job in workflow.jobs(bare.project, all_here=True) if job.why}
    assert anew == {*NAMES, "fair", "loaded", "figure fair.counts"}


def test_a_record_that_fits_what_was_taken_over_is_not_replaced(source, clone):
    assert clone.take(source) == 3
    assert not list((clone.root / "build/records").glob("*.taken"))


def test_a_record_waits_for_a_run_that_nobody_has(source, bare):
    assert offer(bare, packed([(name, *honest(source, name)) for name in NAMES[:2]])) == 2
    assert "2 of 3 runs (1 are not there), and 0 of 1 records (1 are not there)" in bare.told


def test_a_record_that_is_made_here_was_not_taken_over(source, bare):
    bare.take(source)
    jobs = [job for job in workflow.jobs(bare.project, all_here=True) if job.name == "loaded"]
    assert jobs[0].product.taken
    build.make(bare.project, jobs, lambda _: None, 1)
    assert not jobs[0].product.taken
    assert records(bare.root) == records(source)


def sent_record(source, change=dict, arrays=None, name="loaded"):
    """A record as one who knows the engine would make it, alone in an archive."""
    path = source / f"build/records/{name}.json"
    packed_arrays = path.with_suffix(".npz").read_bytes() if arrays is None else arrays
    data = json.loads(path.read_text("utf-8"))
    key = key_of(data["fingerprint"])
    changed = {**change(data), "arrays_sha256": files.sha256(packed_arrays)}
    entry = {"name": name, "key": key, "arrays": files.sha256(packed_arrays)}
    index = {"schema": archive.SCHEMA, "runs": [], "records": [entry]}
    return archive._zipped(
        {
            f"{key}.json": files.json_bytes(archives.sealed(changed)),
            f"{entry['arrays']}.npz": packed_arrays,
            archive.INDEX: files.json_bytes(archives.sealed(index)),
        }
    )


def with_record_part(data, part, sha="0" * 64):
    return {**data, "fingerprint": {**data["fingerprint"], part: sha}}


def without_claims(data):
    return {**data, "claims": []}


def with_claim(data, **change):
    return {**data, "claims": [{**data["claims"][0], **change}]}


def of_other_id(data):
    first, *rest = data["measurements"]
    return {**data, "measurements": [{**first, "id": "fair.mean"}, *rest]}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: {**d, "question": "What else?"}, "something else than is declared here: question"),
        (lambda d: {**d, "parameters": {"draws": 1}}, "than is declared here: parameters"),
        (lambda d: {**d, "source": "src/dice/fair.py:measure"}, "than is declared here: source"),
        (lambda d: {**d, "scopes": {"loaded.mean": "Everywhere."}}, "than is declared here: scopes"),
        (lambda d: {**d, "mode": "quick"}, "than is declared here: mode"),
        (lambda d: {**d, "experiment": "fair"}, "than is declared here: experiment"),
        (without_claims, "judges other claims than"),
        (lambda d: with_claim(d, words="all dice lean"), "comes out differently here"),
        (lambda d: with_claim(d, holds=False), "comes out differently here"),
        (lambda d: with_claim(d, margin=9.0), "comes out differently here"),
        (lambda d: with_claim(d, nulls=[]), "comes out differently here"),
        (of_other_id, "measures fair.mean"),
        (lambda d: {**d, "environment": {"python": "3"}}, "describes no machine"),
        (lambda d: with_record_part(d, "file ../../../etc/passwd"), "is no name of a file"),
        (lambda d: with_record_part(d, "folder .."), "is no name of a file"),
        (lambda d: with_record_part(d, "file data/loaded_die.csv"), "file data/loaded_die.csv changed"),
        (lambda d: with_record_part(d, "module dice.loaded"), "module dice.loaded changed"),
        (lambda d: {**d, "schema": 99}, "has schema"),
        (lambda d: {**d, "measurements": "none"}, "the record"),
        (lambda d: {**d, "<script>": 1}, "the record"),
    ],
)
def test_a_record_that_says_something_else_than_its_key_is_refused(source, bare, change, told):
    assert offer(bare, sent_record(source)) == 1
    shutil.rmtree(bare.root / "build/records")
    assert offer(bare, sent_record(source, change)) == 0
    assert told in bare.told
    assert not list((bare.root / "build").glob("records/*"))


def test_arrays_of_a_hostile_record_are_refused_under_right_hashes_and_seals(source, bare):
    for what, data in hostile_archives():
        assert offer(bare, sent_record(source, arrays=data)) == 0, what
        assert "1 are refused" in bare.told, what
        assert not list((bare.root / "build").glob("records/*")), what


@pytest.mark.parametrize(("chance", "refused"), [(0.9, True), (None, False)])
def test_other_values_of_a_record_stop_the_build_and_last_digits_do_not(source, bare, chance, refused):
    def forged(data):
        mean, heaviest = data["measurements"]  # no claim reads the latter
        value = chance or float(np.nextafter(heaviest["value"], 9))
        return {**data, "measurements": [mean, {**heaviest, "value": value, "display": f"{value:.3f}"}]}

    assert offer(bare, sent_record(source, forged)) == 1, bare.told
    said = []
    jobs = build.measure(bare.project, said.append, 1)
    if refused:
        with pytest.raises(MeasuredError, match="loaded was taken over, and made here it gives other"):
            remeasure(bare.project, jobs, said.append)
    else:
        remeasure(bare.project, jobs, said.append)
        assert said[-1] == "re-measured: 0 came out with the same bytes, 1 within the tolerances"
        assert [job.name for job in remeasuring.taken_over(jobs, RecordProduct)] == ["loaded"]


# A sample is measured again


def remeasure(project, jobs, say):
    with Beside(lambda: build.executor_for(project, 1, "")) as beside:
        return build.remeasure(project, jobs, beside, say)()


def test_what_comes_out_with_the_same_bytes_was_measured_here(source, clone, monkeypatch):
    clone.take(source)
    monkeypatch.setattr(remeasuring, "REMEASURED", 2)
    monkeypatch.setenv("PYTHONPATH", str(clone.root / "src"))
    jobs, said = workflow.jobs(clone.project), []
    assert [job.name for job in remeasuring.taken_over(jobs)] == list(NAMES)
    assert [job.why for job in workflow.jobs(clone.project, all_here=True) if job.name in NAMES] == [
        "it was taken over, not measured here"
    ] * 3
    remeasure(clone.project, jobs, said.append)
    assert said[0].startswith("re-measuring 2 of 3 runs that were taken over: fair/seed")
    assert said[-1] == "re-measured: 2 came out with the same bytes"
    assert len(remeasuring.taken_over(jobs)) == 1
    assert clone.arrays() == stored(source)
    said.clear()
    remeasure(clone.project, jobs, said.append)
    assert said == ["re-measured: a sample of 1 run taken over was compared before, with the same code"]
    # Another run under a name that was compared before was not.
    mark = clone.root / "build" / remeasuring.STAMP
    compared = json.loads(mark.read_text(encoding="utf-8"))["taken"]
    mark.write_text(json.dumps({"taken": dict.fromkeys(compared, "other bytes")}), encoding="utf-8")
    said.clear()
    remeasure(clone.project, jobs, said.append)
    assert said[0].startswith("re-measuring 1 of 1 run that were taken over: fair/seed")
    assert [p.name for p in (clone.root / "build").glob("remeasured-*")] == []


@pytest.mark.parametrize(("mean", "refused"), [(3.4, True), (None, False)])
def test_other_values_stop_the_build_and_last_digits_do_not(source, clone, monkeypatch, mean, refused):
    voucher, good = honest(source)
    true = float(archives.unpack_arrays(good)["mean"])
    forged = archives.pack_arrays({"mean": np.float64(mean or np.nextafter(true, 9))})
    lying = replace(voucher, arrays=files.sha256(forged))
    assert offer(clone, packed([(NAMES[0], lying, forged)])) == 1
    for name in NAMES[1:]:
        assert offer(clone, packed([(name, *honest(source, name))])) == 1
    monkeypatch.setenv("PYTHONPATH", str(clone.root / "src"))
    said = []
    jobs = build.measure(clone.project, said.append, 1)
    if refused:
        with pytest.raises(MeasuredError, match="fair/seed0 was taken over, and made here it gives other"):
            remeasure(clone.project, jobs, said.append)
    else:
        remeasure(clone.project, jobs, said.append)
        assert said[-1] == "re-measured: 2 came out with the same bytes, 1 within the tolerances"
        assert [job.name for job in remeasuring.taken_over(jobs)] == ["fair/seed0"]


def test_the_commit_and_the_results_choose_the_sample():
    def job(name, arrays, seconds=5.0):
        return SimpleNamespace(name=name, product=SimpleNamespace(identity=lambda: arrays), seconds=seconds)

    jobs = [job(f"run{n}", "a") for n in range(12)]

    def names(commit, jobs):
        return [j.name for j in remeasuring._chosen(commit, jobs, 3, 30.0, lambda job: job.seconds)]

    chosen = {commit: names(commit, jobs) for commit in "abcdef"}
    assert all(len(drawn) == 3 for drawn in chosen.values())
    assert len({tuple(drawn) for drawn in chosen.values()}) > 3
    others = [job(f"run{n}", "b") for n in range(12)]
    assert names("a", others) != chosen["a"]
    mixed = [*(job(f"run{n}", "a", 9.0) for n in range(6)), *(job(f"long{n}", "a", 200.0) for n in range(6))]
    taken = {job.name: job.seconds for job in mixed}
    assert all(sum(taken[name] for name in names(commit, mixed)) <= 30 for commit in "abcdef")
    long = [job(f"long{n}", "a", 200.0) for n in range(4)]
    assert all(len(names(commit, long)) == 3 for commit in "abcdef")


def test_a_slow_machine_has_the_same_sample_as_others(clone):
    jobs = [job for job in workflow.jobs(clone.project) if job.name in NAMES]
    files.write_json(clone.root / "tests/costs.json", {"seconds": {f"fair.seed{n}": 2.0 for n in range(2)}})
    slow = [replace(job, seconds=200.0) for job in jobs]
    assert list(map(remeasuring._seconds_of(clone.project), slow)) == [2.0, 2.0, 200.0]


# From the command line


def test_where_an_author_takes_results_over_from_reaches_no_test():
    code = "import os, runpy; runpy.run_path('tests/conftest.py'); print(os.environ.get('MEASURED_FROM'))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ENGINE.parent,
        env={**os.environ, "MEASURED_FROM": "elsewhere"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "None\n"


def test_a_clone_builds_the_site_that_its_source_has(source, tmp_path):
    clone = copy(source, tmp_path / "clone")
    for name in ("build", "site"):
        shutil.rmtree(clone.root / name)
    clone.edit("pyproject.toml", 'versions = ["numpy"]', f'versions = ["numpy"]\nresults = "{source}/site"')
    done = clone.build()
    assert done.returncode == 0, done.stdout
    assert "/site: 3 of 3 runs, and 2 of 2 records" in done.stdout
    assert "re-measured: 5 came out with the same bytes" in done.stdout
    assert clone.tree("site") == Sample(source).tree("site")
    assert list((clone.root / "build/records").glob("*.taken")) == []


def test_what_was_not_measured_here_changes_what_is_said_of_it_and_nothing_else(source, bare, monkeypatch):
    bare.take(source)
    shutil.rmtree(bare.root / "site")
    monkeypatch.setattr(remeasuring, "begin", lambda *_: list)
    build.build(bare.project, lambda _: None, 1)
    ours, theirs = Sample(bare.root).tree("site"), Sample(source).tree("site")
    assert ours.keys() == theirs.keys()
    assert {name for name in ours if ours[name] != theirs[name]} == {
        "data/cards/index.json",
        "measurements/index.html",
    }
    said = json.loads(ours["data/cards/index.json"])["experiments"]["fair"]["taken"]
    assert said.startswith("3 of its 3 runs were taken over, measured on another machine: Python 3.")
    assert said.endswith("; its values were taken over as well")


def test_where_results_come_from_is_asked_of_the_option_the_environment_and_the_settings(monkeypatch):
    project = SimpleNamespace(results="settings")
    monkeypatch.setattr(commands, "replace", lambda project, results: results)
    monkeypatch.delenv(commands.RESULTS, raising=False)
    assert commands._taking_from(project, None, False) == "settings"
    monkeypatch.setenv(commands.RESULTS, "environment")
    assert commands._taking_from(project, None, True) == "environment"
    assert commands._taking_from(project, "option", False) == "option"
    with pytest.raises(commands.click.UsageError, match="give one of them"):
        commands._taking_from(project, "option", True)
