import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { type CallOptions, type Edge, type Json, startEdge } from "./support/start-edge.ts";

const path = "/api/agent-sessions/ses_1";
const tooMany = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`key-${index}`, "x"]));

/** Metadata that no request may send. */
const wrong: Json[] = [
  null,
  1,
  true,
  "free",
  [],
  ["free"],
  { plan: 1 },
  { plan: true },
  { plan: ["free"] },
  { plan: {} },
];

const refusals: Array<[title: string, options: CallOptions, status: number, code: string]> = [
  ["without a body", {}, 400, "INVALID_REQUEST"],
  ["without metadata", { body: {} }, 400, "INVALID_REQUEST"],
  ["with a list", { body: [] }, 400, "INVALID_REQUEST"],
  ["that is not JSON", { raw: "{" }, 400, "INVALID_JSON"],
  ["with a prototype key", { raw: '{"metadata":{"__proto__":"x"}}' }, 400, "INVALID_JSON"],
  ["with a repeated key", { raw: '{"metadata":{"a":"1","a":"2"}}' }, 400, "INVALID_JSON"],
  ["with a value of 513 characters", { body: { metadata: { a: "x".repeat(513) } } }, 400, "INVALID_REQUEST"],
  ["without a credential", { body: { metadata: {} }, key: null }, 401, "UNAUTHENTICATED"],
  ["for HTML", { body: { metadata: {} }, headers: { accept: "text/html" } }, 406, "NOT_ACCEPTABLE"],
  [
    "of another content type",
    { body: { metadata: {} }, headers: { "content-type": "text/plain" } },
    415,
    "UNSUPPORTED_CONTENT_TYPE",
  ],
];

const scope = suiteScope();
let edge: Edge;
beforeAll(async () => {
  edge = await startEdge(scope);
});

describe("the metadata of sessions over HTTP", () => {
  test("a create and a change pass metadata on, and a change returns the whole of it", async (t) => {
    const seen: string[] = [];
    const edge = await startEdge(t, {
      createSession: async ({ metadataJson }) => {
        seen.push(metadataJson);
        return { sessionId: "ses_1" };
      },
      updateSession: async ({ sessionId, metadataJson }) => {
        seen.push(sessionId, metadataJson);
        return { metadataJson: '{"plan":"paid","customer":"c-1"}' };
      },
    });
    const created = await edge.call("POST", "/api/agent-sessions", {
      body: { agentId: "agt_1", metadata: { plan: "free" } },
    });
    const body = { metadata: { plan: "paid", region: null, stage: "" }, unknown: 1 };
    const changed = await edge.call("PATCH", path, { body });
    assert.deepEqual([created.status, changed.status], [201, 200]);
    assert.deepEqual(seen, ['{"plan":"free"}', "ses_1", '{"plan":"paid","region":null,"stage":""}']);
    assert.deepEqual(changed.json, { sessionId: "ses_1", metadata: { plan: "paid", customer: "c-1" } });
  });

  test("metadata of a wrong shape is 400 with issues, in a create and in a change", async () => {
    for (const metadata of wrong) {
      for (const [method, url] of [
        ["POST", "/api/agent-sessions"],
        ["PATCH", path],
      ] as const) {
        const answer = await edge.call(method, url, { body: { agentId: "agt_1", metadata } });
        assert.deepEqual(
          [answer.status, answer.json.code],
          [400, "INVALID_REQUEST"],
          JSON.stringify(metadata),
        );
        assert.match(answer.json.issues[0].path, /^metadata/);
      }
    }
    const created = await edge.call("POST", "/api/agent-sessions", {
      body: { agentId: "agt_1", metadata: tooMany },
    });
    assert.equal(created.json.issues[0].path, "metadata");
  });

  test("a wrong value in a change of metadata is refused with both types that it may have", async () => {
    const { json } = await edge.call("PATCH", path, { body: { metadata: { plan: 1 } } });
    const { issues } = json as { issues: Array<{ path: string; message: string }> };
    assert.deepEqual(
      issues.filter((issue) => issue.path === "metadata.plan"),
      [{ path: "metadata.plan", message: "must be a string or null" }],
    );
  });

  test("a limit that is not a number in its range is refused with the range", async () => {
    for (const [url, largest] of [
      [path, 1_000],
      ["/api/agent-sessions", 100],
    ] as const) {
      const { json } = await edge.call("GET", `${url}?limit=0`);
      assert.deepEqual(json.issues, [
        { path: "query.limit", message: `must be a number from 1 to ${largest}` },
      ]);
    }
  });

  test.for(refusals)("a change of metadata %s is refused", async ([, options, status, code]) => {
    const answer = await edge.call("PATCH", path, options);
    assert.deepEqual([answer.status, answer.json.code], [status, code], answer.text);
  });
});
