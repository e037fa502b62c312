"""Every mistake of a file is told at its line and column, with its path and what was expected.

In the table a mistake is a replacement in a valid file; `»` stands where the problem must be placed.
"""

import pytest

from tests.registry.small_agent import POLICIES, TOOLS

# ruff: noqa: E501  -- one mistake a line keeps the table readable

IN_TOOLS = [
    # keys
    ("description: Status of", "»descripton: Status of", "tools[0].descripton", "did you mean 'description'?"),
    ("    tags: [order]\n", "    »tagz: [order]\n", "tools[0].tagz", "did you mean 'tags'?"),
    ("pattern: '^SO", "»patern: '^SO", "tools[0].parameters.order_id.patern", "did you mean 'pattern'?"),
    ("{threshold: 0.5}", "{»treshold: 0.5}", "runtime.treshold", "did you mean 'threshold'?"),
    ("zh: 创建工单。", "»fr: Ouvrir", "tools[1].description.fr", "expected en or zh"),
    ("    timeout_ms: 3000\n", "    timeout_ms: 3000\n    »timeout_ms: 5000\n", "", "first is at line 16, column 5"),
    ("  - name: order_status\n    description", "  - »description", "tools[0].name", "the key 'name' is missing"),
    ("{kind: sql, ", "»{", "backends.shop.kind", "the key 'kind' is missing"),
    # kinds of values
    ("Status of one order.", "»123", "tools[0].description", 'quote it: "123"'),
    ("Closed.", "»true", "tools[0].preconditions[0].reason", 'quote it: "true"'),
    ("name: order_status", "name: »2024", "tools[0].name", 'quote it: "2024"'),
    ("required: false, format", "required: »no, format", "tools[0].parameters.since.required", "write false"),
    ("required: false, minimum", "required: »on, minimum", "tools[1].parameters.amount.required", "quote it"),
    ("minimum: 1,", "minimum: »12:30:00,", "tools[1].parameters.amount.minimum", "12:30:00 is text"),
    ("minimum: 1,", "minimum: »'1',", "tools[1].parameters.amount.minimum", "remove the quotes"),
    ("timeout_ms: 3000", "timeout_ms: »0", "tools[0].timeout_ms", "must be at least 1, got 0"),
    ("timeout_ms: 3000", "timeout_ms: »3e3", "tools[0].timeout_ms", "expected a whole number, got the number 3000.0"),
    ("timeout_ms: 3000", "timeout_ms: »0x10", "tools[0].timeout_ms", "expected a whole number, got '0x10'"),
    ("threshold: 0.5", "threshold: »1.5", "runtime.threshold", "must be at most 1, got 1.5"),
    ("threshold: 0.5", "timezone: »Mars/Base", "runtime.timezone", "not an IANA time zone"),
    ("version: 1", "version: »2", "version", "expected '1', got the number 2"),
    ("read_only", "»readonly", "tools[0].side_effect", "did you mean 'read_only'?"),
    ("examples: [where is my order]", "examples: »where", "tools[0].examples", "expected a list, got 'where'"),
    ("[where is my order]", "[where, »{a: b}]", "tools[0].examples[1]", "expected text, got a mapping"),
    ("rate_limit: {", "retry:»\n    rate_limit: {", "tools[0].retry", "expected a mapping, got nothing"),
    ("30/minute", "»30/min", "tools[0].rate_limit.per_caller", "expected a rate such as 30/minute"),
    ("fields: [ticket]", "fields: »ticket", "tools[1].result.fields", "expected '*' or a list, got 'ticket'"),
    ("Open a ticket.", "»''", "tools[1].description.en", "must not be empty"),
    ("kind: sql", "kind: »sqlite", "backends.shop.kind", "did you mean 'sql'?"),
    # within one tool
    ("'^SO-.*$'", "»'^SO-('", "tools[0].parameters.order_id.pattern", "not a valid regular expression"),
    ("type: string, pattern", "type: integer, »pattern", "tools[0].parameters.order_id.pattern", "applies to strings"),
    ("synonyms: {broken", "»synonyms: {brokn", "tools[1].parameters.topic.synonyms", "not one of the enum values"),
    ('{function: "shop.tools:create"}', "{function: »shop.tools.create}", "tools[1].adapter.function", "module:function"),
    ("id = :order_id AND", "id = »:order AND", "tools[0].adapter.statement", "uses ':order', which is neither"),
    (' AND day > :since"', '"', "tools[0].parameters.since", "does not use the parameter ':since'"),
    ("    preconditions:", "    require_one_of: [[since, »id]]\n    preconditions:", "tools[0].require_one_of[0][1]", "not a parameter"),
    ("since: {", "»caller_id: {", "tools[0].parameters.caller_id", "a name that Reach binds itself"),
    ("    side_effect: write\n", "    side_effect: write\n    »cache: {ttl_s: 3}\n", "tools[1].cache", "a write can't have a 'cache'"),
    ("env: SHOP_TOKEN", "env: SHOP_TOKEN, »file: token", "credentials.token.file", "exactly one of 'env' and 'file'"),
    ("format: date, period: start", "period: »start", "tools[0].parameters.since.period", "add 'format: date'"),
    # names across the file
    ("name: create_ticket", "name: »order_status", "tools[1].name", "the first is at line 9, column 11"),
    ("adapter: {backend: shop", "adapter: {backend: »shpo", "tools[0].adapter.backend", "did you mean 'shop'?"),
    ("{id: open, backend: shop", "{id: open, backend: »python", "tools[0].preconditions[0].backend", "of kind python; this needs one of kind sql"),
    ("credential: token", "credential: »tokens", "backends.shop.credential", "did you mean 'token'?"),
    ('shop.tools:create"', 'shop.tools:create", backend: »shop', "tools[1].adapter.backend", "of kind sql; this needs one of kind python"),
    ("resource: order", "resource: »oder", "tools[0].parameters.order_id.resource", "did you mean 'order'?"),
    ("resource: order", "resource: »parcel", "tools[0].parameters.order_id.resource", "add ownership.parcel to a policy file"),
    ("SELECT status FROM orders WHERE id", "»DELETE FROM orders WHERE id", "tools[0].adapter.statement", "a read_only tool may only read"),
    ("SELECT 1 FROM orders WHERE id = :order_id", "»update orders SET x = :order_id", "tools[0].preconditions[0].sql", "an UPDATE"),
    ("AND day > :since", "AND day > :since; SELECT 2", "tools[0].adapter.statement", "holds several statements"),
    ("enum: [broken, late]", "values: {backend: »shpo, sql: SELECT 1}, enum: [broken, late]", "tools[1].parameters.topic.values.backend", "unknown backend"),
    # the text itself
    ("version: 1\n", "version: 1\n»\truntime: {}\n", "", "a tab can't indent"),
    ("Complaints.", "Complaints»: no", "", "quote a text that holds it"),
    ("Complaints.", "»@shop", "", "can't begin with '@'"),
    ("Complaints.", "»!!str x", "", "tag"),
    ("Complaints.", "&a [»*b]", "", "undefined alias"),
    ("timeout_ms: 3000", "? »[a, b]\n    : 3000", "", "a key must be plain text"),
]  # fmt: skip

IN_POLICIES = [
    ("tools: [order_status]", "tools: [»order_stats]", "rules[0].allow.tools[0]", "did you mean 'order_status'?"),
    ("tags: [order]", "tags: [»orders]", "rules[2].deny.tags[0]", "did you mean 'order'?"),
    ("roles: [customer], tools: [order", "»rolls: [customer], tools: [order", "rules[0].allow.rolls", "did you mean 'roles'?"),
    ("{roles: [customer], tools: [order", "{tools: [order", "rules[0].allow", "must name 'roles'"),
    ("  - id: ask", "  - id: »see", "rules[1].id", "policies/main.yaml:5:9"),
    ("backend: shop, sql", "backend: »shops, sql", "ownership.order.backend", "unknown backend 'shops'"),
    ("backend: shop, sql", "backend: »python, sql", "ownership.order.backend", "needs one of kind sql"),
    ("id = :value AND", "id = »:val AND value = :value AND", "ownership.order.sql", "uses ':val'"),
    ("owner = :caller_id", "1 = 1", "ownership.order", "does not use the caller"),
    (":value AND owner", "1 AND owner", "ownership.order.sql", "proves nothing about the value"),
    ("SELECT 1 FROM orders WHERE", "»DELETE FROM orders WHERE", "ownership.order.sql", "a proof may only read, but the statement is a DELETE"),
    ("has(args.amount)", "has(args.amount) +»", "rules[1].confirm.when", "not a valid CEL expression"),
    ("has(args.amount)", "»arg.amount > 1", "rules[1].confirm.when", "did you mean 'args'?"),
    ("has(args.amount)", "»args.amont > 1", "rules[1].confirm.when", "did you mean 'amount'?"),
    ("provenance.order_id", "»provenance.order", "rules[2].deny.when", "no tool of this rule has a parameter 'order'"),
    ("'result'", "»'results'", "rules[2].deny.when", "a provenance is never 'results'"),
    ("has(args.amount)", "»caller.role == 'x'", "rules[1].confirm.when", "did you mean 'roles'?"),
    ("has(args.amount)", "args.topic.matchez('x')", "rules[1].confirm.when", "unknown function 'matchez'"),
    ("    deny: {", "    allow: {everyone: true, tags: [order]}\n    »deny: {", "rules[2].deny", "exactly one of 'allow', 'confirm' and 'deny'"),
    ("  - id: see\n    allow", "  - allow", "rules[0].id", "the key 'id' is missing"),
]  # fmt: skip


def _broken(text, old, new):
    assert text.count(old) == 1, f"{old!r} is not there exactly once"
    marked = text.replace(old, new)
    before, found, _ = marked.partition("»")
    place = (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1) if found else None
    return marked.replace("»", ""), place


@pytest.mark.parametrize(("old", "new", "path", "words"), IN_TOOLS, ids=lambda value: str(value)[:30])
def test_a_mistake_in_tools_is_placed_and_explained(agent, old, new, path, words):
    text, place = _broken(TOOLS, old, new)
    _assert_told(agent.write(text).problems(), agent.tools, place, path, words)


@pytest.mark.parametrize(("old", "new", "path", "words"), IN_POLICIES, ids=lambda value: str(value)[:30])
def test_a_mistake_in_policies_is_placed_and_explained(agent, old, new, path, words):
    text, place = _broken(POLICIES, old, new)
    _assert_told(agent.write(main=text).problems(), agent.policies / "main.yaml", place, path, words)


def _assert_told(problems, file, place, path, words):
    told = [p for p in problems if p.path == path and words in f"{p.message} {p.hint}"]
    assert told, f"not told: {path} {words}; but: {[str(p) for p in problems]}"
    assert told[0].file == str(file)
    if place is not None:
        assert (told[0].line, told[0].column) == place
