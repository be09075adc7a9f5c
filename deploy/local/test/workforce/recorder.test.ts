import assert from "node:assert/strict";
import { startScriptedProvider } from "@muster/models/testing";
import { createSmallRenderer } from "@muster/recorder/testing";
import { record, TestClient, until } from "@muster/testing";
import { describe, test } from "vitest";
import { startTestServer } from "../support/server.ts";
import { startChild } from "../support/workforce/processes.ts";
import { startRecorderWorld } from "../support/workforce/recorder-world.ts";
import { says } from "../support/workforce/world.ts";

describe("a recorded run", () => {
  test("waits if this process renders nothing", async (t) => {
    const { baseUrl } = await startScriptedProvider(t, { format: "openai", steps: [says("Done.")] });
    const env = { LOCAL_BASE_URL: baseUrl, RECORDER_CONCURRENCY: "0" };
    const server = await startTestServer(t, env);
    const body = { name: "Lou", prebuilt: "log-analyst" };
    const { agentId, key } = await server.client.json(201, "POST", "/api/admin/workforce/agents", body);
    const client = new TestClient(server.url, String(key));
    const threads = `/api/v1/workforce/agents/${String(agentId)}/threads`;
    const config = { model: "local/scripted", record: true, capabilities: {} };
    const started = await client.json(201, "POST", threads, { message: "Say hello", config });
    const read = () => client.json(200, "GET", `${threads}/${String(started.threadId)}`);
    await until("the run has ended", async () => (await read()).status === "completed");
    assert.equal(record((await read()).recording).status, "processing");
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
