"""What fresh seeds are asked about depth: the study's own models, at the rates that its rule has chosen."""

from attention_from_scratch.experiments import depth, depth_plan, depth_trials
from measured.terms.trial import read_outcomes


def test_fresh_seeds_train_at_the_rates_that_the_study_chose():
    stored = read_outcomes(depth.STORED)
    for trial in depth_trials.TRIALS:
        for cell, settings in trial.parameters["cells"].items():
            model, length = cell.rsplit("_l", 1)
            assert settings["learning_rate"] == depth_plan.chosen_rate(stored, model, int(length)), cell
            assert {k: settings[k] for k in depth_plan.MODELS[model]} == depth_plan.MODELS[model]
