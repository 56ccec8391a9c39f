"""No timing decides whether a test passes: a busy machine is no failure."""

from hypothesis import settings

settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
