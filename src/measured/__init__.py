"""Bind the prose of a site to measurements that its own code made, and stop the build when they drift.

The engine knows nothing of any subject. A project hands it experiments (functions that measure),
figures (functions that draw) and pages (Markdown with references); it hands back records, a gate
and a site. This file imports nothing, so that a fingerprint covers what an experiment really uses.
"""
