"""Only what the engine has made, under names that it gave, is removed."""

from __future__ import annotations

import json

from measured.making import pruning


def test_records_of_ours_go_and_strangers_stay(tmp_path):
    for name in ("kept", "gone"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"experiment": name, "fingerprint": {}}))
        (tmp_path / f"{name}.npz").write_bytes(b"x")
    strangers = {
        "thesis.tex": "years",
        "notes.json": '{"mine": 1}',
        "other.json": json.dumps(
            {"experiment": "gone", "fingerprint": {}}
        ),  # under a name that is not its own
        "broken.json": "{",
        "gone.txt": "beside",
    }
    for name, text in strangers.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "linked.json").symlink_to(tmp_path / "gone.json")
    (tmp_path / ".gone.json.ab12_xyz").write_text("killed before its renaming")
    kept = {tmp_path / "kept.json", tmp_path / "kept.npz"}
    gone = {path.name for path in pruning.undeclared(tmp_path, pruning.RECORD, kept)}
    assert gone == {"gone.json", "gone.npz", ".gone.json.ab12_xyz"}


def test_figures_of_ours_go_in_every_form(tmp_path):
    (tmp_path / "a.b.json").write_text(json.dumps({"name": "a.b", "fingerprint": {}, "files": {}}))
    for suffix in pruning.FIGURE[1][:-1]:
        (tmp_path / f"a.b{suffix}").write_text("x")
    (tmp_path / "mine.svg").write_text("x")
    gone = {path.name for path in pruning.undeclared(tmp_path, pruning.FIGURE, set())}
    assert gone == {"a.b.json", "a.b.svg", "a.b.narrow.svg", "a.b.light.svg", "a.b.dark.svg", "a.b.csv"}
    assert list(pruning.undeclared(tmp_path / "absent", pruning.FIGURE, set())) == []
