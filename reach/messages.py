"""The words that Reach itself says to users, in every language it speaks.

Rule: a message says what happened and what the user can do, never how the program works; every key has every language.
"""

from __future__ import annotations

import re
from typing import Any

LANGUAGES = ("en", "zh")

_WORD = re.compile(r"[A-Za-z]{2}")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")

_MESSAGES: dict[str, dict[str, str]] = {
    "greeting": {
        "en": "Hello! I can help with: {tools}.",
        "zh": "您好！我可以帮您：{tools}。",
    },
    "thanks": {"en": "You're welcome.", "zh": "不客气。"},
    "closing": {"en": "Goodbye!", "zh": "再见！"},
    "empty": {
        "en": "I did not get a question. What would you like to know?",
        "zh": "没有收到您的问题，请问想了解什么？",
    },
    "ask_tool": {
        "en": "I am not sure what you need. Did you mean one of these?\n{choices}",
        "zh": "我不太确定您的意思，您是想：\n{choices}",
    },
    "ask_rephrase": {
        "en": "I can't help with that. I can help with: {tools}.",
        "zh": "这个我帮不上忙。我可以帮您：{tools}。",
    },
    "ask_parameter": {"en": "Please tell me the {name}.", "zh": "请告诉我{name}。"},
    "ask_one_of": {"en": "Please tell me one of these: {names}.", "zh": "请提供以下任意一项：{names}。"},
    "ask_choice": {"en": "Which {name} do you mean?\n{choices}", "zh": "您指的是哪一个{name}？\n{choices}"},
    "invalid_value": {
        "en": "“{value}” is not a valid {name}: {problem}.",
        "zh": "“{value}”不是有效的{name}：{problem}。",
    },
    "wrong_shape": {"en": "“{value}” should look like {shape}", "zh": "“{value}”的格式应为 {shape}"},
    "no_such_day": {"en": "“{value}” is not a day of the calendar", "zh": "没有“{value}”这一天"},
    "too_small": {"en": "{value} is too small; the least is {limit}", "zh": "{value} 太小，最小为 {limit}"},
    "too_large": {"en": "{value} is too large; the most is {limit}", "zh": "{value} 太大，最大为 {limit}"},
    "confirm": {
        "en": "Please confirm: {title}\n{arguments}\nReply “yes” to go ahead, or “no” to cancel.",
        "zh": "请确认：{title}\n{arguments}\n回复“好的”执行，回复“取消”放弃。",
    },
    "source_user": {"en": "your words", "zh": "来自您的话"},
    "source_slot": {"en": "said earlier", "zh": "来自之前的对话"},
    "source_result": {"en": "from an earlier result", "zh": "来自之前的查询结果"},
    "source_claim": {"en": "from your account", "zh": "来自您的账户"},
    "source_default": {"en": "default", "zh": "默认值"},
    "source_host": {"en": "given by the application", "zh": "由应用提供"},
    "cancelled": {"en": "Cancelled. Nothing was done.", "zh": "已取消，没有执行任何操作。"},
    "nothing_pending": {"en": "There is nothing waiting for a yes.", "zh": "目前没有等待确认的操作。"},
    "confirmation_gone": {
        "en": "That confirmation has expired or was already used. Please ask again.",
        "zh": "该确认已过期或已使用，请重新发起。",
    },
    "denied": {"en": "You may not do that: {reason}", "zh": "您无权执行该操作：{reason}"},
    "denied_default": {"en": "no rule allows it.", "zh": "没有规则允许。"},
    "denied_ownership": {"en": "“{value}” is not yours, as far as can be proved.", "zh": "无法证明“{value}”属于您。"},
    "denied_rule": {"en": "a rule forbids it.", "zh": "有规则禁止。"},
    "denied_condition": {"en": "a rule could not be checked.", "zh": "有规则无法核实。"},
    "denied_unproved": {
        "en": "it could not be checked that this is yours. Please try again later.",
        "zh": "暂时无法核实是否属于您，请稍后再试。",
    },
    "precondition_unproved": {
        "en": "it could not be checked whether this is possible now. Please try again later.",
        "zh": "暂时无法核实当前是否可以执行，请稍后再试。",
    },
    "failed": {
        "en": "{title} is not available right now. Nothing was changed; please try again later.",
        "zh": "“{title}”暂时无法使用，没有做任何改动，请稍后再试。",
    },
    "failed_timeout": {
        "en": "{title} did not answer in time. Please try again later.",
        "zh": "“{title}”响应超时，请稍后再试。",
    },
    "rejected": {"en": "{title} was refused: {reason}", "zh": "“{title}”被拒绝：{reason}"},
    "unknown": {
        "en": "{title} was sent but not confirmed: it may have happened. Please check before trying again.",
        "zh": "“{title}”已提交但未得到确认，可能已经生效。请先核实，不要重复提交。",
    },
    "instead": {"en": "From “{title}” instead:", "zh": "以下来自“{title}”："},
    "out_of_time": {
        "en": "That took too long. Nothing was changed; please try again later.",
        "zh": "处理超时，没有做任何改动，请稍后再试。",
    },
    "limit": {"en": "That is too much at once. Please try again in a moment.", "zh": "请求过于频繁，请稍后再试。"},
    "replayed": {
        "en": "(This was already done; nothing was done twice.)",
        "zh": "（该操作此前已完成，没有重复执行。）",
    },
    "done": {"en": "{title}: done.", "zh": "{title}：已完成。"},
    "empty_result": {"en": "Nothing was found.", "zh": "没有找到相关内容。"},
    "showing": {"en": "Showing {shown} of {total}.", "zh": "共 {total} 条，显示前 {shown} 条。"},
    "truncated_text": {"en": "Showing the beginning only.", "zh": "仅显示开头部分。"},
    "partial": {"en": "The result may be incomplete.", "zh": "结果可能不完整。"},
    "more": {"en": "The whole result is kept as {ref}.", "zh": "完整结果已保存为 {ref}。"},
    "unreadable": {"en": "The result could not be read.", "zh": "返回的结果无法读取。"},
    "binary": {
        "en": "The result is a file ({media_type}, {bytes} bytes).",
        "zh": "结果是一个文件（{media_type}，{bytes} 字节）。",
    },
    "fetch_hint": {
        "en": "Read all of it in pages: fetch(artifact_ref, offset, limit); in a shell: reach fetch {ref} --as WHO",
        "zh": "逐页读取全部内容：fetch(artifact_ref, offset, limit)；命令行：reach fetch {ref} --as WHO",
    },
    "export_hint": {
        "en": "It is not text, so it can't be read here; export it: reach artifacts export {ref} --as WHO",
        "zh": "内容不是文本，无法在此阅读；请导出：reach artifacts export {ref} --as WHO",
    },
    "not_kept": {
        "en": "The rest is not kept; ask for less, such as a shorter period or one record.",
        "zh": "其余内容没有保存；请缩小范围，例如更短的时间段或单条记录。",
    },
    "not_saved": {
        "en": "The rest could not be saved this time; ask for less, such as a shorter period or one record.",
        "zh": "其余内容这次未能保存；请缩小范围，例如更短的时间段或单条记录。",
    },
    "source_partial": {
        "en": "The source itself returned only a part; ask for less, such as a shorter period.",
        "zh": "数据源只返回了一部分；请缩小范围，例如更短的时间段。",
    },
    "statistics": {
        "en": "{name} over {scope}: {parts}.",
        "zh": "{name}（统计范围：{scope}）：{parts}。",
    },
    "statistics_all": {"en": "all {total}", "zh": "全部 {total} 条"},
    "statistics_at_least": {"en": "the {total} that were returned", "zh": "已返回的 {total} 条"},
    "yes": {"en": "yes", "zh": "是"},
    "no": {"en": "no", "zh": "否"},
}


def language_of(text: str, default: str = "en") -> str:
    """`zh` where `text` has any Chinese character, `en` where it has an English word, else `default`.

    An order number, a bare "ok" and the like are no words of any language.
    """
    if _CJK.search(text):
        return "zh"
    words = [word for word in text.split() if not any(character.isdigit() for character in word)]
    if any(_WORD.search(word) and word.strip(".,!?").lower() not in ("ok", "okay") for word in words):
        return "en"
    return default


def message(key: str, language: str, **values: Any) -> str:
    """The message `key` in `language` with `values` filled in. Values are never read as templates."""
    texts = _MESSAGES[key]
    return texts.get(language, texts["en"]).format_map({name: str(value) for name, value in values.items()})
