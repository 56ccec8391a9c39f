"""What one can do here. `nox -l` lists it, `nox -s NAME` does it; each session sets itself up."""

import nox

nox.needs_version = ">=2024.4.15"
nox.options.sessions = ["build"]
nox.options.default_venv_backend = "uv|venv"
nox.options.reuse_venv = "yes"


def measured(session: nox.Session, command: str) -> None:
    """Install what is locked, by hash, and this project; then run a command of the engine."""
    install(session)
    session.run("measured", command, *session.posargs)


def install(session: nox.Session) -> None:
    """Install what is locked, by hash, and this project, editable."""
    session.env["PYTHONHASHSEED"] = "0"
    session.install("-r", "requirements.lock")
    session.install("--no-deps", "-e", ".")


@nox.session
def build(session: nox.Session) -> None:
    """Measure what changed, draw, compare, weave, check, publish to site/."""
    measured(session, "build")


@nox.session
def plan(session: nox.Session) -> None:
    """Say what a build would make anew, and why; make nothing."""
    measured(session, "plan")


@nox.session
def view(session: nox.Session) -> None:
    """Serve the built site, as it is, and open it in your browser."""
    measured(session, "view")


@nox.session
def serve(session: nox.Session) -> None:
    """Serve the site at 127.0.0.1:8000 and show each edit."""
    measured(session, "serve")


@nox.session
def new(session: nox.Session) -> None:
    """Begin something: -- experiment NAME, -- figure EXPERIMENT.NAME, -- page NAME."""
    measured(session, "new")


@nox.session
def gate(session: nox.Session) -> None:
    """Compare what was measured with the stored values."""
    measured(session, "gate")


@nox.session
def accept(session: nox.Session) -> None:
    """Show what drifted, old to new, and store it if told to (-- --yes)."""
    measured(session, "accept")


@nox.session
def prose(session: nox.Session) -> None:
    """List numbers by hand, and measurements and claims that no page uses."""
    measured(session, "prose")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests of this project's own code (-- -k NAME)."""
    install(session)
    session.run("pytest", "--ignore=tests/regressions", *session.posargs)


@nox.session(venv_backend="uv")
def lock(session: nox.Session) -> None:
    """Pin requirements.in anew into requirements.lock (-- --upgrade: to the newest versions)."""
    session.run(
        "uv", "pip", "compile", "--universal", "--python-version", "3.11", "--generate-hashes",
        "--no-emit-index-url", "--no-header", "--quiet", "requirements.in", "-o", "requirements.lock",
        *session.posargs, external=True,
    )  # fmt: skip
