"""Recognisers: what the words of one utterance may say, one family a file.

Rule: a recogniser reports only what is written, with its exact place, and stays silent where several readings are
likely; which parameter a value belongs to is decided elsewhere (`reach.router.fill`).
"""
