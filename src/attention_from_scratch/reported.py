"""The figures of the write-up that this project re-does, as it reported them, each with its kind of sample.

They are data, not measurements: the page of measurements sets them beside ours and computes from the sample
whether chance explains the difference. Accuracies were shares of a validation set, of one seed.
"""

from measured.site.reported import Reported

DRAWS = 200  # the write-up averaged over so many draws of a query and twelve keys
VALIDATION = 1_000  # and took accuracies over so many sequences

WIDTHS = (4, 16, 64, 256)
MAX_WEIGHT = {
    "unscaled": (0.4442, 0.7189, 0.8577, 0.9355),
    "scaled": (0.2567, 0.2918, 0.3024, 0.2812),
}
ENTROPY = {
    "unscaled": (1.6128, 0.7792, 0.3698, 0.1668),
    "scaled": (2.1533, 2.0866, 2.0702, 2.1064),
}


def _sampled(what: str, words: str, figures: dict[str, tuple[float, ...]]) -> list[Reported]:
    return [
        Reported(
            f"scale.{what}.{kind}.d{width}",
            value,
            f"{words} over 12 keys, d_k = {width}, {kind}",
            "draws",
            DRAWS,
            error=f"scale.few_draws_error.{what}.{kind}.d{width}",
            own_error=f"scale.standard_error.{what}.{kind}.d{width}",
            format=".4f",
        )
        for kind, values in figures.items()
        for width, value in zip(WIDTHS, values, strict=True)
    ]


REPORTED = [
    Reported(
        "agreement.max_output_difference",
        2.03e-07,
        "largest difference of outputs between the NumPy attention and the Keras layer",
        "bound",
        format=".2e",
    ),
    Reported(
        "agreement.max_weight_difference",
        6.48e-08,
        "largest difference of weights between the NumPy attention and the Keras layer",
        "bound",
        format=".2e",
    ),
    *_sampled("max_weight", "mean of the largest weight", MAX_WEIGHT),
    *_sampled("entropy", "mean entropy of the weights, in nats,", ENTROPY),
    Reported("scale.uniform_weight", 0.0833, "weight of each of 12 keys if all were equal"),
    Reported("scale.uniform_entropy", 2.4849, "entropy of 12 equal weights"),
    Reported("masks.allowed.causal", 0.55, "pairs that a causal mask over 10 tokens allows"),
    Reported("masks.allowed.padding", 0.6, "pairs that a padding mask allows, 6 of 10 tokens real"),
    Reported("masks.allowed.both", 0.45, "pairs that both masks together allow"),
    Reported("masks.max_blocked_weight", 0.0, "largest weight on a blocked pair"),
    Reported("heads.parameters.h4", 16_640, "parameters of 4 heads of 16, as many as 1 head of 64 has"),
    Reported("induction.parameters.blocks1", 9_129, "parameters of the model with one block"),
    Reported("induction.parameters.blocks2", 17_673, "parameters of the model with two blocks"),
    Reported("induction.chance", 0.1429, "accuracy of answering at random", format=".4f"),
    Reported(
        "induction.best_accuracy.blocks1",
        0.3120,
        "best validation accuracy of one block in 30 epochs",
        "share",
        VALIDATION,
        format=".4f",
    ),
    Reported(
        "induction.best_accuracy.blocks2",
        0.9990,
        "best validation accuracy of two blocks in 30 epochs",
        "share",
        VALIDATION,
        format=".4f",
    ),
    Reported(
        "padding.accuracy.unmasked",
        0.5036,
        "accuracy of a SimpleRNN on sequences padded behind, without a mask",
        "share",
        VALIDATION,
        format=".4f",
    ),
]
