import assert from "node:assert/strict";
import { Ajv } from "ajv";
import fc from "fast-check";
import { test } from "vitest";
import { edited, extended, programOf } from "../test/support/support-chat.ts";
import { approvalOf, approvalTitle, asksFor, ownersRule, ruleOf, stricter } from "./approval.ts";
import { matchesPattern } from "./names/names.ts";
import type { ApprovalRule } from "./program.ts";
import type { JsonObject, JsonSchema, JsonValue } from "./values/json.ts";

const numRuns = 500 * Number(process.env.LONG_RUN ?? 1);
const ask = ruleOf("ask");

/** The program of a definition in which `get-account` (userId: string, deep?: boolean) has this approval. */
function withApproval(approval: string) {
  const tool = `Reads an account\n    approval: ${approval}\n`;
  return programOf({ protocol: edited(["Reads an account\n", tool]) });
}

function ruleWritten(approval: string): ApprovalRule {
  const rule = approvalOf(withApproval(approval), "get-account");
  assert.ok(rule);
  return rule;
}

test("a rule is a word for all calls, or a map with defaults", () => {
  for (const mode of ["allow", "ask", "deny"] as const) assert.deepEqual(ruleWritten(mode), ruleOf(mode));
  assert.deepEqual(ruleWritten("{ ask: true }"), ask);
  const { expiresMs, when, onExpiry } = ruleWritten(
    "{ ask: true, expires: 90m, when: untrusted, onExpiry: fail }",
  );
  assert.deepEqual([expiresMs, when, onExpiry], [5_400_000, "untrusted", "fail"]);
  assert.equal(approvalOf(programOf(), "get-account"), undefined);
  assert.equal(approvalOf(programOf(), "toString"), undefined);
});

test("a call waits if its arguments match the schema", () => {
  const rule = ruleWritten("{ ask: { properties: { userId: { const: root } }, required: [userId] } }");
  const asks = (args: JsonObject) => asksFor(rule, args);
  assert.ok(asks({ userId: "root" }) && !asks({ userId: ["root"] }) && !asks({}));
  assert.ok(!asks({ userId: "ada" }) && !asks({ userId: "ada", deep: "yes" }));
  assert.ok(!asksFor(ruleOf("allow"), {}) && !asksFor(ruleOf("deny"), {}) && asksFor(ask, {}));
});

test("a call without an argument matches properties, so it waits", () => {
  const rule = ruleWritten("{ ask: { properties: { userId: { minLength: 9 } } } }");
  assert.ok(asksFor(rule, {}) && asksFor(rule, { userId: "123456789" }) && !asksFor(rule, { userId: "1" }));
});

const scalars = fc.constantFrom<JsonValue>("", "a", "ab", "👋🏽", 0, 1, 1.5, -1, true, false, null);
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalars,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("p", "q"), tie("value"), { maxKeys: 2, noNullPrototype: true }),
  ),
}));
const typeName = fc.constantFrom("string", "number", "integer", "boolean", "object", "array", "null");
const size = fc.integer({ min: 0, max: 3 });
const number = fc.constantFrom(-1, 0, 1, 1.5);
const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const schemas = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const keywords = {
    ...{ type: fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 })), const: value },
    ...{ enum: fc.uniqueArray(scalars, { minLength: 1, maxLength: 3 }), items: tie("schema") },
    ...{ minimum: number, maximum: number, exclusiveMinimum: number, exclusiveMaximum: number },
    ...{ minLength: size, maxLength: size, minItems: size, maxItems: size },
    ...{ required: fc.uniqueArray(fc.constantFrom("p", "q")), not: tie("schema") },
    ...{
      properties: fc.dictionary(fc.constantFrom("p", "q"), tie("schema"), {
        maxKeys: 2,
        noNullPrototype: true,
      }),
    },
    ...{ anyOf: schemas, allOf: schemas, oneOf: schemas },
  };
  const one = fc.oneof(
    { depthSize: "small" },
    ...Object.entries(keywords).map(([key, of]) => of.map((each): JsonSchema => ({ [key]: each }))),
  );
  return { schema: fc.tuple(one, one).map(([a, b]) => ({ ...a, ...b })) };
});
const args = fc.dictionary(fc.constantFrom("p", "q"), value, { maxKeys: 2, noNullPrototype: true });

test("a call waits exactly if a validator of JSON Schema accepts its arguments", () => {
  const ajv = new Ajv({ strict: false, validateSchema: false });
  let [asked, free] = [0, 0];
  fc.assert(
    fc.property(schema, fc.array(args, { minLength: 5, maxLength: 10 }), (ofArguments, calls) => {
      const accepts = ajv.compile(ofArguments);
      for (const given of calls) {
        assert.equal(asksFor({ ...ask, schema: ofArguments }, given), accepts(given));
        if (accepts(given)) asked += 1;
        else free += 1;
      }
    }),
    // Each schema is compiled, which takes much longer than the rest.
    { numRuns: numRuns / 2 },
  );
  assert.ok(asked > numRuns / 4 && free > numRuns / 4, `${asked} asked, ${free} free`);
});

const rules = fc.record(
  {
    mode: fc.constantFrom("allow", "ask", "ask", "ask", "deny"),
    schema,
    when: fc.constantFrom("always", "untrusted"),
    expiresMs: fc.constantFrom(60_000, 3_600_000),
    onExpiry: fc.constantFrom("deny", "fail"),
  },
  { requiredKeys: ["mode", "when", "expiresMs", "onExpiry"], noNullPrototype: true },
) as fc.Arbitrary<ApprovalRule>;

/** The effect of a rule on a call: 0 allows, 1 asks, 2 denies. */
function effect(rule: ApprovalRule, given: JsonObject, untrusted: boolean): number {
  if (rule.mode !== "ask") return rule.mode === "deny" ? 2 : 0;
  return (untrusted || rule.when === "always") && asksFor(rule, given) ? 1 : 0;
}

test("the stricter of two rules never allows a call for which one of them asks or denies, in any grouping", () => {
  fc.assert(
    fc.property(rules, rules, rules, args, fc.boolean(), (a, b, c, given, untrusted) => {
      const of = (rule: ApprovalRule) => effect(rule, given, untrusted);
      const [left, right] = [stricter(stricter(a, b), c), stricter(a, stricter(b, c))];
      assert.ok(of(left) >= Math.max(of(a), of(b), of(c)));
      assert.equal(of(left), of(right));
      assert.deepEqual([left.expiresMs, left.onExpiry], [right.expiresMs, right.onExpiry]);
      assert.deepEqual(stricter(a, a), a);
    }),
    { numRuns },
  );
});

test("two schemas make a call wait that matches one of them, with the title and expiry of the first rule", () => {
  const first = { ...ruleWritten('{ ask: { required: [deep] }, title: "Read {{userId}}", expires: 1h }') };
  const rule = stricter(first, { ...ask, schema: { required: ["userId"] } });
  assert.ok(asksFor(rule, { deep: true }) && asksFor(rule, { userId: "a" }) && !asksFor(rule, {}));
  assert.deepEqual([rule.title, rule.expiresMs], [first.title, 3_600_000]);
  assert.equal(stricter(first, ask).schema, undefined);
  assert.equal(stricter(first, ruleOf("deny")).mode, "deny");
});

test("a title contains the arguments on one line of at most 200 characters", () => {
  const { title } = ruleWritten('{ ask: true, title: "Read {{ userId }} ({{deep}}) {{ not one }} {x}" }');
  const titleOf = (given: JsonObject) => approvalTitle({ ...ask, ...(title && { title }) }, given);
  assert.equal(titleOf({ userId: "ada" }), "Read ada (NONE) {{ not one }} {x}");
  assert.equal(titleOf({ userId: "{{deep}}", deep: ["x"] }), 'Read {{deep}} (["x"]) {{ not one }} {x}');
  assert.equal(
    titleOf({ userId: "a\nApproved by\u202e Ada\u2028" }),
    "Read a Approved by Ada (NONE) {{ not one }} {x}",
  );
  const long = titleOf({ userId: "👋".repeat(1_000_000), deep: true }) ?? "";
  assert.ok(long.length <= 200 && long.endsWith("…") && long.isWellFormed());
  assert.equal(approvalTitle(ask, {}), undefined);
});

const servers = `
workers: { research: { description: R, approval: ask } }
skills: { get-account: { approval: deny }, charts: { approval: { ask: true, expires: 2d } } }
mcpServers:
  plain: { description: P, source: remote }
  shell: { description: S, source: device, approval: { ask: { properties: { command: { minLength: 9 } } } } }
  tracker:
    description: T
    source: remote
    approval: ask
    tools:
      get_issue: { approval: deny }
      "get_*": { approval: allow }
      "get_secret_*": { approval: deny }
      "get_secret_names_*": { approval: allow }
      list: { approval: allow }
      "*list*": { approval: deny }
      "*_secret_all": { approval: ask }
`;

test("the rule of a server's tool is that of its name, of the longest pattern, or of the server", () => {
  const program = programOf({ protocol: extended({ sections: servers.trimStart() }) });
  const modeOf = (name: string) => approvalOf(program, name)?.mode;
  assert.equal(modeOf("tracker__get_issue"), "deny");
  assert.equal(modeOf("tracker__get_issues"), "allow");
  assert.equal(modeOf("tracker__get_secret_one"), "deny");
  assert.equal(modeOf("tracker__get_secret_all"), "deny");
  assert.equal(modeOf("tracker__get_secret_names_one"), "allow");
  assert.equal(modeOf("tracker__list"), "allow");
  assert.equal(modeOf("tracker__toString"), "ask");
  assert.equal(modeOf("plain__get_issue"), undefined);
  assert.equal(modeOf("unknown__get_issue"), undefined);
  assert.equal(modeOf("research"), "ask");
  assert.equal(approvalOf(program, "charts")?.expiresMs, 172_800_000);
  assert.equal(modeOf("get-account"), "deny");
  const shell = approvalOf(program, "shell__run_command") ?? ruleOf("allow");
  assert.ok(!asksFor(shell, { command: "ls" }) && asksFor(shell, { command: ["ls"] }));
});

test("an owner's rules match tools, namespaces and patterns, and the strictest applies", () => {
  const owners = { shell: "ask", "shell__rm*": "deny", refund: "ask", "*__delete_*": "deny" } as const;
  const modeOf = (name: string) => ownersRule(owners, name)?.mode;
  assert.equal(modeOf("shell__run_command"), "ask");
  assert.equal(modeOf("shell__rm"), "deny");
  assert.equal(modeOf("refund"), "ask");
  assert.equal(modeOf("refunds"), undefined);
  assert.equal(modeOf("shells__run"), undefined);
  assert.equal(modeOf("tracker__delete_all"), "deny");
  assert.equal(ownersRule({ "*": "deny" }, "refund")?.mode, "deny");
});

test("a pattern matches exactly the names that its stars can complete", () => {
  const text = (...letters: string[]) => fc.array(fc.constantFrom(...letters), { maxLength: 5 });
  fc.assert(
    fc.property(text("a", "b", "*", "*"), text("a", "b"), (pattern, name) => {
      const [written, given] = [pattern.join(""), name.join("")];
      const expected = new RegExp(`^${written.replaceAll("*", ".*")}$`).test(given);
      assert.equal(matchesPattern(written, given), expected, `${written} ${given}`);
    }),
    { numRuns: 4 * numRuns },
  );
});

test("a schema of many parts is checked against a large argument in time linear in both", () => {
  const part = { properties: { list: { items: { minimum: 1 } } } };
  const large = { list: Array.from({ length: 10_000 }, () => 1) };
  let checks = 0;
  const counted = new Proxy(large.list, {
    get: (target, key, receiver) => {
      if (typeof key === "string" && /^\d/.test(key)) checks += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  const parts = Array.from({ length: 20 }, () => part);
  assert.ok(asksFor({ ...ask, schema: { allOf: [{ anyOf: parts }, { allOf: parts }] } }, { list: counted }));
  assert.ok(checks <= 10_000 * 40, `${checks}`);
});
