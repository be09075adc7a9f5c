import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { Reason, requestIdOf, rpcError } from "@muster/rpc";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { type Edge, exchange, startEdge } from "./support/start-edge.ts";

const scope = suiteScope();
let edge: Edge;
beforeAll(async () => {
  edge = await startEdge(scope);
});

describe("HTTP", () => {
  test("a known path with another method is 405 with Allow, and an unknown path is 404", async () => {
    const wrong = await edge.call("PUT", "/api/agents/x", { body: {} });
    assert.equal(wrong.status, 405);
    assert.equal(wrong.json.code, "METHOD_NOT_ALLOWED");
    assert.equal(wrong.headers.get("allow"), "DELETE, GET, HEAD, PATCH");
    assert.equal((await edge.call("POST", "/nothing", { raw: "{" })).status, 404);
    for (const id of ["a%20b", "%00", "x".repeat(129), "x".repeat(2_000)]) {
      const unknown = await edge.call("GET", `/api/agents/${id}`);
      assert.deepEqual([unknown.status, unknown.json.code], [404, "NOT_FOUND"]);
    }
    // No session has such an id. The gateway does not call the service, which would refuse its length.
    assert.equal((await edge.call("GET", `/api/agent-sessions/${"x".repeat(101)}`)).status, 404);
    assert.match(
      await exchange(edge.url, "PROPFIND /api/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
      / 405 /,
    );
  });

  test("many requests that are sent at once on one connection are answered without a warning of the runtime", async (t) => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on("warning", note);
    t.onTestFinished(() => void process.off("warning", note));
    const request = `GET /api/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${edge.adminKey}\r\n`;
    const answers = await exchange(
      edge.url,
      `${`${request}\r\n`.repeat(20)}${request}Connection: close\r\n\r\n`,
    );
    assert.equal(answers.match(/HTTP\/1.1 200 OK/g)?.length, 21);
    assert.deepEqual(warnings, []);
  });

  test("HEAD of the events of a turn is 405, and neither waits for the turn nor continues it", async (t) => {
    let calls = 0;
    const edge = await startEdge(t, {
      resumeExecution: async function* () {
        calls += 1;
        yield { events: [] };
      },
    });
    const headers = { authorization: `Bearer ${edge.adminKey}` };
    const url = `${edge.url}/api/agent-sessions/ses_1/executions/exe_1/events`;
    const { status, headers: answered } = await fetch(url, { method: "HEAD", headers });
    assert.deepEqual([status, answered.get("allow"), calls], [405, "GET", 0]);
  });

  test("a start may be as large as a trigger, and a larger body is refused with the limits", async (t) => {
    const edge = await startEdge(t, {
      startSession: async function* ({ trigger }) {
        const json = JSON.stringify({
          type: "finish",
          finishReason: "stop",
          length: trigger?.inputJson.length,
        });
        yield { events: [{ sequence: 1, type: "finish", json }] };
      },
    });
    const start = (length: number) => {
      const trigger = { triggerName: "x", input: { TEXT: "x".repeat(length) } };
      return edge.call("POST", "/api/agent-sessions/start", { body: { agentId: "agt_1", trigger } });
    };
    const mib = 1024 * 1024;
    const accepted = await start(9 * mib);
    assert.equal(accepted.status, 200);
    assert.ok(accepted.text.includes(`"length":${9 * mib + '{"TEXT":""}'.length}`));
    const refused = await start(10 * mib);
    assert.deepEqual([refused.status, refused.json.code], [413, "PAYLOAD_TOO_LARGE"]);
    assert.match(refused.json.error, /4 MiB, and 10 MiB for a start, a trigger or an execution/);
  });

  test("bodies must be JSON in UTF-8, uncompressed and not too large", async () => {
    const post = async (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
      const { status, json } = await edge.call("POST", "/api/agents", { raw, headers });
      return `${status} ${json.code}`;
    };
    assert.equal(await post("{"), "400 INVALID_JSON");
    assert.equal(await post(""), "400 INVALID_REQUEST");
    assert.equal(await post("null"), "400 INVALID_REQUEST");
    assert.equal(await post(new Uint8Array([0x22, 0xc3, 0x22])), "400 INVALID_JSON");
    assert.equal(await post("{}", { "content-type": "text/plain" }), "415 UNSUPPORTED_CONTENT_TYPE");
    assert.equal(
      await post("{}", { "content-type": "application/x-www-form-urlencoded" }),
      "415 UNSUPPORTED_CONTENT_TYPE",
    );
    assert.equal(
      await post("{}", { "content-type": "application/json; charset=latin1" }),
      "415 UNSUPPORTED_CONTENT_TYPE",
    );
    assert.equal(await post("{}", { "content-encoding": "gzip" }), "415 UNSUPPORTED_CONTENT_TYPE");
    assert.equal(await post(`"${"x".repeat(4 * 1024 * 1024)}"`), "413 PAYLOAD_TOO_LARGE");
    assert.equal(
      await post("{}", { "content-type": "application/json; charset=UTF-8" }),
      "400 INVALID_REQUEST",
    );
  });

  test("a body that is too large gets its response although the client is still sending", async () => {
    const length = 12 * 1024 * 1024;
    const head = `POST /api/agent-sessions/ses_1/trigger HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${edge.adminKey}`;
    const socket = connect(Number(new URL(edge.url).port), "127.0.0.1");
    const answered = once(socket, "data");
    socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`);
    assert.match(String((await answered)[0]), /^HTTP\/1\.1 413 [\s\S]*"code":"PAYLOAD_TOO_LARGE"/);
    const next = once(socket, "data");
    socket.write("x".repeat(length));
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.match(String((await next)[0]), /^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test("requests that Node itself would refuse get the usual error body", async (t) => {
    const { url } = await startEdge(t);
    const noHost = await exchange(url, "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert.match(noHost, /^HTTP\/1\.1 400 [\s\S]*x-request-id: req_[\s\S]*"code":"INVALID_REQUEST"/);
    const expects = "GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: more\r\nConnection: close\r\n\r\n";
    assert.match(await exchange(url, expects), /^HTTP\/1\.1 200 /);
    const outside = "GET /docs/%2e%2e/%2e%2e/package.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert.match(await exchange(url, outside), /^HTTP\/1\.1 404 [\s\S]*"code":"NOT_FOUND"/);
  });

  test("a header that may occur once is refused if it is sent twice", async (t) => {
    const { url, adminKey } = await startEdge(t);
    const cases: Array<[headers: string, expected: RegExp]> = [
      [
        "Host: y\r\n",
        /^HTTP\/1\.1 400 [\s\S]*"error":"Send the header Host only once\.","code":"INVALID_REQUEST"/,
      ],
      ["X-Project-Id: a\r\nX-Project-ID: b\r\n", /^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_REQUEST"/],
      ["Content-Type: text/plain\r\nContent-Type: application/json\r\n", /^HTTP\/1\.1 400 /],
      ["Content-Length: 0\r\nContent-Length: 0\r\n", /^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_REQUEST"/],
      ["Idempotency-Key: a\r\nIdempotency-Key: a\r\n", /^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_REQUEST"/],
      [`Authorization: Bearer ${adminKey}\r\n`, /^HTTP\/1\.1 401 /],
    ];
    for (const [headers, expected] of cases) {
      const request = `GET /api/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n`;
      assert.match(await exchange(url, `${request}Connection: close\r\n${headers}\r\n`), expected);
    }
  });

  test("values are never converted, and every value of the wrong type is reported", async () => {
    const body = { settings: { slug: "A b", name: 7, format: "chat" }, protocol: true };
    const { status, json } = await edge.call("POST", "/api/agents", { body });
    assert.equal(status, 400);
    assert.deepEqual(json.issues.map(({ path }: { path: string }) => path).sort(), [
      "prompts",
      "protocol",
      "settings.format",
      "settings.name",
      "settings.slug",
    ]);
    const query = await edge.call("GET", "/api/agents/x?version=1.5");
    assert.deepEqual([query.status, query.json.issues[0].path], [400, "query.version"]);
    assert.equal((await edge.call("GET", "/api/agents/x?by=slug&by=id")).status, 400);
  });

  test("the gateway honours Accept where it sends no stream", async () => {
    const html = await edge.call("GET", "/api/agents", { headers: { accept: "text/html" } });
    assert.deepEqual([html.status, html.json.code], [406, "NOT_ACCEPTABLE"]);
  });

  test("a printable request id is kept and reaches the service", async (t) => {
    let seen: string | undefined;
    const edge = await startEdge(t, {
      // biome-ignore lint/correctness/useYield: it fails before its first message.
      getSession: async function* (_request, context) {
        seen = requestIdOf(context);
        throw rpcError(Reason.NOT_FOUND, "There is no such session.");
      },
    });
    const mine = await edge.call("GET", "/api/agent-sessions/ses_1", {
      headers: { "x-request-id": "trace-7" },
    });
    assert.deepEqual(
      [mine.headers.get("x-request-id"), mine.json.requestId, seen],
      ["trace-7", "trace-7", "trace-7"],
    );
    const long = await edge.call("GET", "/api/agent-sessions/ses_1", {
      headers: { "x-request-id": "x".repeat(129) },
    });
    assert.match(long.headers.get("x-request-id") ?? "", /^req_/);
  });

  test("bytes that are not HTTP, broken paths and oversized headers get the same body as every error", async (t) => {
    const { url } = await startEdge(t);
    const cases: Array<[bytes: string, expected: RegExp]> = [
      ["nonsense\r\n\r\n", /^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_REQUEST"/],
      [
        "GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        /^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_REQUEST"/,
      ],
      [
        `GET / HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_000)}\r\n\r\n`,
        /^HTTP\/1\.1 431 [\s\S]*"code":"HEADERS_TOO_LARGE"/,
      ],
    ];
    for (const [bytes, expected] of cases) {
      const text = await exchange(url, bytes);
      assert.match(text, expected);
      assert.match(text, /x-request-id: req_/i);
      assert.match(text, /"requestId":"req_/);
    }
  });
});
