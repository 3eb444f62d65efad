"""The items for other evaluation harnesses: Inspect, lm-evaluation-harness, promptfoo."""
