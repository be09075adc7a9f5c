import assert from "node:assert/strict";
import { once } from "node:events";
import { StreamReader } from "@muster/testing";
import { describe, test } from "vitest";
import { readEdgeSettings } from "../src/config.ts";
import { startWithFiles } from "./support/files.ts";
import { type Edge, exchange, startEdge } from "./support/start-edge.ts";

const page = "https://app.example.com";
const other = "https://evil.example.com";
const corsOrigins = [page, "http://localhost:5173"];
const session = "/api/agent-sessions/ses_1";

const preflight = (edge: Edge, path: string, origin = page) =>
  edge.call("OPTIONS", path, {
    key: null,
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    },
  });

const allowedOrigin = ({ headers }: { headers: Headers }) => headers.get("access-control-allow-origin");

describe("pages of other origins", () => {
  test("a preflight of a listed origin allows the methods of the path, and no cookies", async (t) => {
    const edge = await startEdge(t, {}, { corsOrigins });
    for (const path of [`${session}/trigger`, "/api/agents/agt_1/execute"]) {
      const { status, headers } = await preflight(edge, path);
      assert.equal(status, 204, path);
      assert.equal(headers.get("access-control-allow-origin"), page);
      assert.equal(headers.get("access-control-allow-methods"), "POST");
      assert.equal(headers.get("access-control-allow-headers"), "authorization,content-type");
      assert.equal(headers.get("access-control-allow-credentials"), null);
      assert.match(headers.get("vary") ?? "", /\bOrigin\b/);
    }
    const { headers } = await preflight(edge, session);
    assert.equal(headers.get("access-control-allow-methods"), "DELETE, GET, HEAD, PATCH");
  });

  test("other origins, other routes and a server without origins answer as if there were no such thing", async (t) => {
    const edge = await startEdge(t, {}, { corsOrigins });
    const closed = await startEdge(t);
    for (const [where, path, origin] of [
      [edge, session, other],
      [edge, session, "null"],
      [edge, session, `${page}.evil.example.com`],
      [edge, "/api/agents", page],
      [edge, "/api/admin/keys", page],
      [edge, "/api/models", page],
      [closed, session, page],
    ] as const) {
      const answer = await preflight(where, path, origin);
      assert.deepEqual([answer.status, allowedOrigin(answer)], [405, null], `${path} ${origin}`);
      const read = await where.call("GET", path, { headers: { origin } });
      assert.equal(allowedOrigin(read), null, `${path} ${origin}`);
    }
    // A cache must not keep the response to one origin for another.
    assert.equal(
      (await edge.call("GET", session, { headers: { origin: other } })).headers.get("vary"),
      "Origin",
    );
    assert.equal((await edge.call("GET", session)).headers.get("vary"), "Origin");
    assert.equal((await closed.call("GET", session)).headers.get("vary"), null);
  });

  test("addresses of files are open to every page, without cookies, and nothing else is", async (t) => {
    const { edge, issue, put } = await startWithFiles(t);
    const { upload, download } = await issue();
    const headers = { origin: other };
    const put0 = await edge.call("OPTIONS", upload, {
      key: null,
      headers: {
        ...headers,
        "access-control-request-method": "PUT",
        "access-control-request-headers": "content-type",
      },
    });
    assert.equal(put0.status, 204);
    assert.equal(put0.headers.get("access-control-allow-methods"), "GET, HEAD, PUT");
    assert.equal(put0.headers.get("access-control-allow-headers"), "content-type");
    const answers = [
      put0,
      await put(upload, "hello"),
      await put(upload, "hello"),
      await edge.call("GET", download, { key: null, headers }),
      await edge.call("HEAD", download, { key: null, headers: { origin: "null" } }),
      await edge.call("GET", `${download}x`, { key: null }),
      await edge.call("DELETE", download, { key: null, headers }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [204, 204, 403, 200, 200, 403, 405],
    );
    for (const answer of answers) {
      assert.equal(allowedOrigin(answer), "*", String(answer.status));
      assert.equal(answer.headers.get("access-control-allow-credentials"), null);
      assert.doesNotMatch(answer.headers.get("vary") ?? "", /Origin\b/);
    }
    for (const path of ["/api/files/upload-urls", session, "/api/models"])
      assert.equal(allowedOrigin(await preflight(edge, path, other)), null, path);
  });

  test("errors carry the headers: 400, 401, 405, 429 and 503", async (t) => {
    const limits = { maxRequestsInProgress: 1, authFailuresPerMinute: 1 };
    const edge = await startEdge(t, { getSession: hanging }, { corsOrigins, ...limits });
    const headers = { origin: page };
    const wrong = () => ({ key: `svc_sk_${crypto.randomUUID()}`.replaceAll("-", ""), headers });
    const answers = [
      await edge.call("GET", session, wrong()),
      await edge.call("GET", session, wrong()),
      await edge.call("GET", session, { key: null, headers }),
      await edge.call("PUT", session, { headers }),
      await edge.call("POST", "/api/agent-sessions", { raw: "{", headers }),
      await edge.call("GET", `${session}?format=other`, { headers }),
    ];
    const leaving = new AbortController();
    const first = fetch(edge.url + session, {
      headers: { authorization: `Bearer ${edge.adminKey}` },
      signal: leaving.signal,
    });
    await reading.promise;
    answers.push(await edge.call("GET", session, { headers }));
    leaving.abort();
    await assert.rejects(first);
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses, [401, 429, 401, 405, 400, 400, 503]);
    for (const answer of answers) {
      assert.equal(allowedOrigin(answer), page, String(answer.status));
      const exposed = answer.headers.get("access-control-expose-headers");
      assert.equal(exposed, "X-Request-Id, X-Session-Id, Retry-After");
    }
  });

  test("a stream carries the headers", async (t) => {
    const edge = await startEdge(
      t,
      {
        trigger: async function* (_request, { signal }) {
          yield { events: [{ sequence: 1, type: "start", json: '{"type":"start"}' }] };
          await once(signal, "abort");
        },
      },
      { corsOrigins, drainMs: 0 },
    );
    const leaving = new AbortController();
    const response = await fetch(`${edge.url}${session}/trigger`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${edge.adminKey}`,
        "content-type": "application/json",
        origin: page,
      },
      body: '{"triggerName":"go"}',
      signal: leaving.signal,
    });
    await new StreamReader(response).readUntil('"start"');
    assert.equal(allowedOrigin(response), page);
    assert.equal(response.headers.get("vary"), "Origin");
    leaving.abort();
  });

  test("a preflight with unusable header names is answered without them", async (t) => {
    const edge = await startEdge(t, {}, { corsOrigins });
    const lines = [
      `OPTIONS ${session} HTTP/1.1`,
      ...["Host: x", "Connection: close", `Origin: ${page}`, "Access-Control-Request-Method: GET"],
      "Access-Control-Request-Headers: <script>",
    ];
    const text = await exchange(edge.url, `${lines.join("\r\n")}\r\n\r\n`);
    assert.match(text, /^HTTP\/1\.1 204 /);
    assert.doesNotMatch(text, /script/);
  });
});

const reading = Promise.withResolvers<void>();

async function* hanging(_request: unknown, { signal }: { signal: AbortSignal }) {
  reading.resolve();
  await once(signal, "abort");
  yield {};
}

describe("CORS_ORIGINS", () => {
  test("exact origins are accepted, and none is the default", () => {
    const read = (text: string) => readEdgeSettings({ CORS_ORIGINS: text }).corsOrigins;
    assert.deepEqual(read("https://a.example, http://localhost:5173"), [
      "https://a.example",
      "http://localhost:5173",
    ]);
    assert.deepEqual(readEdgeSettings({}).corsOrigins, []);
  });

  for (const bad of [
    "*",
    "null",
    "a.example",
    "https://a.example/",
    "https://A.example",
    "https://*.a.example",
    "https://a.example:443",
    "ftp://a.example",
    "https://a.example,",
    "https://u@a.example",
  ]) {
    test(`${bad} is refused`, () => {
      assert.throws(() => readEdgeSettings({ CORS_ORIGINS: bad }), /CORS_ORIGINS/);
    });
  }
});
