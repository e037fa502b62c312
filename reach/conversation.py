"""One turn of a conversation: continue what is pending, or route, fill, permit, execute and answer.

Rule: a value is used only where its source is known, a fall-through never lands on a write and never drops what the
user said, and an answer is never invented: where nothing worked, the outcome says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from reach.calls import CallContext, Calls
from reach.catalogues import Catalogues
from reach.executor import recorded
from reach.messages import language_of, message
from reach.outcomes import instead_of, outcome_of
from reach.policy import Policy
from reach.ports import Deadline
from reach.router import Router, fill, log_odds
from reach.router.replies import choice_index, is_no, is_only_an_answer, is_yes
from reach.router.wording import choice_question, names_of, numbered, question_for, title_of
from reach.session import Pending, Session, SessionStore
from reach.spec import ToolSpec
from reach.types import (
    Arguments,
    Caller,
    CallResult,
    Candidate,
    Choice,
    Clarify,
    Confirm,
    Fallback,
    NoTool,
    Outcome,
    Provenance,
    Route,
    Unknown,
)

_MAX_MISSES = 1
_MAX_BEHIND = 1.5
"""How far behind the best candidate, in log-odds, another may be and still stand in for it."""
_MIN_AHEAD = 1.0
"""How far ahead of the tool that asked, in log-odds, another must be for a reply to be about that one instead."""
_SMALL_TALK = ("greeting", "thanks", "closing", "empty")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn works on."""

    text: str
    context: CallContext
    session: Session
    visible: frozenset[str]

    @property
    def language(self) -> str:
        """The user's language in this turn."""
        return self.context.language


class Conversation:
    """Turns utterances into outcomes."""

    def __init__(
        self,
        *,
        tools: Mapping[str, ToolSpec],
        router: Router,
        policy: Policy,
        calls: Calls,
        catalogues: Catalogues,
        sessions: SessionStore,
        local_now: Callable[[Caller], datetime],
        top_k: int,
    ) -> None:
        self._tools = tools
        self._router = router
        self._policy = policy
        self._calls = calls
        self._catalogues = catalogues
        self._sessions = sessions
        self._local_now = local_now
        self._top_k = top_k

    async def turn(self, text: str, context: CallContext) -> Outcome:
        """One utterance. Raises StateError where the session can't be read, or a question to the user can't be kept."""
        caller = context.caller
        session = await self._sessions.load(caller, context.session)
        language = language_of(text, session.language or _locale_of(caller) or context.language)
        turn = Turn(text, replace(context, language=language), session, self._policy.visible(caller))
        outcome = await self._handle(turn)
        session.language = language
        save = self._sessions.save(caller, context.session, session)
        if outcome.kind == "clarify":
            await save
        else:
            await recorded(save, context.deadline)
        outcome = replace(outcome, turn=context.turn, session=context.session, language=language)
        context.trace.note("answer", outcome=outcome.kind, tool=outcome.tool, text=outcome.text)
        return outcome

    async def route(self, text: str, visible: frozenset[str], deadline: Deadline) -> Route:
        """The candidates for `text` among the `visible` tools, with what the catalogues know of it."""
        tools = [tool for name, tool in self._tools.items() if name in visible]
        mentioned = await self._catalogues.mentioned(text, tools, deadline)
        return self._router.route(text, visible=visible, mentioned=mentioned)

    async def confirmed(self, confirmation_id: str, context: CallContext) -> CallResult:
        """The yes to a write by its id; closes the question in the session too."""
        result = await self._calls.confirm(confirmation_id, context)
        await recorded(self._close_confirmation(confirmation_id, context), context.deadline)
        return result

    def late(self, text: str, context: CallContext) -> Outcome:
        """The outcome of a turn whose time was over before it had one."""
        language = language_of(text, _locale_of(context.caller) or context.language)
        result = self._calls.late("", replace(context, language=language))
        kind = Unknown if result.status == "unknown" else Fallback
        error = result.envelope.structured.error
        outcome = kind(error.message if error else "", tool=result.tool or None, envelope=result.envelope)
        context.trace.note("answer", outcome=outcome.kind, tool=outcome.tool, text=outcome.text)
        return replace(outcome, turn=context.turn, session=context.session, language=language)

    async def _close_confirmation(self, confirmation_id: str, context: CallContext) -> None:
        session = await self._sessions.load(context.caller, context.session)
        session.pending = [p for p in session.pending if p.confirmation_id != confirmation_id]
        await self._sessions.save(context.caller, context.session, session)

    # -------------------------------------------------------------------------------------------- pending

    async def _handle(self, turn: Turn) -> Outcome:
        question = turn.session.top
        if question is None:
            return await self._new_topic(turn)
        if question.kind == "confirm":
            return await self._reply_to_confirmation(turn, question)
        if is_no(turn.text):
            turn.session.close(question)
            return NoTool(message("cancelled", turn.language))
        if question.kind == "tool":
            return await self._reply_to_tool_question(turn, question)
        return await self._reply_to_parameter_question(turn, question)

    async def _reply_to_confirmation(self, turn: Turn, question: Pending) -> Outcome:
        if is_no(turn.text):
            turn.session.close(question)
            await self._calls.drop(question.confirmation_id, turn.context.caller, turn.context.session)
            return NoTool(message("cancelled", turn.language))
        if is_yes(turn.text):
            turn.session.close(question)
            if not question.fresh:  # something else was said in between, so the yes may not be meant for this
                turn.session.push(replace(question, fresh=True))
                return Confirm(question.text, tool=question.tool, confirmation_id=question.confirmation_id)
            result = await self._calls.confirm(question.confirmation_id, turn.context)
            if result.status == "invalid":
                return NoTool(message("confirmation_gone", turn.language))
            if not result.tool:  # the confirmation could not be read, so it still waits for its yes
                turn.session.push(question)
                return Fallback(message("out_of_time", turn.language), tool=question.tool, envelope=result.envelope)
            return self._outcome_of(turn, result)
        return await self._new_topic(turn)

    async def _reply_to_tool_question(self, turn: Turn, question: Pending) -> Outcome:
        turn.session.close(question)
        index = choice_index(turn.text, [choice.label for choice in question.choices])
        if index is not None:
            tool = str(question.choices[index].value)
            if tool in turn.visible:
                return await self._use(turn, tool, question.query, {})
        outcome_route = await self._route(turn, turn.text)
        if not outcome_route.above and outcome_route.reason not in _SMALL_TALK:
            both = await self._route(turn, f"{question.query} {turn.text}")
            if both.above:
                return await self._try_candidates(turn, both, f"{question.query} {turn.text}")
        return await self._new_topic(turn)

    async def _reply_to_parameter_question(self, turn: Turn, question: Pending) -> Outcome:
        tool = self._tools.get(question.tool)
        if tool is None or question.tool not in turn.visible:
            turn.session.close(question)
            return await self._new_topic(turn)
        index = choice_index(turn.text, [choice.label for choice in question.choices]) if question.choices else None
        if index is not None:
            picked = {question.parameter: (question.choices[index].value, Provenance("user", turn.text, 0, "choice"))}
            turn.session.close(question)
            return await self._use(turn, tool.name, "", {**question.slots, **picked})
        arguments = await self._fill(turn, tool, turn.text, question.slots, asked=question.parameter)
        new = [name for name, origin in arguments.provenance.items() if origin.source == "user"]
        answered = bool(new or arguments.ambiguous or arguments.invalid)
        rest = _without_spans(turn.text, [arguments.provenance[name] for name in new])
        free_text = any(arguments.provenance[name].recogniser == "asked" for name in new)
        names = [name for known in tool.parameters for name in names_of(tool, known)]
        more = free_text or not answered or not is_only_an_answer(rest, names)
        route = await self._route(turn, turn.text)
        elsewhere = more and _is_elsewhere(route, question.tool)
        if answered and not elsewhere:
            turn.session.close(question)
            return await self._use_filled(turn, tool, arguments)
        if elsewhere or route.above or route.reason in _SMALL_TALK:
            return await self._new_topic(turn)
        if question.misses < _MAX_MISSES:
            turn.session.close(question)
            turn.session.push(replace(question, misses=question.misses + 1))
            return Clarify(question.text, tool=tool.name, parameter=question.parameter, choices=tuple(question.choices))
        turn.session.close(question)
        return await self._new_topic(turn)

    # -------------------------------------------------------------------------------------------- route

    async def _new_topic(self, turn: Turn) -> Outcome:
        turn.session.pending = [replace(question, fresh=False) for question in turn.session.pending]
        route = await self._route(turn, turn.text)
        turn.context.trace.note(
            "route",
            threshold=route.threshold,
            reason=route.reason,
            candidates=[{"tool": c.tool, "score": round(c.score, 4), "why": c.why} for c in route.candidates],
        )
        if route.reason in _SMALL_TALK:
            return NoTool(self._small_talk(turn, route), route=route)
        if not route.above:
            if is_yes(turn.text) or is_no(turn.text):
                return NoTool(message("nothing_pending", turn.language), route=route)
            return self._ask_which_tool(turn, route)
        return await self._try_candidates(turn, route, turn.text)

    async def _route(self, turn: Turn, text: str) -> Route:
        return await self.route(text, turn.visible, turn.context.deadline)

    async def _try_candidates(self, turn: Turn, route: Route, query: str) -> Outcome:
        failed: CallResult | None = None
        denied: CallResult | None = None
        said: set[str] = set()
        for position, candidate in enumerate(about_as_likely(route.above)):
            tool = self._tools[candidate.tool]
            if position and not tool.read_only:
                continue
            arguments = await self._fill(turn, tool, query, {})
            if not arguments.complete:
                if position:
                    continue
                return replace(self._ask_for(turn, tool, arguments, query), route=route)
            words = {origin.text for origin in arguments.provenance.values() if origin.source == "user"}
            if not said <= words:
                continue
            said = said or words
            result = await self._calls.call(tool.name, arguments, turn.context)
            if result.status == "denied":
                denied = denied or result
            elif result.status == "failed":
                failed = failed or result
            else:
                outcome = replace(self._outcome_of(turn, result), route=route)
                return self._instead(turn, failed or denied, outcome)
            if not tool.read_only:  # a read is no answer to somebody who wanted something done
                break
        last = failed or denied
        if last is None:
            return self._ask_which_tool(turn, route)
        return replace(self._outcome_of(turn, last), route=route)

    def _instead(self, turn: Turn, first: CallResult | None, outcome: Outcome) -> Outcome:
        if first is None or outcome.tool is None:
            return outcome
        title = title_of(self._tools[outcome.tool], turn.language)
        return instead_of(first, self._tools[first.tool], outcome, title, turn.language)

    def _ask_which_tool(self, turn: Turn, route: Route) -> Outcome:
        closest = [c.tool for c in route.candidates[: self._top_k] if c.score > 0]
        if not closest:
            return Clarify(message("ask_rephrase", turn.language, tools=self._titles(turn)), route=route)
        choices = tuple(Choice(name, title_of(self._tools[name], turn.language)) for name in closest)
        text = message("ask_tool", turn.language, choices=numbered([choice.label for choice in choices]))
        turn.session.push(Pending("tool", query=turn.text, choices=choices, text=text))
        return Clarify(text, choices=choices, route=route)

    def _small_talk(self, turn: Turn, route: Route) -> str:
        return message(route.reason, turn.language, tools=self._titles(turn))

    def _titles(self, turn: Turn) -> str:
        titles = [title_of(tool, turn.language) for name, tool in self._tools.items() if name in turn.visible]
        return ("、" if turn.language == "zh" else ", ").join(titles)

    # -------------------------------------------------------------------------------------------- fill and call

    async def _fill(
        self,
        turn: Turn,
        tool: ToolSpec,
        query: str,
        slots: Mapping[str, tuple[Any, Provenance]],
        asked: str | None = None,
    ) -> Arguments:
        arguments = fill(
            tool,
            query,
            now=self._local_now(turn.context.caller),
            caller=turn.context.caller,
            slots=slots,
            asked=asked,
            catalogues=await self._catalogues.of(tool, turn.context.deadline),
        )
        turn.context.trace.note(
            "fill",
            tool=tool.name,
            values=arguments.values,
            provenance=arguments.provenance,
            missing=arguments.missing,
            invalid=arguments.invalid,
            ambiguous=sorted(arguments.ambiguous),
        )
        return arguments

    async def _use(self, turn: Turn, tool: str, query: str, slots: Mapping[str, tuple[Any, Provenance]]) -> Outcome:
        return await self._use_filled(turn, self._tools[tool], await self._fill(turn, self._tools[tool], query, slots))

    async def _use_filled(self, turn: Turn, tool: ToolSpec, arguments: Arguments) -> Outcome:
        if not arguments.complete:
            return self._ask_for(turn, tool, arguments, turn.text)
        return self._outcome_of(turn, await self._calls.call(tool.name, arguments, turn.context))

    def _ask_for(self, turn: Turn, tool: ToolSpec, arguments: Arguments, query: str) -> Clarify:
        choices: tuple[Choice, ...] = ()
        if arguments.ambiguous:
            name, choices = next(iter(arguments.ambiguous.items()))
            text = choice_question(tool, name, choices, turn.language)
        elif arguments.invalid:
            name, problem = next(iter(arguments.invalid.items()))
            text = f"{problem}\n{question_for(tool, name, turn.language)}"
        else:
            name = arguments.missing[0]
            text = question_for(tool, name, turn.language)
        slots = {
            known: (value, replace(arguments.provenance[known], source="slot"))
            for known, value in arguments.values.items()
            if arguments.provenance[known].source in ("user", "slot")
            and known not in arguments.invalid
            and known not in arguments.ambiguous
        }
        turn.session.push(
            Pending("parameter", query, tool.name, parameter=name, slots=slots, choices=choices, text=text)
        )
        return Clarify(
            text,
            tool=tool.name,
            arguments=arguments.values,
            provenance=arguments.provenance,
            parameter=name,
            choices=choices,
        )

    def _outcome_of(self, turn: Turn, result: CallResult) -> Outcome:
        outcome = outcome_of(self._tools[result.tool], result, turn.language)
        turn.session.last_tool = result.tool
        if isinstance(outcome, Confirm):
            turn.session.push(
                Pending("confirm", tool=result.tool, confirmation_id=outcome.confirmation_id, text=outcome.text)
            )
        return outcome


def _is_elsewhere(route: Route, asked_by: str) -> bool:
    """True where a reply is clearly about another tool than the one that asked."""
    if not route.above or route.above[0].tool == asked_by:
        return False
    scores = {candidate.tool: candidate.score for candidate in route.candidates}
    return log_odds(route.above[0].score) - log_odds(scores.get(asked_by, 0.0)) > _MIN_AHEAD


def about_as_likely(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The best candidate, and those that may stand in for it where it fails."""
    best = log_odds(candidates[0].score) if candidates else 0.0
    return [candidate for candidate in candidates if best - log_odds(candidate.score) <= _MAX_BEHIND]


def _without_spans(text: str, origins: list[Provenance]) -> str:
    for origin in sorted(origins, key=lambda origin: origin.start, reverse=True):
        if origin.start >= 0:
            text = f"{text[: origin.start]} {text[origin.start + len(origin.text) :]}"
    return text


def _locale_of(caller: Caller) -> str:
    locale = caller.claims.get("locale")
    if not isinstance(locale, str):
        return ""
    language = locale.split("-")[0].split("_")[0].lower()
    return language if language in ("en", "zh") else ""
