"""What one can do here. `nox -l` lists it, `nox -s NAME` does it; each session sets itself up.

Start with `nox -s build`: it measures what has not been measured, and builds the site into site/.
"""

import nox
from nox.command import CommandFailed

nox.needs_version = ">=2025.5.1"
nox.options.sessions = ["build"]
nox.options.default_venv_backend = "uv|venv"
nox.options.reuse_venv = "yes"
nox.options.download_python = "never"  # `versions` takes those that are there

NO_SITE = [f"--ignore=tests/{name}" for name in ("regressions", "attack", "site", "tutorial")]

# What measures; what makes the site and tests it; what lints and audits; what a cluster needs. Only the
# first moves numbers.
LOCKS = ("requirements", "requirements-site", "requirements-lint", "requirements-cluster")
STARTING = "src/measured/start/requirements"
COMPILE = (
    "uv", "pip", "compile", "--universal", "--python-version", "3.11", "--generate-hashes",
    "--no-emit-index-url", "--no-header", "--quiet",
)  # fmt: skip
# Numbers must not depend on what happens to be set in the shell that calls nox. Nor must time: where compiled
# modules are forbidden, each process compiles all that it imports, and the tests take half as long again.
STEADY = {"PYTHONHASHSEED": "0", "NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": None}
# Neighbours share what they start; who has nothing left to do takes over some of the others' tests.
IN_PARALLEL = ("-n", "auto", "--maxprocesses", "4", "--dist", "worksteal")


def install(session: nox.Session, cluster: bool = False) -> None:
    """Install the locked dependencies, by hash, and the engine and the subject, editable."""
    session.env.update(STEADY)
    session.install("-r", "requirements.lock", "-r", "requirements-site.lock")
    if cluster or any(argument.startswith("--cluster") for argument in session.posargs):
        session.install("-r", "requirements-cluster.lock")
    session.install("--no-deps", "--no-build-isolation", "-e", "src/measured", "-e", ".")


def install_linters(session: nox.Session) -> None:
    """Install what lints; the sources are read where they stand."""
    session.env.update(STEADY)
    session.install("-r", "requirements-lint.lock")
    session.env["PYTHONPATH"] = "src"


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
    install(session, cluster=True)
    shared = () if session.posargs else IN_PARALLEL
    session.run("pytest", *NO_SITE, *shared, *session.posargs)
    if not session.posargs:
        session.run("python", "scripts/javascript.py", "test")


@nox.session
def new(session: nox.Session) -> None:
    """Begin something: -- experiment NAME, -- figure EXPERIMENT.WHAT, -- page NAME."""
    install(session)
    session.run("measured", "new", *session.posargs)


@nox.session
def measure(session: nox.Session) -> None:
    """Run one experiment and print what it found (-- NAME), whatever else is stale."""
    install(session)
    session.run("measured", "measure", *session.posargs)


@nox.session
def draw(session: nox.Session) -> None:
    """Draw one figure (-- EXPERIMENT.WHAT) from its records."""
    install(session)
    session.run("measured", "draw", *session.posargs)


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
def worker(session: nox.Session) -> None:
    """Make runs for whoever builds with --cluster ADDRESS (-- ADDRESS), until the scheduler ends."""
    install(session, cluster=True)
    session.run("measured", "worker", *session.posargs)


@nox.session
def browser(session: nox.Session) -> None:
    """Drive the built site in Chromium: every control, by mouse and by keyboard; needs a build before."""
    install(session)
    session.run("pytest", "tests/site", *IN_PARALLEL, *session.posargs)


@nox.session
def tutorial(session: nox.Session) -> None:
    """Follow the tutorial as it is written, in an empty folder, and look at its site in Chromium."""
    install(session)
    session.run("pytest", "--timeout", "1200", "tests/tutorial", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, formatting, imports, JavaScript, workflows; each of them, also where one fails."""
    install_linters(session)
    every(
        session,
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["lint-imports"],
        ["python", "scripts/javascript.py", "lint"],
        ["python", "scripts/workflows.py"],
    )


@nox.session
def fix(session: nox.Session) -> None:
    """Mend what linters can mend by themselves: style, order of imports, formatting."""
    install_linters(session)
    every(
        session,
        ["ruff", "check", "--fix", "."],
        ["ruff", "format", "."],
        ["python", "scripts/javascript.py", "fix"],
    )


def every(session: nox.Session, *commands: list[str]) -> None:
    """Run all commands, then fail if one of them did, and say which."""
    failed = []
    for command in commands:
        try:
            session.run(*command)
        except CommandFailed:
            failed.append(" ".join(command))
    if failed:
        session.error(f"these found something: {'; '.join(failed)} (nox -s fix mends what it can)")


@nox.session
def bench(session: nox.Session) -> None:
    """Print ratios measured in one run: builds against MkDocs and others, weights, training, a cluster."""
    install(session, cluster=True)
    session.run("python", "scripts/bench.py", *session.posargs)
    session.run("python", "scripts/bench_workers.py")
    session.run("python", "scripts/bench_cluster.py")
    session.run("python", "scripts/bench_others.py")


@nox.session
def attack(session: nox.Session) -> None:
    """Try to publish a false number: mutations, kills, random pages, other machines, mutants; long."""
    install(session)
    session.install("-r", "requirements-lint.lock")
    session.run("pytest", "-s", "--timeout", "0", "tests/attack", *session.posargs)


@nox.session
def audit(session: nox.Session) -> None:
    """Compare every pinned package, Python's and npm's, with published advisories; needs the network."""
    session.install("-r", "requirements-lint.lock")
    session.env["PYTHONPATH"] = "src"
    locks = [part for name in (*LOCKS, STARTING) for part in ("-r", f"{name}.lock")]
    every(
        session,
        # Strict: what nobody could ask about is no package without advisories.
        ["pip-audit", "--strict", "--disable-pip", "--require-hashes", *locks],
        ["python", "scripts/javascript.py", "audit"],
    )


@nox.session(python=["3.11", "3.12", "3.13"])
def versions(session: nox.Session) -> None:
    """On each Python that is there: tests, and the stored values of what is measured without training."""
    install(session, cluster=True)
    session.run("pytest", *NO_SITE, *IN_PARALLEL)
    session.run("python", "scripts/light_values.py")


@nox.session
def rehearse(session: nox.Session) -> None:
    """Run each line of the workflow in a clean clone (-- lint: of one job; -- build --from ADDRESS); long."""
    session.install("-r", "requirements-site.lock")
    session.run("python", "scripts/rehearse.py", *session.posargs)


@nox.session
def release(session: nox.Session) -> None:
    """Prepare wheels and the site's archive in build/release/; needs a build before."""
    install(session)
    session.run("python", "scripts/release.py", *session.posargs)


@nox.session(venv_backend="uv")
def lock(session: nox.Session) -> None:
    """Pin requirements anew (-- --upgrade: to the newest versions; nox -s upgrade shows what they move)."""
    for name in LOCKS:
        session.run(*COMPILE, f"{name}.in", "-o", f"{name}.lock", *session.posargs, external=True)
    session.run(
        *COMPILE, "--no-annotate", "-c", "requirements.lock", "-c", "requirements-site.lock",
        "--extra", "tests", "src/measured/pyproject.toml", f"{STARTING}.in", "-o", f"{STARTING}.lock",
        external=True,
    )  # fmt: skip


@nox.session(venv_backend="uv")
def upgrade(session: nox.Session) -> None:
    """Show what the newest versions move, in a copy; keep nothing (-- numpy: of some packages alone)."""
    session.run("python", "scripts/upgrade.py", *session.posargs)
