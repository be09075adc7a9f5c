import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  type Answer,
  agentBody,
  type CallOptions,
  type Edge,
  type Json,
  startEdge,
} from "./support/start-edge.ts";

const kib = 1024;

/** The routes that take definitions, each as a function of the request. */
async function routesOf(edge: Edge): Promise<Record<string, (options: CallOptions) => Promise<Answer>>> {
  const { json } = await edge.call("POST", "/api/agents", { body: agentBody("existing") });
  return {
    validate: (options) => edge.call("POST", "/api/agents/validate", options),
    create: (options) => edge.call("POST", "/api/agents", options),
    update: (options) => edge.call("PATCH", `/api/agents/${json.agentId}`, options),
  };
}

/** Checks that a refusal stored nothing: the only agent is unchanged. */
async function assertUntouched(edge: Edge): Promise<void> {
  const { agents } = (await edge.call("GET", "/api/agents")).json;
  assert.equal(agents.length, 1);
  const { headers } = await edge.call("GET", "/api/agents/existing?by=slug");
  assert.equal(headers.get("etag"), '"1"');
}

/** The issues of a report about a definition that is not valid. */
function assertReport(answer: Answer | undefined, what: string): Json[] {
  const { valid, errors, warnings, issues } = answer?.json ?? {};
  assert.deepEqual([answer?.status, valid, warnings], [200, false, []], `${what}: ${answer?.text}`);
  const brief = issues.map(({ message, path, severity }: Json) => ({ message, path, severity }));
  assert.deepEqual(errors, brief);
  for (const { severity } of issues) assert.equal(severity, "error");
  return issues;
}

const prompts = (count: number, content: string) =>
  Array.from({ length: count }, (_, index) => ({ name: `p${index}`, content }));
const references = (count: number, content: string) =>
  prompts(count, content).map((prompt) => ({ ...prompt, description: "What it holds" }));

const tooLarge: Array<[what: string, part: Record<string, unknown>, path: string, limit: RegExp]> = [
  ["a protocol", { protocol: "#".repeat(128 * kib + 1) }, "protocol", /protocol .* limit is 131072/],
  [
    "a protocol of two-byte characters",
    { protocol: `#${"ä".repeat(64 * kib)}` },
    "protocol",
    /limit is 131072/,
  ],
  ["257 prompts", { prompts: prompts(257, "") }, "prompts", /257 prompts; the limit is 256/],
  ["2,000 prompts", { prompts: prompts(2_000, "") }, "prompts", /2000 prompts; the limit is 256/],
  ["one prompt", { prompts: prompts(1, "x".repeat(64 * kib + 1)) }, "prompts.0.content", /limit is 65536/],
  ["all prompts", { prompts: prompts(17, "x".repeat(64 * kib)) }, "prompts", /limit is 1048576/],
  ["257 references", { references: references(257, "") }, "references", /limit is 256/],
  [
    "one reference",
    { references: references(1, "x".repeat(256 * kib + 1)) },
    "references.0.content",
    /limit is 262144/,
  ],
  ["all references", { references: references(9, "x".repeat(256 * kib)) }, "references", /limit is 2097152/],
];

describe("definitions beyond the limits", () => {
  test("a definition beyond a limit is an issue of Validate with the limit and the path", async (t) => {
    const edge = await startEdge(t);
    const { validate } = await routesOf(edge);
    for (const [what, part, path, limit] of tooLarge) {
      const answer = await validate?.({ body: agentBody("new", part) });
      const [issue] = assertReport(answer, what);
      assert.deepEqual([issue.code, issue.path], ["LIMIT_EXCEEDED", path], what);
      assert.match(issue.message, limit, what);
    }
  });

  test("a definition beyond a limit is 413 with the limit and the path for a create and an update, and changes nothing", async (t) => {
    const edge = await startEdge(t);
    for (const [name, send] of Object.entries(await routesOf(edge))) {
      for (const [what, part, path, limit] of name === "validate" ? [] : tooLarge) {
        const { status, json } = await send({ body: name === "update" ? part : agentBody("new", part) });
        const where = `${name} with ${what}`;
        assert.deepEqual([status, json?.code], [413, "PAYLOAD_TOO_LARGE"], where);
        assert.match(json.error, limit, where);
        assert.equal(json.issues[0].path, path, where);
      }
      const { status, json } = await send({ raw: `{"protocol":"${"x".repeat(4 * kib * kib)}"}` });
      assert.deepEqual([status, json.code], [413, "PAYLOAD_TOO_LARGE"]);
      assert.match(json.error, /4 MiB/);
    }
    await assertUntouched(edge);
  });

  test("definitions exactly at the limits are accepted", async (t) => {
    const edge = await startEdge(t);
    const { protocol } = agentBody("full");
    const body = agentBody("full", {
      protocol: protocol + `\n#`.padEnd(128 * kib - protocol.length, "x"),
      prompts: [
        ...agentBody("full").prompts.map((prompt) => ({
          ...prompt,
          content: prompt.content.padEnd(4 * kib),
        })),
        ...prompts(254, "x".repeat(4 * kib)),
      ],
      references: references(8, "x".repeat(256 * kib)),
    });
    const { json, text } = await edge.call("POST", "/api/agents/validate", { body });
    assert.equal(json.valid, true, text.slice(0, 500));
    assert.equal((await edge.call("POST", "/api/agents", { body })).status, 201);
  });
});

/** Values of the wrong type, one at a time, with the path that the refusal must report. */
const wrongTypes: Array<[part: Record<string, unknown>, path: string]> = [
  [{ protocol: 7 }, "protocol"],
  [{ protocol: null }, "protocol"],
  [{ protocol: { agent: {} } }, "protocol"],
  [{ prompts: "system" }, "prompts"],
  [{ prompts: { system: "x" } }, "prompts"],
  [{ prompts: ["system"] }, "prompts.0"],
  [{ prompts: [{ name: "system" }] }, "prompts.0.content"],
  [{ prompts: [{ name: 1, content: "x" }] }, "prompts.0.name"],
  [{ references: [{ name: "r", content: "x" }] }, "references.0.description"],
  [{ references: 7 }, "references"],
  [{ settings: "support" }, "settings"],
  [{ settings: { slug: "a", name: 7, format: "interactive" } }, "settings.name"],
  [{ settings: { slug: "a", name: "A", format: 1 } }, "settings.format"],
  [{ settings: { slug: "a", name: "A", format: "interactive", description: null } }, "settings.description"],
];

describe("bodies that are not definitions", () => {
  test("a missing member and one of the wrong type are issues of Validate with a code and their path", async (t) => {
    const edge = await startEdge(t);
    const { validate } = await routesOf(edge);
    const { settings, protocol, prompts } = agentBody("new");
    const missing: typeof wrongTypes = [
      [{ settings: undefined }, "settings"],
      [{ protocol: undefined }, "protocol"],
      [{ prompts: undefined }, "prompts"],
      ...["slug", "name", "format"].map((name): (typeof wrongTypes)[number] => [
        { settings: { ...settings, [name]: undefined } },
        `settings.${name}`,
      ]),
      [{ prompts: [...prompts, { content: "x" }] }, `prompts.${prompts.length}.name`],
      [{ references: [{ name: "r", description: "d" }] }, "references.0.content"],
    ];
    for (const [part, path] of [...missing, ...wrongTypes]) {
      const issues = assertReport(await validate?.({ body: agentBody("new", part) }), path);
      const found = issues.find((issue: Json) => issue.path === path);
      const isMissing = /^This is required\./.test(found?.message);
      assert.equal(found?.code, isMissing ? "MISSING_FIELD" : "WRONG_TYPE", JSON.stringify(issues));
      assert.ok(isMissing || /^This must be (a string|an object|an array)\.$/.test(found.message), path);
    }
    const none = assertReport(await validate?.({ body: {} }), "no member");
    assert.deepEqual(
      none.map(({ code, path }: Json) => [code, path]),
      ["settings", "protocol", "prompts"].map((path) => ["MISSING_FIELD", path]),
    );
    const several = { settings: 1, protocol, prompts: [7, { name: 1, content: "x" }], references: {} };
    const paths = assertReport(await validate?.({ body: several }), "several").map(({ path }: Json) => path);
    assert.deepEqual(paths.sort(), ["prompts.0", "prompts.1.name", "references", "settings"]);
  });

  test("a body with values of the wrong types is 400 with their paths for a create and an update, and changes nothing", async (t) => {
    const edge = await startEdge(t);
    for (const [name, send] of Object.entries(await routesOf(edge))) {
      for (const [part, path] of name === "validate" ? [] : wrongTypes) {
        const { status, json } = await send({ body: name === "update" ? part : agentBody("new", part) });
        const where = `${name} ${JSON.stringify(part)}`;
        assert.deepEqual([status, json?.code], [400, "INVALID_REQUEST"], where);
        assert.ok(
          json.issues.some((issue: { path: string }) => issue.path === path),
          `${where}: ${JSON.stringify(json.issues)}`,
        );
      }
    }
    await assertUntouched(edge);
  });

  test("a create without a required part is 400 and names the part", async (t) => {
    const edge = await startEdge(t);
    const { create } = await routesOf(edge);
    for (const part of ["settings", "protocol", "prompts"]) {
      const answer = await create?.({ body: agentBody("new", { [part]: undefined }) });
      assert.deepEqual([answer?.status, answer?.json.issues[0].path], [400, part]);
    }
  });

  test("a body that is not a JSON object in UTF-8 is 400 on every route", async (t) => {
    const edge = await startEdge(t);
    const utf16 = Buffer.from(JSON.stringify(agentBody("new")), "utf16le");
    const latin1 = Buffer.from(JSON.stringify(agentBody("new", { protocol: "# ä" })), "latin1");
    const raws = ["", "null", "[]", '"text"', "7", "{", utf16, latin1, new Uint8Array([0, 255, 254, 1])];
    for (const [name, send] of Object.entries(await routesOf(edge))) {
      for (const raw of raws) {
        const { status, json } = await send({ raw: typeof raw === "string" ? raw : new Uint8Array(raw) });
        assert.equal(status, 400, `${name} ${String(raw).slice(0, 20)}`);
        assert.ok(["INVALID_JSON", "INVALID_REQUEST"].includes(json.code));
      }
    }
    await assertUntouched(edge);
  });

  test("a text with NUL or half a surrogate pair is an issue of Validate, and 400 with the path otherwise", async (t) => {
    const edge = await startEdge(t);
    for (const [name, send] of Object.entries(await routesOf(edge))) {
      for (const bad of ["\\u0000", "\\ud800", "\\udc00x"]) {
        const raw = `{"settings":{"slug":"a","name":"A","format":"interactive"},"protocol":"a","prompts":[{"name":"p","content":"${bad}"}]}`;
        const answer = await send({ raw });
        const [issue] = name === "validate" ? assertReport(answer, bad) : answer.json.issues;
        assert.equal(issue.path, "prompts.0.content");
        if (name === "validate") assert.equal(issue.code, "INVALID_TEXT");
        else assert.equal(answer.status, 400);
      }
    }
    await assertUntouched(edge);
  });

  test("a byte order mark before the JSON or the YAML is ignored", async (t) => {
    const edge = await startEdge(t);
    const marked = agentBody("marked", { protocol: `\ufeff${agentBody("marked").protocol}` });
    for (const [name, raw] of [
      ["before the JSON", `\ufeff${JSON.stringify(agentBody("marked"))}`],
      ["before the YAML", JSON.stringify(marked)],
    ]) {
      const { status, json } = await edge.call("POST", "/api/agents/validate", { raw: raw ?? "" });
      assert.deepEqual([status, json.valid, json.issues], [200, true, []], name);
    }
  });
});

const wrongContent: Array<[part: Record<string, unknown>, path: string]> = [
  [{ protocol: "" }, "protocol"],
  [{ protocol: "just text" }, "protocol"],
  [{ protocol: "a: \u0007" }, "protocol"],
  [{ protocol: "a: &a [x]\nb: *a" }, "protocol"],
  [{ protocol: "[".repeat(100_000) }, "protocol"],
  [{ prompts: [...agentBody("a").prompts, { name: "user", content: "" }] }, "prompts.2.name"],
  [{ prompts: [...agentBody("a").prompts, { name: "../secret", content: "" }] }, "prompts.2.name"],
  [{ prompts: [...agentBody("a").prompts, { name: "/etc/passwd", content: "" }] }, "prompts.2.name"],
  [{ prompts: [...agentBody("a").prompts, { name: "p", content: "\u0007" }] }, "prompts.2.content"],
  [{ references: [{ name: "r", description: " ", content: "x" }] }, "references.0.description"],
];

describe("definitions with wrong content", () => {
  test("a definition with wrong content is 422 with the path on create and update, and changes nothing", async (t) => {
    const edge = await startEdge(t);
    const { create, update } = await routesOf(edge);
    for (const [part, path] of wrongContent) {
      const answers = [await create?.({ body: agentBody("new", part) }), await update?.({ body: part })];
      for (const answer of answers) {
        assert.deepEqual([answer?.status, answer?.json.code], [422, "INVALID_DEFINITION"], path);
        const paths = answer?.json.issues.map((issue: { path: string }) => issue.path);
        assert.ok(paths.includes(path), `${path}: ${paths}`);
      }
    }
    await assertUntouched(edge);
  });
});
