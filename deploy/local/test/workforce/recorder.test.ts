import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { startScriptedProvider } from "@muster/models/testing";
import { createSmallRenderer } from "@muster/recorder/testing";
import { createDiskStorage } from "@muster/storage/recordings";
import { record, TestClient, type TestScope, temporaryDirectory, until } from "@muster/testing";
import { describe, test } from "vitest";
import { startTestServer } from "../support/server.ts";
import { startChild } from "../support/workforce/processes.ts";
import { startRecorderWorld } from "../support/workforce/recorder-world.ts";
import { runs, says } from "../support/workforce/world.ts";

const settings = {
  model: "local/scripted",
  ...{ record: true, capabilities: {} },
};

/** Muster as `npm start` runs it, with a hired agent whose model follows the script. */
async function hireScripted(t: TestScope, env: Record<string, string> = {}) {
  const { baseUrl } = await startScriptedProvider(t, {
    format: "openai",
    steps: [runs("echo hello; sleep 0.2; echo world"), says("Done.")],
  });
  const directory = await temporaryDirectory(t);
  const server = await startTestServer(t, { DATA_DIR: directory, LOCAL_BASE_URL: baseUrl, ...env });
  const body = { name: "Lou", prebuilt: "log-analyst" };
  const { agentId, key } = await server.client.json(201, "POST", "/api/admin/workforce/agents", body);
  const client = new TestClient(server.url, String(key));
  const threads = `/api/v1/workforce/agents/${String(agentId)}/threads`;
  const start = async (): Promise<string> => {
    const task = { message: "Say hello", config: settings };
    return `${threads}/${await client.field("threadId", 201, "POST", threads, task)}`;
  };
  return { ...{ server, client, start, directory } };
}

/** Polls a thread until its recording is final. Returns the statuses that it went through, and the last state. */
async function watchRecording(client: TestClient, thread: string) {
  const statuses: string[] = [];
  for (;;) {
    const { status, recording } = await client.json(200, "GET", thread);
    const shown = record(recording);
    if (statuses.at(-1) !== shown.status) statuses.push(String(shown.status));
    if (["ready", "failed", "unavailable"].includes(String(shown.status)))
      return { statuses, status, recording: shown };
    await delay(20);
  }
}

describe("a recorded run", () => {
  test("of `npm start` becomes a video that its thread's URL plays", async (t) => {
    const { client, start, directory } = await hireScripted(t);
    const { statuses, status, recording } = await watchRecording(client, await start());
    assert.deepEqual([status, recording.error], ["completed", null]);
    const order = ["requested", "recording", "processing", "ready"];
    assert.deepEqual(
      statuses,
      order.filter((each) => statuses.includes(each)),
    );
    assert.deepEqual(statuses.slice(-2), ["processing", "ready"]);

    const response = await fetch(String(recording.url));
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, "video/webm"]);
    const video = Buffer.from(await response.arrayBuffer());
    // The signature of EBML, with which WebM files begin.
    assert.equal(video.subarray(0, 4).toString("hex"), "1a45dfa3");
    const attempts = [];
    const storage = createDiskStorage(`${directory}/files`);
    for await (const attempt of storage.attempts()) attempts.push(attempt);
    assert.deepEqual(
      attempts.map(({ epoch }) => epoch),
      [1],
    );
    for (const name of ["chapters.vtt", "transcript.vtt"] as const) {
      const file = attempts[0] && (await storage.open(attempts[0], name));
      assert.ok(file && file.size > "WEBVTT".length, name);
      await file.close();
    }
  });

  test("waits if this process renders nothing", async (t) => {
    const { client, start } = await hireScripted(t, { RECORDER_CONCURRENCY: "0" });
    const thread = await start();
    await until(
      "the run has ended",
      async () => (await client.json(200, "GET", thread)).status === "completed",
    );
    assert.equal(record((await client.json(200, "GET", thread)).recording).status, "processing");
  });

  test("that cannot be rendered fails after five attempts, with an error", async (t) => {
    const world = await startRecorderWorld(t, {
      steps: [says("Done.")],
      workforce: { timings: { recordingRetryMs: 10 } },
    });
    const recorder = { render: createSmallRenderer({ diary: world.diary }) };
    await world.addRecorder(recorder, { pollEveryMs: 20 });
    const lou = await world.hire();
    const threadId = await lou.start("poison", { record: true });
    await until("it has failed", async () => (await lou.read(threadId)).recording?.status === "failed");
    assert.equal((await lou.read(threadId)).recording?.error, "The video could not be rendered.");
    assert.equal(world.notes().length, 5);
    const recording = await world.recordingOf(threadId);
    assert.deepEqual(await world.epochsOf(String(recording?._id)), []);
  });

  test("is rendered once, although two recorder processes want it and it is announced three times", async (t) => {
    const world = await startRecorderWorld(t, { steps: [says("Done.")] });
    const env = {
      ...world.env,
      TIMINGS: JSON.stringify({ pollEveryMs: 1 }),
      RENDERER: JSON.stringify({ diary: world.diary, steps: 20, stepMs: 10 }),
    };
    const render = createSmallRenderer({ diary: world.diary });
    await Promise.all([startChild(t, env), startChild(t, env), world.addRecorder({ render })]);
    const lou = await world.hire();
    const threadId = await lou.start("Look", { record: true });
    await until("it is being rendered", () => world.notes().length > 0);
    const recordingId = String((await world.recordingOf(threadId))?._id);
    for (const id of ["a", "b"])
      await world.bus.publish("workforce.recording", { projectId: "default", recordingId }, { id });
    await until("it is ready", async () => (await lou.read(threadId)).recording?.status === "ready");
    assert.equal((await world.recordingOf(threadId))?.epoch, 1);
    assert.deepEqual(await world.epochsOf(recordingId), [1]);
    assert.equal(world.notes().length, 2);
  });
});
