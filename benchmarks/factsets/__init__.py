"""Sessions with planted facts: what `benchmarks/facts.py` replays. One file a session.

Sets 1 and 2 are for looking at misses; set 3 is held out, so only its totals should be read.
"""
