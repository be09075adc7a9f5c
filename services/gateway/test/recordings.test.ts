import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, readlink } from "node:fs/promises";
import { connect } from "node:net";
import { Reason, rpcError } from "@muster/rpc";
import { systemClock } from "@muster/service";
import { createRecordings } from "@muster/storage/recordings";
import { record, until } from "@muster/testing";
import { describe, test } from "vitest";
import { agentId, keys, ready, startWatching } from "./support/recordings.ts";
import { agentBody, exchange, type Json } from "./support/start-edge.ts";

const bytes = randomBytes(1_000);
const get = (url: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(url, { method, headers });
const bodyOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const codeOf = ({ status, json }: { status: number; json: Json }) => [status, json?.code];
/** Everything that distinguishes one error from another. */
const answerOf = async (response: Response) => [
  response.status,
  { ...record(await response.json()), requestId: "" },
];
const suffixes = ["", ".webm", "/chapters.vtt", "/transcript.vtt"];

async function openFilesIn(directory: string): Promise<string[]> {
  const links = await Promise.all(
    (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
  );
  return links.filter((path) => path.startsWith(directory));
}

describe("the video", () => {
  test("that is public is sent to everyone, with headers for a player and none that opens more", async (t) => {
    const { edge, set, store } = await startWatching(t);
    set({});
    await store(ready, { video: bytes });
    const response = await get(`${edge.url}/r/rec_1.webm`);
    assert.equal(response.status, 200);
    assert.ok(bytes.equals(await bodyOf(response)));
    const shown = [
      ...["content-type", "content-length", "accept-ranges", "etag", "cache-control", "content-disposition"],
      ...["x-content-type-options", "cross-origin-resource-policy", "referrer-policy", "x-robots-tag"],
    ].map((name) => response.headers.get(name));
    assert.deepEqual(shown, [
      ...["video/webm", "1000", "bytes", '"rec_1-3"', "public, max-age=300"],
      `inline; filename="Lou 2030-01-31.webm"; filename*=UTF-8''Lou%202030-01-31.webm`,
      ...["nosniff", "cross-origin", "no-referrer", null],
    ]);
    assert.match(
      response.headers.get("content-security-policy") ?? "",
      /^default-src 'none'; media-src 'self';/,
    );
    const modified = Date.parse(response.headers.get("last-modified") ?? "");
    assert.ok(Math.abs(modified - Date.now()) < 60_000);
  });

  test("has its length and no content in the response to HEAD, also with a Range", async (t) => {
    const { edge, directory, set, store } = await startWatching(t);
    set({});
    await store(ready, { video: bytes });
    for (const headers of [{}, { range: "bytes=5-6" }]) {
      const { status, headers: got } = await get(`${edge.url}/r/rec_1.webm`, headers, "HEAD");
      assert.deepEqual([status, got.get("content-length"), got.get("content-range")], [200, "1000", null]);
    }
    assert.deepEqual(await openFilesIn(directory), []);
  });

  test("is sent in parts: from, to, the last ones, and 416 after the end", async (t) => {
    const { edge, directory, set, store } = await startWatching(t);
    set({});
    await store(ready, { video: bytes });
    const parts: Array<[range: string, start: number, end: number]> = [
      ["bytes=0-0", 0, 0],
      ["bytes=100-199", 100, 199],
      ["bytes=990-", 990, 999],
      ["bytes=990-4000", 990, 999],
      ["bytes=-10", 990, 999],
      ["bytes=-4000", 0, 999],
      ["bytes=4000-,100-199", 100, 199],
    ];
    for (const [range, start, end] of parts) {
      const response = await get(`${edge.url}/r/rec_1.webm`, { range });
      const got = response.headers;
      assert.deepEqual(
        [response.status, got.get("content-range"), got.get("content-length"), got.get("etag")],
        [206, `bytes ${start}-${end}/1000`, String(end - start + 1), '"rec_1-3"'],
        range,
      );
      assert.ok(bytes.subarray(start, end + 1).equals(await bodyOf(response)), range);
    }
    for (const range of ["bytes=1000-", "bytes=-0", "bytes=5000-6000,7000-"]) {
      const answer = await edge.call("GET", "/r/rec_1.webm", { key: null, headers: { range } });
      assert.deepEqual(codeOf(answer), [416, "RANGE_NOT_SATISFIABLE"], range);
      assert.equal(answer.headers.get("content-range"), "bytes */1000");
      for (const name of ["etag", "cache-control", "content-disposition"])
        assert.equal(answer.headers.get(name), null, name);
    }
    assert.deepEqual(await openFilesIn(directory), []);
  });

  test("is sent as a whole for a Range of any wrong form, for several, and for two headers", async (t) => {
    const { edge, set, store } = await startWatching(t);
    set({});
    await store(ready, { video: bytes });
    const wrong = [
      "bytes",
      "bytes=",
      "bytes=6-5",
      "bytes=a-b",
      "bytes=--1",
      "bytes=1-2-3",
      "bytes=5-6,x",
      "x=1-2",
    ];
    for (const range of [...wrong, "bytes=0-1,5-6", `bytes=${"0-1,".repeat(2_000)}`]) {
      const response = await get(`${edge.url}/r/rec_1.webm`, { range });
      assert.deepEqual([response.status, response.headers.get("content-range")], [200, null], range);
      assert.equal((await bodyOf(response)).length, 1_000);
    }
    const head = "GET /r/rec_1.webm HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
    const twice = await exchange(edge.url, `${head}Range: bytes=0-1\r\nRange: bytes=5-6\r\n\r\n`);
    assert.match(twice, /^HTTP\/1\.1 200 /);
  });

  test("is not sent again to a client that has it, and only a current If-Range leads to a part", async (t) => {
    const { edge, directory, set, store } = await startWatching(t);
    set({});
    await store(ready, { video: bytes });
    const first = await get(`${edge.url}/r/rec_1.webm`, {}, "HEAD");
    const [etag, modified] = ["etag", "last-modified"].map((name) => first.headers.get(name) ?? "");
    assert.ok(etag && modified);
    const statusOf = async (headers: Record<string, string>) =>
      (await get(`${edge.url}/r/rec_1.webm`, headers)).status;
    const range = "bytes=0-9";
    assert.equal(await statusOf({ "if-none-match": etag }), 304);
    assert.equal(await statusOf({ "if-none-match": etag, range }), 304);
    assert.equal(await statusOf({ "if-none-match": '"rec_1-2"', "if-modified-since": modified }), 200);
    assert.equal(await statusOf({ "if-modified-since": modified }), 304);
    assert.equal(await statusOf({ "if-modified-since": new Date(0).toUTCString() }), 200);
    assert.equal(await statusOf({ "if-range": etag, range }), 206);
    assert.equal(await statusOf({ "if-range": modified, range }), 206);
    assert.equal(await statusOf({ "if-range": `W/${etag}`, range }), 200);
    assert.equal(await statusOf({ "if-range": '"rec_1-2"', range }), 200);
    const unchanged = await get(`${edge.url}/r/rec_1.webm`, { "if-none-match": etag });
    assert.deepEqual([unchanged.headers.get("etag"), await unchanged.text()], [etag, ""]);
    assert.deepEqual(await openFilesIn(directory), []);
  });

  test("keeps no file open for a reader that leaves or has stopped reading", async (t) => {
    const streams = {
      heartbeatMs: 15_000,
      drainTimeoutMs: 600,
      firstEventTimeoutMs: 60_000,
      recheckMs: 4_000,
    };
    const { edge, directory, set, store } = await startWatching(t, { streams });
    set({});
    await store(ready, { video: randomBytes(20_000_000) });
    const leaving = new AbortController();
    await fetch(`${edge.url}/r/rec_1.webm`, { signal: leaving.signal });
    leaving.abort();
    const stopped = connect(Number(new URL(edge.url).port), "127.0.0.1");
    stopped.on("error", () => undefined);
    stopped.write("GET /r/rec_1.webm HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(stopped, "readable");
    await until(async () => (await openFilesIn(directory)).length === 0);
    stopped.destroy();
  });

  test("is saved under the name of the agent, without what could be a path or a header", async (t) => {
    const { edge, set, store } = await startWatching(t);
    await store(ready, {});
    const names: Array<[agentName: string, expected: string]> = [
      ["../../etc", ".._.._etc 2030-01-31.webm"],
      ['a"\r\nX: 1', 'a"__X_ 1 2030-01-31.webm'],
      ["", "recording 2030-01-31.webm"],
      ["Zoë 😀", "Zoë 😀 2030-01-31.webm"],
      ["x".repeat(500), `${"x".repeat(80)} 2030-01-31.webm`],
    ];
    for (const [agentName, expected] of names) {
      set({ run: { ...ready.run, agentName } });
      const { headers } = await get(`${edge.url}/r/rec_1.webm`);
      const [, name = ""] = /filename\*=UTF-8''(\S+)$/.exec(headers.get("content-disposition") ?? "") ?? [];
      assert.equal(decodeURIComponent(name), expected);
    }
  });
});

test("chapters and transcript are WebVTT, under the address of the video", async (t) => {
  const { edge, set, store } = await startWatching(t);
  set({});
  await store(ready, { chapters: "WEBVTT\n\nchapters", transcript: "WEBVTT\n\ntranscript" });
  for (const name of ["chapters", "transcript"]) {
    const response = await get(`${edge.url}/r/rec_1/${name}.vtt`);
    assert.deepEqual(
      [response.status, response.headers.get("content-type"), await response.text()],
      [200, "text/vtt; charset=utf-8", `WEBVTT\n\n${name}`],
    );
  }
});

describe("a private recording", () => {
  const unknown = async (url: string, suffix: string, headers = {}) => {
    return answerOf(await get(`${url}/r/rec_none${suffix}`, headers));
  };

  test("is open to a signed URL and to the key of its agent, and never to caches of others", async (t) => {
    const { edge, files, keyOf, set, store } = await startWatching(t);
    set({ visibility: "private" });
    await store(ready, { video: bytes });
    const token = files.addresses.sign("rec_1");
    const key = await keyOf({ permissions: ["workforce"], agentId });
    for (const suffix of suffixes) {
      const signed = await get(`${edge.url}/r/rec_1${suffix}?token=${token}`);
      const own = await get(`${edge.url}/r/rec_1${suffix}`, { authorization: `Bearer ${key}` });
      for (const { status, headers } of [signed, own]) {
        assert.equal(status, 200, suffix);
        assert.match(headers.get("cache-control") ?? "", /^(private, no-cache|no-store)$/);
        assert.equal(headers.get("x-robots-tag"), "noindex");
        assert.equal(headers.get("referrer-policy"), "no-referrer");
      }
    }
    const both = { authorization: "Bearer svc_sk_wrong" };
    assert.equal((await get(`${edge.url}/r/rec_1.webm?token=${token}`, both)).status, 200);
  });

  test("looks like one that does not exist without a token, with a wrong, foreign or expired one, and with the key of another agent", async (t) => {
    const { edge, directory, files, keyOf, set, store } = await startWatching(t);
    set({ visibility: "private" });
    await store(ready, { video: bytes });
    const dayMs = 24 * 60 * 60_000;
    const past = createRecordings(
      { directory, keys, retentionDays: 0 },
      { now: () => systemClock.now() - dayMs },
    );
    const token = files.addresses.sign("rec_1");
    const wrong = [
      "",
      files.addresses.sign("rec_2"),
      past.addresses.sign("rec_1"),
      token.slice(0, -3),
      `${token}x`,
    ];
    const others = [
      "x".repeat(9_000),
      "..",
      "%00",
      "__proto__",
      `${token}.${token}`,
      encodeURIComponent("ü.ü"),
    ];
    for (const suffix of suffixes) {
      const expected = await unknown(edge.url, suffix);
      for (const text of [...wrong, ...others]) {
        const response = await get(`${edge.url}/r/rec_1${suffix}?token=${text}`);
        assert.deepEqual(await answerOf(response), expected, `${suffix} ${text.slice(0, 40)}`);
      }
      const key = await keyOf({ permissions: ["workforce"], agentId: "agt_sam" });
      const headers = { authorization: `Bearer ${key}` };
      const response = await get(`${edge.url}/r/rec_1${suffix}`, headers);
      const got = await answerOf(response);
      assert.deepEqual(got, await unknown(edge.url, suffix, headers));
      assert.equal(got[0], 404);
    }
  });

  test("is refused to other keys with the same error, whether it exists or not", async (t) => {
    const { edge, keyOf, set } = await startWatching(t);
    set({ visibility: "private" });
    const agent = (await edge.call("POST", "/api/agents", { body: agentBody("echo") })).json;
    const cases: Array<[key: string, status: number, code: string]> = [
      ["svc_sk_wrong", 401, "UNAUTHENTICATED"],
      [edge.adminKey, 403, "FORBIDDEN"],
      [await keyOf({ permissions: ["workforce", "admin"] }), 403, "FORBIDDEN"],
      [await keyOf({ permissions: ["sessions"], agentId: agent.id }), 403, "FORBIDDEN"],
    ];
    for (const [key, ...expected] of cases) {
      for (const id of ["rec_1", "rec_none", "..%2F"]) {
        for (const suffix of suffixes) {
          const answer = await edge.call("GET", `/r/${id}${suffix}`, { key });
          assert.deepEqual(codeOf(answer), expected, `${id}${suffix}`);
        }
      }
    }
  });

  test("of another project is not open to a key whose agent has the same id", async (t) => {
    const { edge, keyOf, set } = await startWatching(t);
    set({ visibility: "private", projectId: "prj_other" });
    const key = await keyOf({ permissions: ["workforce"], agentId });
    assert.deepEqual(codeOf(await edge.call("GET", "/r/rec_1", { key })), [404, "NOT_FOUND"]);
  });
});

describe("a recording without a video", () => {
  test("is 409 with Retry-After until there is one, and 404 with the reason if there never will be", async (t) => {
    const { edge, set } = await startWatching(t);
    for (const suffix of suffixes.slice(1)) {
      for (const status of ["requested", "recording", "processing"]) {
        set({ status });
        const answer = await edge.call("GET", `/r/rec_1${suffix}`, { key: null });
        assert.deepEqual(codeOf(answer), [409, "RECORDING_NOT_READY"]);
        assert.equal(answer.headers.get("retry-after"), "5");
      }
      for (const status of ["failed", "unavailable"]) {
        set({ status, error: "The disk is full." });
        const answer = await edge.call("GET", `/r/rec_1${suffix}`, { key: null });
        assert.deepEqual(codeOf(answer), [404, "NOT_FOUND"]);
        assert.match(answer.json.error, /The disk is full\.$/);
      }
    }
  });

  test("that was deleted is 410 for those who could watch it, and unknown to everyone else", async (t) => {
    const { edge, files, set } = await startWatching(t);
    const deleted = { status: "deleted", epoch: 0 };
    for (const suffix of suffixes) {
      set(deleted);
      const open = await edge.call("GET", `/r/rec_1${suffix}`, { key: null });
      assert.deepEqual(codeOf(open), [410, "RECORDING_GONE"]);
      set({ ...deleted, visibility: "private" });
      const token = files.addresses.sign("rec_1");
      const signed = await edge.call("GET", `/r/rec_1${suffix}?token=${token}`, { key: null });
      assert.deepEqual(codeOf(signed), [410, "RECORDING_GONE"]);
      const other = await edge.call("GET", `/r/rec_1${suffix}`, { key: null });
      assert.deepEqual(codeOf(other), [404, "NOT_FOUND"]);
    }
  });

  test("that is deleted between the look-up and the opening is 410, and 404 if only its files are missing", async (t) => {
    let isDeleted = false;
    const { edge } = await startWatching(
      t,
      {},
      {
        getRecording: async () => {
          const status = isDeleted ? "deleted" : "ready";
          isDeleted = true;
          return { ...ready, status };
        },
      },
    );
    assert.deepEqual(codeOf(await edge.call("GET", "/r/rec_1.webm", { key: null })), [410, "RECORDING_GONE"]);
    const { edge: other, set } = await startWatching(t);
    set({});
    assert.deepEqual(codeOf(await other.call("GET", "/r/rec_1.webm", { key: null })), [404, "NOT_FOUND"]);
  });
});

test("ids of every wrong form are 404 and reach no service", async (t) => {
  const { edge } = await startWatching(
    t,
    {},
    {
      getRecording: async ({ recordingId }) => {
        // An id in capitals is well-formed, and unknown.
        if (recordingId === "rec_UPPER") throw rpcError(Reason.NOT_FOUND, "Unknown.");
        throw new Error(`asked for ${recordingId}`);
      },
    },
  );
  const ids = [
    "..",
    ".",
    "%2e%2e",
    "..%2F..%2Fetc",
    "%00",
    "rec_a%00",
    "rec_",
    "REC_1",
    "rec_UPPER",
    "rec_%2e%2e",
  ];
  const more = [
    "rec_a%2Fb",
    "rec_a%5Cb",
    "rec_%C3%A4",
    "rec_%0d%0a",
    "__proto__",
    "constructor",
    "thr_1",
    "x.webm",
  ];
  const long = [`rec_${"a".repeat(97)}`, `rec_${"a".repeat(2_000)}`, "%20", "-", "rec_1%20"];
  for (const id of [...ids, ...more, ...long]) {
    for (const suffix of suffixes) {
      const text = await exchange(
        edge.url,
        `GET /r/${id}${suffix} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      );
      assert.match(text, /^HTTP\/1\.1 404 [\s\S]*"code":"NOT_FOUND"/, `${id.slice(0, 50)}${suffix}`);
    }
  }
});

test("a failure of the service does not reveal a recording, and a gateway without storage says what to set", async (t) => {
  const failing = await startWatching(
    t,
    {},
    {
      getRecording: async () =>
        Promise.reject(rpcError(Reason.UNAVAILABLE, "Try again.", { retryAfterMs: 1_000 })),
    },
  );
  assert.deepEqual(codeOf(await failing.edge.call("GET", "/r/rec_1.webm", { key: null })), [
    503,
    "UNAVAILABLE",
  ]);
  const { edge, set } = await startWatching(t);
  set({});
  const other = await edge.startGateway({});
  const answer = await other.call("GET", "/r/rec_1.webm", { key: null });
  assert.deepEqual(codeOf(answer), [503, "UNAVAILABLE"]);
  assert.match(answer.json.error, /FILES_DIRECTORY and MUSTER_SECRETS_KEY/);
});

describe("the recording of a thread", () => {
  const path = `/api/v1/workforce/agents/${agentId}/threads/thr_1`;
  const recordingOf = (fields: object) => ({ id: "rec_1", status: "ready", visibility: "public", ...fields });

  test("has a permanent URL if public, one that each read signs again if private, and none before it is ready", async (t) => {
    let recording = recordingOf({});
    const workforce = {
      getThread: async () => ({
        thread: { id: "thr_1", status: "completed", messagesJson: "[]", recording },
        tag: "t",
      }),
    };
    const { edge, files, keyOf } = await startWatching(t, {}, {}, workforce);
    const key = await keyOf({ permissions: ["workforce"], agentId });
    const read = async (headers = {}) => edge.call("GET", path, { key, headers });
    assert.deepEqual((await read()).json.recording, {
      ...{ status: "ready", visibility: "public", url: `${edge.url}/r/rec_1.webm`, error: null },
    });
    recording = recordingOf({ visibility: "private" });
    const { url } = (await read()).json.recording;
    const token = new URL(url).searchParams.get("token") ?? "";
    assert.equal(url, `${edge.url}/r/rec_1.webm?token=${token}`);
    assert.ok(files.addresses.isGenuine("rec_1", token));
    await until(async () => (await read()).json.recording.url !== url);
    assert.equal((await read({ "if-none-match": '"t"' })).status, 304);
    for (const status of ["requested", "recording", "processing", "failed", "unavailable"]) {
      recording = recordingOf({ status, error: "Because." });
      assert.deepEqual((await read()).json.recording, {
        ...{ status, visibility: "public", url: null, error: "Because." },
      });
    }
    const behind = await edge.startGateway({
      files: { directory: "/none", keys, keepDays: 0 },
      publicUrl: "https://muster.example.com/api",
    });
    recording = recordingOf({});
    const answer = await behind.call("GET", path, { key });
    assert.equal(answer.json.recording.url, "https://muster.example.com/api/r/rec_1.webm");
  });

  test("is deleted with the key of the agent and no other, and again without an error", async (t) => {
    const asked: unknown[] = [];
    const { edge, keyOf } = await startWatching(
      t,
      {},
      {
        deleteRecordings: async ({ agentId: agent, threadId }) => {
          asked.push([agent, threadId]);
          return {};
        },
      },
    );
    const key = await keyOf({ permissions: ["workforce"], agentId });
    for (const _ of [1, 2]) {
      const { status, json } = await edge.call("DELETE", `${path}/recording`, { key });
      assert.deepEqual([status, json], [200, { threadId: "thr_1", deleted: true }]);
    }
    assert.deepEqual(codeOf(await edge.call("DELETE", `${path}/recording`)), [403, "FORBIDDEN"]);
    assert.deepEqual(codeOf(await edge.call("DELETE", `${path}/recording`, { key: null })), [
      401,
      "UNAUTHENTICATED",
    ]);
    assert.deepEqual(asked, Array(2).fill([agentId, "thr_1"]));
  });
});
