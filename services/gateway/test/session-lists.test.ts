import assert from "node:assert/strict";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { SessionStatus } from "@muster/proto/sessions";
import { invalidRequest } from "@muster/rpc";
import { describe, test } from "vitest";
import { startEdge } from "./support/start-edge.ts";

const path = "/api/agent-sessions";

const wrongQueries = [
  "limit=0",
  "limit=101",
  "limit=-1",
  "limit=1.5",
  "limit=",
  "limit=x",
  "limit=5&limit=5",
  "status=",
  "status=paused",
  "status=active&status=expired",
  "agentId=",
  `agentId=${"x".repeat(101)}`,
  "agentId=a&agentId=b",
  "subject=",
  `subject=${"x".repeat(257)}`,
  "cursor=",
  `cursor=${"x".repeat(501)}`,
  "metadata.plan=",
  `metadata.plan=${"x".repeat(513)}`,
  "metadata.plan=free&metadata.plan=paid",
];

describe("the list of sessions over HTTP", () => {
  test("a list passes its filters on, and returns sessions as JSON with the cursor of the next page", async (t) => {
    const seen: unknown[] = [];
    const edge = await startEdge(t, {
      listSessions: async ({ agentId, status, subject, metadataJson, limit, cursor }) => {
        seen.push([agentId, status, subject, metadataJson, limit, cursor]);
        const times = { createdAt: timestampFromMs(0), updatedAt: timestampFromMs(1_000) };
        const base = { agentId: "agt_1", metadataJson: '{"plan":"free"}', ...times };
        return {
          sessions: [
            { ...base, id: "ses_2", active: true, title: "Where is order 7?", messageCount: 2 },
            { ...base, id: "ses_1", active: false },
          ],
          nextCursor: cursor === "" ? "abc" : "",
        };
      },
    });
    const filters =
      "agentId=agt_1&status=active&subject=u1&metadata.plan=free&metadata.a.b=x%20y&limit=2&unknown=1";
    const first = await edge.call("GET", `${path}?${filters}`);
    const times = { createdAt: "1970-01-01T00:00:00.000Z", updatedAt: "1970-01-01T00:00:01.000Z" };
    const base = { agentId: "agt_1", metadata: { plan: "free" }, ...times };
    assert.deepEqual(
      [first.status, first.json],
      [
        200,
        {
          sessions: [
            { ...base, sessionId: "ses_2", status: "active", title: "Where is order 7?", messageCount: 2 },
            { ...base, sessionId: "ses_1", status: "expired", messageCount: 0 },
          ],
          nextCursor: "abc",
        },
      ],
    );
    assert.equal((await edge.call("GET", `${path}?cursor=abc`)).json.nextCursor, null);
    assert.deepEqual(seen, [
      ["agt_1", SessionStatus.ACTIVE, "u1", '{"plan":"free","a.b":"x y"}', 2, ""],
      [undefined, SessionStatus.UNSPECIFIED, undefined, "{}", undefined, "abc"],
    ]);
  });

  test("a value that the service refuses is named as a part of the query", async (t) => {
    const message = "must be the nextCursor of a list with the same filters";
    const edge = await startEdge(t, {
      listSessions: async () => {
        throw invalidRequest("cursor", message);
      },
    });
    const { status, json } = await edge.call("GET", `${path}?cursor=abc`);
    assert.deepEqual(
      [status, json.error, json.issues],
      [400, `The query is invalid: query.cursor ${message}.`, [{ path: "query.cursor", message }]],
    );
  });

  test.for(wrongQueries)("the query %s of a list is 400 with issues", async (query, t) => {
    const edge = await startEdge(t);
    const answer = await edge.call("GET", `${path}?${query}`);
    assert.deepEqual([answer.status, answer.json.code], [400, "INVALID_REQUEST"], answer.text);
    assert.equal(answer.json.issues[0].path, `query.${query.slice(0, query.indexOf("="))}`);
  });
});
