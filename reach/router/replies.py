"""What a short reply to a question or a confirmation means.

Rule: only the whole reply counts; a yes inside a longer sentence is no yes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in text.split("|"))


_YES = _phrases("""
    yes | y | yep | yeah | yes please | yes go ahead | go ahead | ok | okay | sure | confirm | confirmed | i confirm |
    do it | please do | correct | that's right | thats right | right | proceed |
    好 | 好的 | 好呀 | 好啊 | 好吧 | 好滴 | 行 | 行的 | 可以 | 可以的 | 确认 | 确定 | 是 | 是的 | 对 | 对的 | 没错 |
    没问题 | 嗯 | 嗯嗯 | 同意 | 执行 | 办吧 | 就这样 | 麻烦了 | 好的谢谢 | 好的麻烦了 | 提交 |
    提交吧 | 确认提交 | 可以提交
""")
_NO = _phrases("""
    no | n | nope | no thanks | no thank you | cancel | cancel it | cancel that | stop | never mind | nevermind |
    forget it | don't | dont | do not | don't do it | abort | not now |
    不 | 不用 | 不用了 | 不要 | 不要了 | 不是 | 不行 | 不对 | 算了 | 算了吧 | 取消 | 取消吧 | 别 | 别了 | 先不 |
    先不了 | 不必 | 不必了 | 不办了 | 没事了 | 不需要 | 不需要了 | 放弃 | 停 | 再说吧 | 先不用 | 先不用了
""")
_EDGES = re.compile(r"^[\s\W]+|[\s\W]+$")
_INNER = re.compile(r"[\s,，。.!！~～、]+")
_WORDS = re.compile(r"[\u3400-\u9fff]|[a-z']+")
_FILLERS = _phrases("""
    是 | 的 | 了 | 呢 | 吧 | 啊 | 哦 | 嗯 | 就 | 这 | 个 | 那 | 号 | 我 | 它 | 为 | 叫 | 在 | 有 |
    it | it's | its | is | the | my | a | an | number | no | that | that's | this | one | i | think | sure | ok | okay |
    here | here's | and | oh | ah | sorry | yes | please | for | id
""")
_MOST_LEFT = 3
"""How many more Chinese characters than the answer a reply may have; an English word more asks for something."""
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5,
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "last": -1,
    "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "最后": -1,
}  # fmt: skip
_ENGLISH_CHOICE = re.compile(
    r"^(?:i mean |i'd like |i want )?(?:the )?(?:number |no\.? ?|option |#)?"
    r"(\d{1,2}|[a-z0-9]+)(?: one| option)?(?: please)?$"
)
_CHINESE_CHOICE = re.compile(
    r"^(?:选|要|我要|我选|就)?(?:第)?([一二两三四五\d]{1,2}|最后)(?:一)?(?:个|项|条|种|单)?(?:吧|的)?$"
)


def plain(text: str) -> str:
    """The reply without case, width, outer punctuation, emoji and repeated spaces."""
    normal = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return _INNER.sub(" ", _EDGES.sub("", normal)).strip()


def is_yes(text: str) -> bool:
    """True where the whole reply is a yes."""
    return _matches(text, _YES)


def is_no(text: str) -> bool:
    """True where the whole reply is a no or a cancellation."""
    return _matches(text, _NO)


def _matches(text: str, words: frozenset[str]) -> bool:
    reply = plain(text)
    return bool(reply) and (reply in words or reply.replace(" ", "") in words)


def is_only_an_answer(rest: str, names: Sequence[str]) -> bool:
    """True where what is left of a reply, once its values are taken out, asks for nothing more.

    `names` are the words for what was asked, such as "order number": "the order number is ..." is still only an answer.
    """
    left = plain(rest)
    for name in sorted((plain(name) for name in names), key=len, reverse=True):
        left = left.replace(name, " ") if name else left
    words = [word for word in _WORDS.findall(left) if word not in _FILLERS]
    return all(_is_chinese(word) for word in words) and len(words) <= _MOST_LEFT


def _is_chinese(word: str) -> bool:
    return "\u3400" <= word <= "\u9fff"


def choice_index(text: str, labels: Sequence[str]) -> int | None:
    """Which of the numbered `labels` a reply names, by number, ordinal or label; None for none or several."""
    reply = plain(text)
    if not reply:
        return None
    exact = [index for index, label in enumerate(labels) if plain(label) == reply]
    if len(exact) == 1:
        return exact[0]
    match = _ENGLISH_CHOICE.match(reply) or _CHINESE_CHOICE.match(reply.replace(" ", ""))
    if match is not None:
        word = match.group(1)
        number = int(word) if word.isdecimal() else _ORDINALS.get(word)
        if number is not None and (number == -1 or 1 <= number <= len(labels)):
            return len(labels) - 1 if number == -1 else number - 1
    if len(reply) >= 2:
        within = [index for index, label in enumerate(labels) if reply in plain(label)]
        if len(within) == 1:
            return within[0]
    return None
