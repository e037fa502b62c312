"""Whether an utterance looks back or ahead, for days that name no year, month or week.

Rule: only clear words decide; without any, a read of a period looks back and everything else is left open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from reach.router.extract.parameter import Parameter
from reach.spec import ToolSpec

_BACK = re.compile(
    r"\b(?:did|was|were|had|happened|ordered|bought|placed|paid|received|shipped|delivered|arrived|purchased"
    r"|history|past|last|ago|since|so far)\b"
    r"|过了?的?(?:订单|记录)|下的单|下单|买的|收到|发生|历史|以来|上次|之前买|签收|购买的|[来有]过",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:will|book|reserve|schedule|remind|reminder|appointment|upcoming|coming|next|plan|going to"
    r"|want to (?:go|leave|travel|fly|depart))\b"
    r"|预[订约定]|安排|提醒|打算|计划|将要?|准备去|出发",
    re.IGNORECASE,
)


def direction_of(text: str, tool: ToolSpec, parameters: Sequence[Parameter]) -> Literal[-1, 0, 1]:
    """-1 back, 1 ahead, 0 open."""
    back, ahead = bool(_BACK.search(text)), bool(_AHEAD.search(text))
    if back != ahead:
        return -1 if back else 1
    if tool.read_only and any(p.spec.period for p in parameters):
        return -1
    return 0
