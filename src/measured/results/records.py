"""A record as somebody sent it: read apart from those that are ours, and compared with what is declared here.

Its key says what it was measured from. What else stands in it and was not measured (the question, parameters,
on which machine) must be what this project would write, and its claims are judged here, from the values that
were sent. These the gate compares with the stored ones, like those that are measured here.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from measured import archives, files
from measured.errors import MeasuredError
from measured.making.fingerprint import plain_json
from measured.making.products import RecordProduct
from measured.making.running import place_of
from measured.making.vouchers import is_hash, refuse_odd_machine
from measured.results.offers import Found
from measured.terms.audit import judged, scopes_of
from measured.terms.claims import Judgement
from measured.terms.experiment import Experiment, Findings
from measured.terms.record import Record, read_record


@dataclass(frozen=True)
class SentRecord:
    """A record of ours, as somebody sent it.

    Args:
        product: the one that is missing here.
        record: what was sent, read.
        data: its JSON file.
        arrays: its arrays, packed.
    """

    product: RecordProduct
    record: Record
    data: bytes
    arrays: bytes

    def refuse_other_words(self) -> None:
        """Refuse a record that says otherwise what the project declares, or what its values do not say.

        Raises:
            MeasuredError: names what.
        """
        experiment, project, sent = self.product.experiment, self.product.project, self.record
        refuse_odd_machine(sent.environment, sent.fingerprint)
        settings = experiment.settings(project.quick)
        findings = Findings(tuple(sent.measurements.values()), sent.arrays, tuple(sent.tables.values()))
        experiment.check(findings)
        where, _, _ = place_of(project.root, experiment.measure).rpartition(":")
        declared = {
            "experiment": experiment.name,
            "mode": project.mode,
            "question": experiment.question,
            "source": f"{where}:{experiment.measure.__qualname__}",
            "parameters": json.loads(plain_json(settings)),
            "scopes": scopes_of(experiment, findings, settings),
        }
        other = [name for name, value in declared.items() if getattr(sent, name) != value]
        if other:
            raise MeasuredError(f"says something else than is declared here: {', '.join(other)}")
        self._refuse_other_judgements(judged_here(experiment, findings, settings, project.quick))

    def _refuse_other_judgements(self, here: Mapping[str, Judgement]) -> None:
        sent = self.record.claims
        if set(sent) != set(here):
            raise MeasuredError("judges other claims than are declared here")
        for name, claim in here.items():
            if not alike(sent[name].as_dict(), claim.as_dict()):
                raise MeasuredError(f"claim {name} comes out differently here, from the same values")


def judged_here(
    experiment: Experiment, findings: Findings, settings: Mapping[str, Any], quick: bool
) -> dict[str, Judgement]:
    """The claims of an experiment, decided by values that somebody sent.

    Raises:
        MeasuredError: what was sent is not what they speak of.
    """
    try:
        return judged(experiment, findings, settings, nulls=not quick)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise MeasuredError(f"its claims cannot be judged by what it holds ({error})") from error


def alike(one: Any, other: Any) -> bool:
    """Whether plain data are the same but for the last digits of numbers, which follow the CPU."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return _is_number(one) and _is_number(other) and math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    return one == other


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def read_sent(found: Found, product: RecordProduct, scratch: Path) -> SentRecord:
    """Read what was sent, within the bounds that hold for every record.

    Args:
        found: its JSON file, and its arrays.
        product: the record that is missing here.
        scratch: a folder for what is not looked at yet.

    Raises:
        MeasuredError: it is no record, or not whole.
    """
    said = archives.parse_json(found.voucher)
    sha = said.get("arrays_sha256") if isinstance(said, dict) else None
    if not is_hash(sha):
        raise MeasuredError("is no record of this engine")
    arrays = found.arrays(sha)
    scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=scratch, prefix="record-") as folder:
        path = Path(folder) / product.files[0].name
        files.write_bytes(path, found.voucher)
        files.write_bytes(path.with_suffix(".npz"), arrays)
        record = read_record(path)
        return SentRecord(product, replace(record, arrays=dict(record.arrays)), found.voucher, arrays)
