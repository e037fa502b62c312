"""The warehouse behind the reducer: save a large result, read it page by page, revoke it, let it expire.

Rule: what is stored can be read only through `Artifacts`, by its owner, while the tool that made it is permitted.
"""

from reach.artifacts.artifacts import FRAME_BYTES, MAX_PAGE_BYTES, Artifacts

__all__ = ["FRAME_BYTES", "MAX_PAGE_BYTES", "Artifacts"]
