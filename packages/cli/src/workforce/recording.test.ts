import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { serve, type TestScope, temporaryDirectory } from "@muster/testing";
import { describe, test } from "vitest";
import { type Setup, StartedMuster } from "../../test/support/muster.ts";

const threadPath = "/api/v1/workforce/agents/agt_lou/threads/thr_1";

/** A server with one agent, whose thread is as the readings say, one after the other; the last one stays. */
async function startServer(
  t: TestScope,
  readings: object[],
  video: string | number = "the video",
  /** The events end once the thread has been read. */
  isSlow = false,
) {
  let endEvents = () => {};
  const asked: string[] = [];
  const sent: unknown[] = [];
  const url = await serve(t, (request, reply) => {
    const { method, url: path = "", headers } = request;
    asked.push(`${method} ${path}`);
    const answer = (status: number, body: object) =>
      reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (path === "/api/credential") return answer(200, { agentId: "agt_lou", permissions: ["workforce"] });
    if (path === "/api/v1/workforce/agents/agt_lou") return answer(200, { agentId: "agt_lou", name: "Lou" });
    if (path.startsWith("/r/rec_1.webm")) {
      assert.equal(headers.authorization, undefined);
      if (video === 410)
        return answer(410, { error: "It was deleted.", code: "RECORDING_GONE", requestId: "r" });
      if (typeof video === "number") {
        reply.writeHead(200, { "content-length": video });
        return reply.write("cut", () => reply.destroy());
      }
      return reply.end(video);
    }
    if (path === `${threadPath}/events`) {
      reply.writeHead(200, { "content-type": "text/event-stream" });
      if (!isSlow) return reply.end("data: [DONE]\n\n");
      endEvents = () => reply.end("data: [DONE]\n\n");
      return reply.write('id: 1\ndata: {"type":"thread-status","status":"completed"}\n\n');
    }
    if (method === "POST") {
      return void textOf(request).then((body) => {
        sent.push(JSON.parse(body));
        answer(201, { threadId: "thr_1", status: "pending" });
      });
    }
    if (path === `${threadPath}/recording`) return answer(200, { threadId: "thr_1", deleted: true });
    assert.ok(path.startsWith(threadPath), path);
    endEvents();
    const thread = readings.length > 1 ? readings.shift() : readings[0];
    return answer(200, { threadId: "thr_1", messages: [], ...withUrl(thread, url) });
  });
  const env = { MUSTER_URL: url, MUSTER_AGENT_KEY: "svc_agt_0123456789" };
  const start = (args: readonly string[], setup: Setup = {}) =>
    new StartedMuster(["workforce", ...args], { env, ...setup });
  return { url, asked, sent, start, run: (...args: Parameters<typeof start>) => start(...args).finished };
}

const withUrl = (thread: object | undefined, url: string) =>
  JSON.parse(JSON.stringify(thread).replaceAll("URL", url));

const recorded = (status: string, recording: object | null) => ({
  status,
  recording: recording && { visibility: "private", url: null, error: null, ...recording },
});
const isReady = recorded("completed", { status: "ready", url: "URL/r/rec_1.webm?token=a.b" });

describe("muster workforce watch --recording", () => {
  test("waits for the video, reports what it waits for, and prints the page that plays it", async (t) => {
    const { url, asked, run } = await startServer(t, [
      recorded("running", { status: "recording" }),
      recorded("completed", { status: "processing" }),
      isReady,
    ]);
    const { code, out, err } = await run(["watch", "Lou", "thr_1", "--recording"]);
    assert.deepEqual([code, out, err], [0, `${url}/r/rec_1?token=a.b\n`, "[recording]\n[processing]\n"]);
    const reads = asked.filter((each) => each.includes(threadPath)).map((each) => each.split("?")[1]);
    assert.deepEqual(reads, [undefined, "wait=25", "wait=25"]);
  });

  test("downloads it without a credential, replaces a file, and prints where it is", async (t) => {
    const { run } = await startServer(t, [isReady]);
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, "run.webm"), "old");
    const { code, out } = await run(["watch", "Lou", "thr_1", "--recording", "--output", "run.webm"], {
      cwd,
    });
    assert.deepEqual([code, out], [0, `${join(cwd, "run.webm")}\n`]);
    assert.equal(await readFile(join(cwd, "run.webm"), "utf8"), "the video");
    assert.deepEqual(await readdir(cwd), ["run.webm"]);
  });

  test("with --json prints the recording with its page", async (t) => {
    const { url, run } = await startServer(t, [recorded("running", { status: "recording" }), isReady]);
    const { code, out, err } = await run(["watch", "Lou", "thr_1", "--recording", "--json"]);
    assert.deepEqual([code, err], [0, ""]);
    assert.deepEqual(JSON.parse(out), {
      ...{ threadId: "thr_1", status: "ready", visibility: "private" },
      ...{ url: `${url}/r/rec_1.webm?token=a.b`, page: `${url}/r/rec_1?token=a.b` },
    });
  });

  test("exits with 1 and the reason if the run has no video or was not recorded", async (t) => {
    const cases: Array<[thread: object, reason: RegExp]> = [
      [
        recorded("completed", { status: "failed", error: "The disk is full." }),
        /The disk is full\. \(NO_RECORDING/,
      ],
      [recorded("cancelled", { status: "unavailable", error: "It never began." }), /It never began\./],
      [recorded("completed", null), /to record a run, add --record/],
    ];
    for (const [thread, reason] of cases) {
      const { run } = await startServer(t, [thread]);
      const { code, out, err } = await run(["watch", "Lou", "thr_1", "--recording"]);
      assert.deepEqual([code, out], [1, ""]);
      assert.match(err, reason);
    }
  });

  test("leaves no file if the download breaks off, is refused or cannot be written", async (t) => {
    const cwd = await temporaryDirectory(t);
    const attempt = async (video: string | number, file = "run.webm") => {
      const { run } = await startServer(t, [isReady], video);
      return run(["watch", "Lou", "thr_1", "--recording", "--output", file], { cwd });
    };
    const cut = await attempt(1_000);
    assert.deepEqual([cut.code, /CANNOT_REACH_SERVER/.test(cut.err)], [3, true], cut.err);
    const gone = await attempt(410);
    assert.deepEqual([gone.code, /RECORDING_GONE/.test(gone.err)], [1, true], gone.err);
    const unwritable = await attempt("the video", "none/run.webm");
    assert.deepEqual([unwritable.code, /cannot be written \(ENOENT\)/.test(unwritable.err)], [2, true]);
    assert.deepEqual(await readdir(cwd), []);
  });

  test("Ctrl-C ends the waiting with 130", async (t) => {
    const { start } = await startServer(t, [recorded("running", { status: "recording" })]);
    const started = start(["watch", "Lou", "thr_1", "--recording"]);
    await started.shown(/\[recording\]/);
    started.interrupt();
    assert.equal((await started.finished).code, 130);
  });

  test("a terminal shows for how long it waits, on a line that goes away; a pipe does not", async (t) => {
    const readings = [recorded("running", { status: "recording" })];
    const { start } = await startServer(t, readings);
    const piped = start(["watch", "Lou", "thr_1", "--recording"]);
    const shown = start(["watch", "Lou", "thr_1", "--recording"], { terminal: true });
    await shown.shown(/Waiting for the video: recording \(\d+ s\)/);
    readings[0] = isReady;
    assert.ok((await shown.finished).err.endsWith("\r\u001b[K"));
    assert.equal((await piped.finished).err, "[recording]\n");
  });

  test("--output without --recording is a usage error", async (t) => {
    const { run } = await startServer(t, [isReady]);
    const { code, err } = await run(["watch", "Lou", "thr_1", "--output", "run.webm"]);
    assert.deepEqual([code, /Add --recording/.test(err)], [2, true]);
  });
});

test("delete-recording asks first, and deletes with the key of the agent", async (t) => {
  const { asked, run } = await startServer(t, [isReady]);
  assert.equal((await run(["delete-recording", "Lou", "thr_1"])).code, 2);
  const { code, out } = await run(["delete-recording", "Lou", "thr_1", "--yes"]);
  assert.deepEqual([code, out], [0, "Deleted the recordings of thr_1.\n"]);
  assert.equal(asked.filter((each) => each.startsWith("DELETE")).join(), `DELETE ${threadPath}/recording`);
});

describe("muster workforce run --record", () => {
  test("asks for a private or a public video, or for none", async (t) => {
    const { sent, run } = await startServer(t, [isReady]);
    for (const flags of [["--record"], ["--record", "--public"], ["--no-record"], []])
      assert.equal((await run(["run", "Lou", "Hi", ...flags])).code, 0);
    assert.deepEqual(
      sent.map((body) => Reflect.get(Object(body), "config")),
      [
        { record: true, recordVisibility: "private" },
        { record: true, recordVisibility: "public" },
        { record: false },
        undefined,
      ],
    );
    const { code, err } = await run(["run", "Lou", "Hi", "--public"]);
    assert.deepEqual([code, /Add --record/.test(err)], [2, true]);
  });

  test("with --wait ends with the page of the video, or why there is none, or how to wait for it", async (t) => {
    const ends: Array<[thread: object, note: RegExp]> = [
      [isReady, /^Recording: http:\S+\/r\/rec_1\?token=a\.b$/m],
      [recorded("completed", { status: "failed", error: "Full." }), /^The run has no recording: Full\.$/m],
      [
        recorded("completed", { status: "processing" }),
        /run: muster workforce watch Lou thr_1 --recording$/m,
      ],
    ];
    for (const [thread, note] of ends) {
      const { run } = await startServer(t, [thread]);
      const { code, err } = await run(["run", "Lou", "Hi", "--wait", "--record"]);
      assert.equal(code, 0, err);
      assert.match(err, note);
    }
    const { run } = await startServer(t, [isReady]);
    assert.match((await run(["show", "Lou", "thr_1"])).out, /^Recording: http:/m);
  });
});

test("muster workforce watch says that a video is being made only while one is", async (t) => {
  const isMade = recorded("completed", { status: "processing" });
  const cases: Array<[readings: object[], hasNote: boolean]> = [
    [[isMade, isReady], true],
    [[isReady], false],
    [[recorded("completed", null)], false],
  ];
  const notes = cases.map(async ([readings, hasNote]) => {
    const { run } = await startServer(t, readings, "the video", true);
    const { code, err } = await run(["watch", "Lou", "thr_1"]);
    assert.deepEqual([code, /The video is being made/.test(err)], [0, hasNote], err);
  });
  await Promise.all(notes);
});

test("muster workforce rerun sends the first message with its files, and records the run if that of the thread was recorded", async (t) => {
  const file = { id: "file_1", mediaType: "text/csv", url: "https://example.com/a.csv", filename: "a.csv" };
  const parts = [
    { type: "text", text: "Sort", status: "done" },
    { type: "file", ...file },
  ];
  const messages = [
    { role: "user", parts },
    { role: "user", parts: [{ type: "text", text: "Again" }] },
  ];
  for (const [thread, config] of [
    [isReady, { record: true, recordVisibility: "private" }],
    [recorded("completed", null), {}],
  ] as const) {
    const { sent, run } = await startServer(t, [{ ...thread, messages }]);
    const { code, err } = await run(["rerun", "Lou", "thr_1", "--thinking", "low"]);
    assert.equal(code, 0, err);
    const settings = { ...config, thinking: "low", capabilities: {} };
    assert.deepEqual(sent, [{ message: "Sort", files: [file], config: settings }]);
  }
});
