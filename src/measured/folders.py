"""Folders: what is written stays inside its root, and nothing is deleted that this engine did not make.

A folder that the engine may empty carries a list of what was put there. What is not on the list is somebody
else's, and the folder is left as it is.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from measured import files
from measured.archives import read_json
from measured.errors import MeasuredError

LIST = ".measured.json"
# Left behind by file managers in any folder that somebody opens.
_LITTER = {".DS_Store", "Thumbs.db", "desktop.ini"}


def inside(root: Path, name: str) -> Path:
    """The file called `name` below `root`.

    Raises:
        MeasuredError: it would lie elsewhere: by its name, or by a link on the way to it.
    """
    parts = name.split("/")
    if not name or "\\" in name or "\0" in name or any(part in ("", ".", "..") for part in parts):
        raise MeasuredError(
            f"{name[:200]!r} is no name of a file below {root.name}/",
            expected="names joined by /, without ..",
        )
    path = root.joinpath(*parts)
    if Path(name).is_absolute() or not path.resolve().is_relative_to(root.resolve()):
        raise MeasuredError(
            f"{name[:200]!r} leads out of {root.name}/",
            path=path,
            expected="a file inside it",
            mend="remove the link on the way to it",
        )
    return path


def settled(path: Path) -> Path:
    """A path as it is once everything on the way to it is made: `absent/../x` is `x`.

    A link at its end stays one, for whoever refuses links.
    """
    return path.resolve() if path.name in ("", "..") else path.parent.resolve() / path.name


def refuse_odd_folders(root: Path, *folders: Path) -> None:
    """Look at the folders that builds write to, delete from and read, before any of it is done.

    Raises:
        MeasuredError: one is a link, or lies behind one, or holds a link to a folder, so that what is written
            or deleted would be on the other side; or it holds a pipe or a device, which would be waited for.
    """
    for folder in folders:
        above = [path for path in folder.parents if path != root and path.is_relative_to(root)]
        for path in (*above, folder):
            if path.is_symlink():
                raise _linked(path)
        _refuse_odd_entries(folder)


def refuse_links_out(folder: Path, root: Path) -> None:
    """Look at files that will be published: plain files, and no link that leaves the project.

    Raises:
        MeasuredError: a link leads out of `root` or to something hidden there; or a pipe, a socket, a device.
    """
    within = root.resolve()
    for path in (folder, *_entries(folder)):
        if path.is_symlink():
            target = path.resolve()
            hidden = target.is_relative_to(within) and any(
                part.startswith(".") for part in target.relative_to(within).parts
            )
            if not target.is_relative_to(within) or hidden:
                raise MeasuredError(
                    "a link that leaves the project, or leads to what is hidden in it, would be published",
                    path=path,
                    expected="files of the project",
                    mend="put the file itself there",
                )
        elif not path.is_file() and not path.is_dir():
            raise _no_plain_file(path)


def publish(made: Path, target: Path) -> None:
    """Put a finished folder where an older one stands, at once: a reader sees one or the other, whole.

    Args:
        made: finished; it is gone afterwards.
        target: absent, empty, or put there by this function.

    Raises:
        MeasuredError: the target holds what is not ours, or cannot be replaced; it is as it was.
    """
    target = settled(target)  # what is made on the way must lead to no other folder than was looked at
    refuse_strangers(target)
    write_list(made)
    with _beside(made, target) as new:
        _publish_modes(new)
        try:
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(new, target)
            elif not _exchange(new, target):
                _rename_both(new, target)
        except OSError as error:
            raise _not_replaced(target, error) from error
        # What stood there before is ours: refuse_strangers has looked at it.
        shutil.rmtree(new, ignore_errors=True)


def recover(target: Path) -> None:
    """A process killed between two renames leaves the old folder aside: put it back, or drop it."""
    aside = _aside(target)
    if aside.is_dir() and not aside.is_symlink() and (aside / LIST).exists():
        if not target.exists():
            os.replace(aside, target)
        else:
            remove(aside)
    for left in target.parent.glob(f".{target.name}.new.*"):
        if left.is_dir() and not left.is_symlink() and (left / LIST).exists():
            shutil.rmtree(left, ignore_errors=True)


def remove(folder: Path) -> None:
    """Delete a folder that `publish` or `fresh` has made, if it is there.

    Raises:
        MeasuredError: it is not ours, or something in it is not.
    """
    refuse_strangers(folder)
    shutil.rmtree(folder, ignore_errors=True)


def fresh(folder: Path) -> None:
    """Make an empty folder of our own to work in; marked, so that one left behind can be emptied.

    Raises:
        MeasuredError: one of that name is there and was not made by us.
    """
    if folder.is_symlink() or (folder.exists() and not (folder / LIST).is_file() and any(folder.iterdir())):
        raise _strange(folder, "which was not made by this engine")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files.write_json(folder / LIST, [])


def refuse_strangers(folder: Path) -> None:
    """Look at a folder before it is replaced.

    Raises:
        MeasuredError: it is a link or a file, has no list, or holds what is not on its list.
    """
    folder = settled(folder)
    if folder.is_symlink():
        raise _linked(folder)
    if not folder.exists():
        return
    if not folder.is_dir():
        raise _strange(folder, "which is a file")
    there = {path.relative_to(folder).as_posix() for path in _entries(folder) if not _is_folder(path)}
    if not there:
        return
    strangers = sorted(name for name in there - {LIST} - listed(folder) if name.split("/")[-1] not in _LITTER)
    if strangers:
        more = f" and {len(strangers) - 3} more" if len(strangers) > 3 else ""
        raise _strange(folder, f"where this was not put by us: {', '.join(strangers[:3])}{more}")


def drop(folder: Path, names: Iterable[str]) -> None:
    """Delete files of ours from a folder, and what is then an empty folder in it."""
    for name in sorted(names):
        path = inside(folder, name)
        path.unlink(missing_ok=True)
        for above in path.parents:
            if above == folder or not above.is_dir() or any(above.iterdir()):
                break
            above.rmdir()


def listed(folder: Path) -> set[str]:
    """The files that are on a folder's list."""
    try:
        found = read_json(folder / LIST)
    except MeasuredError:
        return set()
    return {name for name in found if isinstance(name, str)} if isinstance(found, list) else set()


def write_list(folder: Path, names: Iterable[str] | None = None) -> None:
    """Put files on a folder's list, all that are there unless they are named: these are ours."""
    if names is None:
        names = (path.relative_to(folder).as_posix() for path in _entries(folder) if not _is_folder(path))
    files.write_bytes(folder / LIST, json.dumps(sorted(set(names) - {LIST}), indent=0).encode())


@contextmanager
def _beside(made: Path, target: Path) -> Iterator[Path]:
    """The folder itself, or a whole copy of it on the target's device, where only a rename is at once."""
    parent = next(path for path in target.parents if path.exists())
    if made.stat().st_dev == parent.stat().st_dev:
        yield made
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    copy = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.new."))
    try:
        shutil.copytree(made, copy, symlinks=True, dirs_exist_ok=True)
        yield copy
    except OSError as error:
        raise _not_replaced(target, error) from error
    finally:
        shutil.rmtree(copy, ignore_errors=True)
    shutil.rmtree(made, ignore_errors=True)


def _rename_both(new: Path, target: Path) -> None:
    """Where two folders cannot change places in one step."""
    aside = _aside(target)
    remove(aside)
    os.replace(target, aside)
    try:
        os.replace(new, target)
    except OSError:
        os.replace(aside, target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _aside(target: Path) -> Path:
    return target.with_name(f".{target.name}.old")


def _publish_modes(folder: Path) -> None:
    """What a web server of another user reads is readable, whatever the umask of who built it."""
    folder.chmod(0o755)
    for path in _entries(folder):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step, where the system can (Linux: renameat2, macOS: renamex_np)."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            return libc.renamex_np(os.fsencode(one), os.fsencode(other), 2) == 0
        return libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2) == 0
    except (OSError, AttributeError, TypeError):
        return False


def _entries(folder: Path) -> Iterator[Path]:
    """Everything below a folder; links are named, never followed."""
    for where, folders, names in os.walk(folder, followlinks=False):
        for name in sorted([*folders, *names]):
            yield Path(where, name)


def _refuse_odd_entries(folder: Path) -> None:
    if not folder.is_dir():
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.is_symlink():
                    raise _linked(Path(entry.path))
                _refuse_odd_entries(Path(entry.path))
            elif not entry.is_file() and os.path.exists(entry.path):
                raise _no_plain_file(Path(entry.path))


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _linked(path: Path) -> MeasuredError:
    return MeasuredError(
        "this folder is a link; what builds write and delete there would be elsewhere",
        path=path,
        expected="a folder",
        mend="replace the link by a folder, or mount the other place there",
    )


def _no_plain_file(path: Path) -> MeasuredError:
    return MeasuredError(
        "this is no plain file", path=path, expected="files and folders", mend="move it away, or delete it"
    )


def _strange(folder: Path, why: str) -> MeasuredError:
    return MeasuredError(
        f"this would replace a folder, {why}",
        path=folder,
        expected="a folder that is absent, empty, or made by this engine",
        mend="move away what is yours, or choose another folder",
    )


def _not_replaced(target: Path, error: OSError) -> MeasuredError:
    mend = "free some space, or mend the folder's permissions"
    if error.errno in (errno.EBUSY, errno.EXDEV):
        mend = "it is a mount point: mount the folder above it, so that it can be replaced at once"
    return MeasuredError(f"cannot be replaced: {error.strerror}; it is as it was", path=target, mend=mend)
