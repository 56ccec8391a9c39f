"""What one can do here. `nox -l` lists it, `nox -s NAME` does it; each session sets itself up.

Start with `nox -s build`: it measures what has not been measured, and builds the site into site/.
"""

import nox

nox.needs_version = ">=2024.4.15"
nox.options.sessions = ["build"]
nox.options.default_venv_backend = "uv|venv"
nox.options.reuse_venv = "yes"

# Numbers must not depend on what happens to be set in the shell that calls nox.
STEADY = {"PYTHONHASHSEED": "0", "NO_MKDOCS_2_WARNING": "1"}


def install(session: nox.Session) -> None:
    """Install the locked dependencies, by hash, and the engine and the subject, editable."""
    session.env.update(STEADY)
    session.install("-r", "requirements.lock")
    session.install("--no-deps", "--no-build-isolation", "-e", "src/measured", "-e", ".")


@nox.session
def build(session: nox.Session) -> None:
    """Measure what changed, draw, compare, weave, check, publish to site/ (-- --quick: fewer draws)."""
    install(session)
    session.run("measured", "build", *session.posargs)


@nox.session
def plan(session: nox.Session) -> None:
    """Say what a build would make anew, and why; make nothing."""
    install(session)
    session.run("measured", "plan", *session.posargs)


@nox.session
def view(session: nox.Session) -> None:
    """Serve the built site, as it is, at 127.0.0.1:8000 and open it in your browser (-- --quick)."""
    install(session)
    session.run("measured", "view", *session.posargs)


@nox.session
def serve(session: nox.Session) -> None:
    """Serve the site at 127.0.0.1:8000 and reload it after each edit; measures nothing."""
    install(session)
    session.run("measured", "serve", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the test suite: the engine, the subject, small pages and experiments; minutes (-- -k NAME)."""
    install(session)
    # A file's tests share what they start, so a file stays with one process.
    shared = [] if session.posargs else ["-n", "auto", "--maxprocesses", "4", "--dist", "loadfile"]
    session.run(
        "pytest",
        "--ignore=tests/regressions",
        "--ignore=tests/attack",
        "--ignore=tests/site",
        "--ignore=tests/tutorial",
        *shared,
        *session.posargs,
    )
    if not session.posargs:
        session.run("python", "scripts/javascript.py", "test")


@nox.session
def gate(session: nox.Session) -> None:
    """Compare the records with the stored values, nothing else (-- -k NAME: only some)."""
    install(session)
    session.run("measured", "gate", *session.posargs)


@nox.session
def prose(session: nox.Session) -> None:
    """List numbers by hand, promising words outside a claim, measurements and claims that no page uses."""
    install(session)
    session.run("measured", "prose", *session.posargs)


@nox.session
def accept(session: nox.Session) -> None:
    """Show what drifted, old to new and why it was outside, and store it if told to (-- --yes)."""
    install(session)
    session.run("measured", "accept", *session.posargs)


@nox.session
def confirm(session: nox.Session) -> None:
    """Put claims to fresh seeds, run studies, store what comes out; long (-- NAME, --again, --seconds N)."""
    install(session)
    session.run("measured", "confirm", *session.posargs)


@nox.session
def browser(session: nox.Session) -> None:
    """Drive the built site in Chromium: every control, by mouse and by keyboard; needs a build before."""
    install(session)
    session.run("pytest", "tests/site", *session.posargs)


@nox.session
def tutorial(session: nox.Session) -> None:
    """Follow the tutorial as it is written, in an empty folder, and look at its site in Chromium."""
    install(session)
    session.run("pytest", "tests/tutorial", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, formatting, and that imports point downward only."""
    install(session)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports")
    session.run("python", "scripts/javascript.py", "lint")


@nox.session
def bench(session: nox.Session) -> None:
    """Print ratios measured in one run: builds against bare MkDocs and others, weights, weaving, training."""
    install(session)
    session.run("python", "scripts/bench.py", *session.posargs)
    session.run("python", "scripts/bench_others.py")


@nox.session
def attack(session: nox.Session) -> None:
    """Try to publish a false number: mutations, kills, random pages, other machines, mutants; long."""
    install(session)
    session.run("pytest", "-s", "tests/attack", *session.posargs)


@nox.session(name="lock", venv_backend="uv")
def lock(session: nox.Session) -> None:
    """Pin requirements.in anew into requirements.lock (-- --upgrade: to the newest versions)."""
    session.run(
        "uv", "pip", "compile", "--universal", "--python-version", "3.11", "--generate-hashes",
        "--no-emit-index-url", "--no-header", "--quiet", "requirements.in", "-o", "requirements.lock",
        *session.posargs, external=True,
    )  # fmt: skip
