"""Greetings, thanks and closings, in English and Chinese: what asks for nothing.

Rule: a text is small talk only if every word of it is; one word about anything else and it is routed.
"""

from __future__ import annotations

import re
from typing import Literal

from reach.router.text import has_words, normalise

SmallTalk = Literal["greeting", "closing", "thanks", "empty"]

_MAX_LENGTH = 160
_ENGLISH: dict[SmallTalk, str] = {
    "greeting": """
        hi, hello, hey, hiya, howdy, greetings, good morning, good afternoon, good evening, how are you,
        how is it going, hows it going, whats up, anyone there, anybody there, is anyone there,
        is anybody there, are you there, nice to meet you
    """,
    "thanks": """
        thank, thanks, thx, thankyou, cheers, appreciate, appreciated, grateful, very helpful, so helpful,
        most helpful, your time, good job, great job, nice work, good work, great work
    """,
    "closing": """
        bye, goodbye, good bye, good night, goodnight, see you, see ya, farewell, take care, cya,
        have a good day, have a nice day, have a great day, have a good one, have a great one, thats all,
        that is all, that will be all, thatll be all, that would be all, its all, is that all, thats it,
        that is it, thats everything, that is everything, that will be everything, nothing else, nothing more,
        nothing for now, not right now, not now, not at the moment, all set, im good, i am good, im done,
        i am done, im fine, i am fine, no need, dont need anything, do not need anything, need nothing,
        dont need anything else, thats the whole thing, all the thing i want, all the things i want, all i need,
        all i needed, all i want, all i wanted, no more questions, no further questions, should do it,
        would be all, will be all, not at this time, dont want anything, wont be necessary
    """,
}
_ENGLISH_FILLER_WORDS = """
    a again all alright also always am and anything are as assistance assisting at awesome be been being big bot
    brilliant bunch but cool day dear doing done easier effort else ever everyone everything excellent far fine
    folks for friend from good got great guys have having help helped helpful helping i im in indeed info
    information is it its ive just kind kindly know lot lots love lovely madam many me million most much my need
    needed nice no nope nothing now of oh ok okay on perfect please pleasure really right service sir so still
    such super support sure team thankful that thats the there to today ton tonight tons too tremendous truly
    very was welcome well will with wonderful work would wow y yeah yep yes you your youre yours youve
"""
_CHINESE: dict[SmallTalk, str] = {
    "greeting": """
        你好 您好 你们好 大家好 哈喽 哈啰 嗨 嘿 喂 早上好 上午好 中午好 下午好 晚上好 早安 早啊 在吗 在嘛 在么
        在不在 在不 有人吗 有人在吗 有人么 有客服吗 人工在吗 最近好吗 你好吗 您好吗 吃了吗
    """,
    "thanks": """
        谢谢 谢了 谢啦 多谢 感谢 谢谢你 谢谢您 感激 太感谢 非常感谢 十分感谢 谢 麻烦你了 麻烦您了 辛苦了
        辛苦你了 辛苦您了 帮大忙了 帮了大忙
    """,
    "closing": """
        再见 拜拜 拜 回见 回头见 下次见 晚安 没了 没有了 没别的了 没有别的了 没事了 没有其他问题了 没其他问题了
        没有问题了 没问题了 没有其他的了 没其他的了 没什么了 没啥了 不用了 不需要了 暂时不用 暂时没有 就这样
        就这样吧 先到这 先到这里 就到这 就到这里 就这些 就这些了 先这样 先这样吧 没有什么问题了 没啥问题了
        没什么问题了 没有疑问了 有问题再联系你 没有其它问题了 没其它问题了 没有别的问题了 我没有问题了 问完了
        感激不尽 有问题再找你 有需要再找你 有问题我再联系你 有需要我再联系你 有问题再联系您 祝你愉快 祝您愉快
        祝您生活愉快 祝你生活愉快
    """,
}
_CHINESE_FILLER_WORDS = """
    好的 好 嗯 嗯嗯 哦 噢 啊 呀 啦 了 哈 哈哈 呢 哟 吧 嘛 行 可以 是的 对 那 我 你 您 你们 的 都 就 先 太 非常
    十分 真的 真是 很 也 还 请问 亲 亲爱的 客服 小姐姐 小哥哥 老师 朋友 机器人 帮助 帮忙 服务 耐心
    这么 一下 不客气 客气 知道了 明白了 了解了 收到 清楚了 没有 没 目前 暂时 麻烦 辛苦 今天 为我 对我 恩 恩恩 哎
    好嘞 好滴 哦了 好吧 太好了 挺好的 不错 没关系 没事 的介绍 的推荐 的回答 的建议 的解答 的回复 贴心 您的 你的
    详细 专业 配合 理解 支持 真 这边 完美 还是 不过 同样 说的
"""
_KINDS: tuple[SmallTalk, ...] = ("closing", "thanks", "greeting")
_PIECE = re.compile(r"[a-z]+|[\u3400-\u9fff]+|[^\W_]")


def _phrases(table: dict[SmallTalk, str], separator: str | None) -> dict[str, SmallTalk]:
    return {" ".join(phrase.split()): kind for kind, text in table.items() for phrase in text.split(separator)}


_ENGLISH_PHRASES = _phrases(_ENGLISH, ",")
_ENGLISH_LONGEST = max(phrase.count(" ") + 1 for phrase in _ENGLISH_PHRASES)
_ENGLISH_FILLERS = frozenset(_ENGLISH_FILLER_WORDS.split())
_CHINESE_PHRASES: dict[str, SmallTalk | None] = {
    **dict.fromkeys(_CHINESE_FILLER_WORDS.split()),
    **_phrases(_CHINESE, None),
}
_CHINESE_LONGEST = max(map(len, _CHINESE_PHRASES))


def smalltalk(text: str) -> SmallTalk | None:
    """What kind of small talk the whole of `text` is; None where any of it may ask for something.

    A closing wins over thanks and thanks over a greeting. Text without a letter or digit is `empty`.
    """
    if not has_words(text):
        return "empty"
    if len(text) > _MAX_LENGTH:
        return None
    pieces: list[str] = _PIECE.findall(normalise(text).casefold().replace("'", "").replace("\u2019", ""))
    found: set[SmallTalk] = set()
    at = 0
    while at < len(pieces):
        if "\u3400" <= pieces[at][0] <= "\u9fff":
            used = 1 if _read_chinese(pieces[at], found) else 0
        else:
            used = _read_english(pieces, at, found)
        if not used:
            return None
        at += used
    return next((kind for kind in _KINDS if kind in found), None)


def _read_english(pieces: list[str], at: int, found: set[SmallTalk]) -> int:
    """How many pieces from `at` are the longest known phrase, or one filler word; 0 where they are neither."""
    for size in range(min(_ENGLISH_LONGEST, len(pieces) - at), 0, -1):
        kind = _ENGLISH_PHRASES.get(" ".join(pieces[at : at + size]))
        if kind is not None:
            found.add(kind)
            return size
    return 1 if pieces[at] in _ENGLISH_FILLERS else 0


def _read_chinese(run: str, found: set[SmallTalk]) -> bool:
    """Whether known phrases, longest first, cover the whole run."""
    at = 0
    while at < len(run):
        for size in range(min(_CHINESE_LONGEST, len(run) - at), 0, -1):
            phrase = run[at : at + size]
            if phrase in _CHINESE_PHRASES:
                kind = _CHINESE_PHRASES[phrase]
                if kind is not None:
                    found.add(kind)
                at += size
                break
        else:
            return False
    return True
