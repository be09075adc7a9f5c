import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import fc from "fast-check";
import { beforeAll, describe, test } from "vitest";
import { agentExample } from "../src/schemas/examples.ts";
import { agentBody, type Edge, type Json, makeKey, startEdge } from "./support/start-edge.ts";

const validate = (edge: Edge, body: unknown) => edge.call("POST", "/api/agents/validate", { body });
const create = (edge: Edge, body: unknown) => edge.call("POST", "/api/agents", { body });
const { protocol } = agentBody("any");

/** Checks that the three lists agree. */
function assertConsistent({ valid, errors, warnings, issues }: Json): void {
  const brief = (wanted: string) =>
    issues
      .filter(({ severity }: Json) => severity === wanted)
      .map(({ message, path, severity }: Json) => ({ message, path, severity }));
  assert.deepEqual(errors, brief("error"));
  assert.deepEqual(warnings, brief("warning"));
  assert.equal(valid, errors.length === 0);
  for (const issue of issues) {
    assert.match(issue.code, /^[A-Z][A-Z_]+$/);
    assert.ok(["error", "warning", "info"].includes(issue.severity));
    assert.ok(issue.message !== "" && typeof issue.path === "string");
    assert.ok(issue.suggestions === undefined || issue.suggestions.length > 0);
  }
}

const scope = suiteScope();
let edge: Edge;
beforeAll(async () => {
  edge = await startEdge(scope);
});

describe("POST /api/agents/validate", () => {
  test("a valid definition can be created, and validating it stores nothing", async () => {
    for (const body of [agentBody("sound"), agentExample]) {
      const report = await validate(edge, body);
      assert.equal(report.status, 200, report.text);
      assert.deepEqual(report.json, { valid: true, errors: [], warnings: [], issues: [] });
      assert.deepEqual((await edge.call("GET", "/api/agents")).json.agents, []);
      const { status, json } = await create(edge, body);
      assert.deepEqual([status, json.message], [201, "Agent created"]);
      await edge.call("DELETE", `/api/agents/${json.agentId}`);
    }
  });

  test("errors have a code, path, line, column and suggestions, and a create is refused with the same errors", async () => {
    const body = agentBody("bad", { protocol: protocol.replace("next-message", "nxt-message") });
    const { status, json } = await validate(edge, body);
    assert.equal(status, 200);
    assertConsistent(json);
    const [issue] = json.issues;
    assert.deepEqual(
      [issue.code, issue.path, issue.severity, issue.suggestions],
      ["UNKNOWN_BLOCK", "handlers.user-message.Answer.block", "error", ["next-message"]],
    );
    assert.match(issue.message, /^Line 9, column \d+: /);
    const refused = await create(edge, body);
    assert.deepEqual([refused.status, refused.json.code], [422, "INVALID_DEFINITION"]);
    assert.deepEqual(refused.json.issues, json.issues);
  });

  test("a definition with warnings is valid, and the message of a create or an update counts them", async () => {
    const body = agentBody("warned", { protocol: `resources: { NOTE: { type: string } }\n${protocol}` });
    const { json } = await validate(edge, body);
    assertConsistent(json);
    assert.equal(json.valid, true);
    assert.ok(json.warnings.some(({ path }: Json) => path.startsWith("resources")));
    const wanted = json.warnings.length === 1 ? "with a warning" : `with ${json.warnings.length} warnings`;
    const created = await create(edge, body);
    assert.deepEqual([created.status, created.json.message], [201, `Agent created ${wanted}`]);
    const updated = await edge.call("PATCH", "/api/agents/warned?by=slug", {
      body: { settings: { name: "New" } },
    });
    assert.equal(updated.json.message, `Agent updated ${wanted}`);
  });

  test("a deprecated field and a missing display title have codes, which only issues carries", async () => {
    const worker = "workers: { helper: { description: Helps, display: title } }";
    const changed = `resources: { NOTE: { type: string } }\n${worker}\n${protocol}`;
    const { json } = await validate(edge, agentBody("coded", { protocol: changed }));
    assertConsistent(json);
    const codes = json.issues.map(({ code }: Json) => code);
    assert.ok(codes.includes("DEPRECATED_FIELD") && codes.includes("MISSING_DISPLAY_TITLE"), codes.join());
    for (const entry of [...json.errors, ...json.warnings])
      assert.deepEqual(Object.keys(entry).sort(), ["message", "path", "severity"]);
  });

  test("a body of the right types with wrong content returns a report and never fails", async () => {
    const settings = { slug: "a", name: "A", format: "interactive" };
    const cases: Array<[changes: Record<string, unknown>, code: string, path: string]> = [
      [{ settings: { ...settings, slug: "Not A Slug" } }, "INVALID_SLUG", "settings.slug"],
      [{ settings: { ...settings, slug: "" } }, "INVALID_SLUG", "settings.slug"],
      [{ settings: { ...settings, name: "" } }, "MISSING_FIELD", "settings.name"],
      [{ settings: { ...settings, name: "x".repeat(101) } }, "LIMIT_EXCEEDED", "settings.name"],
      [{ settings: { ...settings, format: "chat" } }, "ENUM_MISMATCH", "settings.format"],
      [{ settings: { ...settings, format: "constructor" } }, "ENUM_MISMATCH", "settings.format"],
      [{ protocol: "" }, "WRONG_TYPE", "protocol"],
      [{ protocol: "\u0007" }, "INVALID_YAML", "protocol"],
      [{ prompts: [{ name: "../up", content: "" }] }, "INVALID_NAME", "prompts.0.name"],
      [{ prompts: [{ name: "", content: "" }] }, "INVALID_NAME", "prompts.0.name"],
      [{ prompts: [{ name: "p", content: "\u0007" }] }, "INVALID_TEXT", "prompts.0.content"],
      [
        { references: [{ name: "r", description: "", content: "" }] },
        "MISSING_FIELD",
        "references.0.description",
      ],
    ];
    for (const [changes, code, path] of cases) {
      const { status, json, text } = await validate(edge, agentBody("any", changes));
      assert.equal(status, 200, text);
      assertConsistent(json);
      const found = json.issues.some((issue: Json) => issue.code === code && issue.path === path);
      assert.ok(found, `${code} at ${path}: ${text}`);
    }
  });

  test("a definition with an unknown format is checked as the format that it resembles", async () => {
    const settings = { slug: "a", name: "A", format: "chat" };
    const steps =
      "steps: { Start: { block: start-thread, thread: main, model: demo/echo }, Answer: { block: next-message } }";
    for (const changes of [{ settings }, { settings, protocol: steps, prompts: [] }]) {
      const { json } = await validate(edge, agentBody("a", changes));
      assert.deepEqual(
        json.issues.map(({ code, path }: Json) => [code, path]),
        [["ENUM_MISMATCH", "settings.format"]],
      );
      const flawed = `${"protocol" in changes ? steps : protocol}\nunknown: 1`;
      const more = await validate(edge, agentBody("a", { ...changes, protocol: flawed }));
      assert.ok(
        more.json.issues.some(({ code, path }: Json) => code === "UNKNOWN_KEY" && path === "unknown"),
      );
    }
  });

  test("the report of any definition is consistent, and a create agrees with it", async () => {
    const piece = fc.constantFrom(
      "",
      "input: { NAME: { type: string } }",
      "resources: { NOTE: { type: string } }",
      "types: { A: { a: { type: B } } }",
      "tools: { go: { description: Goes, display: title } }",
      "workers: { helper: { description: Helps } }",
      "unknown: 1",
      "input: [",
      "handlers: {}",
    );
    const definition = fc.record({
      settings: fc.record({
        slug: fc.constantFrom("any", "other"),
        name: fc.constantFrom("A", " ", "a\u0007b"),
        format: fc.constantFrom("interactive", "interactive", "worker"),
      }),
      protocol: fc.tuple(fc.constantFrom(protocol, ""), piece, piece).map((parts) => parts.join("\n")),
      prompts: fc.array(
        fc.record({
          name: fc.constantFrom("system", "user", "a/b", "../c"),
          content: fc.constantFrom("", "{{USER_MESSAGE}}", "{{#if A}}", "{{@user.md}}"),
        }),
        { maxLength: 4 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(definition, async (body) => {
        const report = await validate(edge, body);
        assert.equal(report.status, 200, report.text);
        assertConsistent(report.json);
        const created = await create(edge, body);
        assert.equal(created.status, report.json.valid ? 201 : 422, created.text);
        if (created.status === 201) await edge.call("DELETE", `/api/agents/${created.json.agentId}`);
        else assert.deepEqual(created.json.issues, report.json.issues);
      }),
      { numRuns: 60 },
    );
  });

  test("POST /api/agents/validate needs the permission agents and does not address an agent named validate", async () => {
    const { key } = await makeKey(edge);
    const refused = await edge.call("POST", "/api/agents/validate", { body: agentBody("a"), key });
    assert.deepEqual([refused.status, refused.json.code], [403, "FORBIDDEN"]);
    const anonymous = await edge.call("POST", "/api/agents/validate", { body: agentBody("a"), key: null });
    assert.equal(anonymous.status, 401);
    assert.equal((await edge.call("PUT", "/api/agents/validate", { body: {} })).status, 405);
    assert.equal((await create(edge, agentBody("validate"))).status, 201);
    assert.equal((await edge.call("GET", "/api/agents/validate?by=slug")).status, 200);
  });
});
