"""The token bucket, whatever happens to its clock."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reach.stores.rules import full_again_at, take_token

limits = st.integers(1, 1000)
windows = st.floats(0.1, 86_400)
moments = st.floats(1.6e9, 2e9)


@settings(deadline=None)
@given(limits, windows, moments, st.lists(st.floats(-10, 100), max_size=60))
def test_no_more_is_granted_than_the_limit_and_what_refilled_since(limit, window_s, start, steps):
    tokens, updated_at, now, granted = float(limit), start, start, 0
    for step in steps:
        now += step
        wait_s, tokens = take_token(tokens, updated_at, now=now, limit=limit, window_s=window_s)
        updated_at = now
        granted += wait_s == 0.0
        assert 0.0 <= tokens <= limit
    forward_s = sum(max(0.0, step) for step in steps)
    assert granted <= limit + forward_s * limit / window_s + 0.5  # the half token is the rounding of epoch seconds


@settings(deadline=None)
@given(limits, windows, moments, st.floats(0, 0.999))
def test_whoever_waits_as_told_is_granted(limit, window_s, now, tokens):
    wait_s, left = take_token(tokens, now, now=now, limit=limit, window_s=window_s)
    assert wait_s > 0.0
    again, _ = take_token(left, now, now=now + wait_s, limit=limit, window_s=window_s)
    assert again == 0.0


@settings(deadline=None)
@given(limits, windows, moments, st.floats(0, 1))
def test_from_the_moment_it_is_full_a_bucket_says_no_more_than_a_new_one(limit, window_s, now, share):
    tokens = limit * share
    full_at = full_again_at(tokens, now=now, limit=limit, window_s=window_s)
    later = full_at + 1e-6
    _, left = take_token(tokens, now, now=later, limit=limit, window_s=window_s)
    assert abs(left - (limit - 1)) < 1e-2 * limit
