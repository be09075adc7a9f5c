import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type Child, Fleet } from "../support/workforce/processes.ts";
import { randomFrom } from "../support/workforce/random.ts";
import { allEnded, type RecorderWorld, startRecorderWorld } from "../support/workforce/recorder-world.ts";
import { says } from "../support/workforce/world.ts";

/** `npm run test:recorder-kills` runs more of them. */
const kills = Number(process.env.KILLS ?? 1);
const seed = Number(process.env.KILLS_SEED ?? 12);
const steps = { steps: 8, stepMs: 15 };

/** The steps of an attempt, each with the condition that it has begun. */
const points = ["claimed", "rendering", "rendered", "stored", "ready"] as const;

interface Plan {
  how: "kill" | "suspend" | "stop";
  /** Hit as soon as this is seen, and a little later. */
  point: (typeof points)[number];
  jitterMs: number;
}

function planOf(index: number): Plan {
  const random = randomFrom(seed * 1_000 + index);
  const point = points[Math.floor(random() * points.length)] ?? "claimed";
  const how = (["kill", "suspend", "stop", "kill"] as const)[index % 4] ?? "kill";
  return { how, point, jitterMs: Math.floor(random() * (point === "rendering" ? 120 : 10)) };
}

describe(`recorders that are killed at ${kills} points of their work (seed ${seed})`, () => {
  const scope = suiteScope();
  const takeOverMs: number[] = [];
  let world: RecorderWorld;
  let recorders: Fleet;

  beforeAll(async () => {
    world = await startRecorderWorld(scope, {
      workforce: { timings: { recorderLeaseMs: 1_500, recordingRetryMs: 50 } },
    });
    world.provider.answerBy(() => says("Done."));
    const timings = { pollEveryMs: 100, repeatEveryMs: 50 };
    const env = {
      ...world.env,
      TIMINGS: JSON.stringify(timings),
      RENDERER: JSON.stringify({ diary: world.diary, ...steps }),
    };
    recorders = new Fleet(scope, [env, env]);
    await recorders.all();
  });

  afterAll(() => {
    const slowest = Math.max(0, ...takeOverMs);
    if (process.env.KILLS)
      console.log(`the slowest recording was ready ${Math.round(slowest)} ms after its hit`);
  });

  async function hasReached(point: Plan["point"], threadId: string, before: number): Promise<boolean> {
    const recording = await world.recordingOf(threadId);
    if (recording === null || recording.epoch === 0) return false;
    const events = world.notes().slice(before);
    switch (point) {
      case "claimed":
        return true;
      case "rendering":
        return events.length > 0;
      case "rendered":
        return events.some(({ event }) => event.startsWith("ends"));
      case "stored":
        return (await world.epochsOf(recording._id)).length > 0;
      case "ready":
        return recording.status === "ready";
    }
  }

  async function hit({ how }: Plan, threadId: string): Promise<() => void> {
    const name = (await world.recordingOf(threadId))?.lease?.recorder;
    const holder = (await recorders.all()).find((each) => each.holder === name);
    if (holder === undefined) return () => undefined;
    if (how === "kill") await recorders.kill(holder);
    if (how === "stop") await stop(holder);
    if (how === "suspend") {
      holder.process.kill("SIGSTOP");
      return () => holder.process.kill("SIGCONT");
    }
    return () => undefined;
  }

  async function stop(holder: Child): Promise<void> {
    holder.process.kill("SIGTERM");
    await holder.exited;
    assert.equal(holder.process.exitCode, 0);
    // Replaces it.
    await recorders.kill(holder);
  }

  for (let index = 0; index < kills; index += 1) {
    const plan = planOf(index);
    const title = `${plan.how} ${index + 1}, ${plan.jitterMs} ms after a recording is ${plan.point}`;
    test(`${title}: it becomes ready, with one video that never changes`, async () => {
      const lou = await world.hire();
      const before = world.notes().length;
      const threadId = await lou.start(`Task ${index}`, { record: true });
      await until(`it is ${plan.point}`, () => hasReached(plan.point, threadId, before));
      await delay(plan.jitterMs);
      const hitAtMs = performance.now();
      const wakeUp = await hit(plan, threadId);
      await until("it is ready", async () => (await world.recordingOf(threadId))?.status === "ready");
      takeOverMs.push(performance.now() - hitAtMs);
      wakeUp();

      const recording = await world.recordingOf(threadId);
      assert.ok(recording);
      const { _id: id, epoch } = recording;
      assert.deepEqual([recording.attempts <= 2, recording.video?.width], [true, 1_280]);
      await until(
        "only the files of one attempt are left",
        async () => `${await world.epochsOf(id)}` === `${epoch}`,
      );
      const file = await world.storage.open({ projectId: "default", recordingId: id, epoch }, "video.webm");
      assert.equal(file?.size, recording.video?.sizeBytes);
      await file?.close();
      // A child dies with its recorder, and one that was suspended loses its work.
      await allEnded(
        new Set(
          world
            .notes()
            .slice(before)
            .map(({ pid }) => pid),
        ),
      );
      const after = await world.recordingOf(threadId);
      assert.deepEqual([after?.status, after?.epoch, after?.video], ["ready", epoch, recording.video]);
      assert.equal((await lou.read(threadId)).recording?.status, "ready");
    });
  }
});
