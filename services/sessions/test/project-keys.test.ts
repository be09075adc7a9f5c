import assert from "node:assert/strict";
import { createModels, readModelsConfig } from "@muster/models";
import { Reason } from "@muster/rpc";
import { createLogger } from "@muster/service";
import { type TestScope, until } from "@muster/testing";
import { describe, test } from "vitest";
import { chat } from "./support/definitions.ts";
import {
  type Instance,
  projectId,
  readAll,
  refusal,
  say,
  startWorld,
  textOf,
  type World,
} from "./support/harness.ts";

const answer = (text: string) => ({ parts: [{ text }] });
const platformKey = "platform-key-0123456789";
const ownKey = "project-key-0123456789";
const otherProject = "prj_other";

/** The scripted provider under the name of one with a key of the platform, and without one if `withKey` is false. */
async function start(t: TestScope, answers: number, { withKey = true } = {}) {
  const world = await startWorld(
    t,
    Array.from({ length: answers }, (_, index) => answer(`Answer ${index}`)),
  );
  world.agents.set("agt_other", [chat], otherProject);
  const models = createModels(
    readModelsConfig({
      OPENAI_BASE_URL: world.provider.baseUrl,
      ...(withKey && { OPENAI_API_KEY: platformKey }),
      DEMO_WORD_DELAY_MS: "0",
    }),
  );
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ name: "sessions", level: "debug", destination });
  const instance = await world.addInstance({}, { models, log });
  return { world, instance, lines };
}

async function open(world: World, { client }: Instance, project = projectId, model = "openai/gpt-4o-mini") {
  const agentId = project === otherProject ? "agt_other" : "agt_chat";
  const request = { agentId, inputJson: JSON.stringify({ MODEL: model }) };
  const { sessionId } = await client.createSession(request, world.as({ projectId: project }));
  return (text = "hi") =>
    readAll(client.trigger({ ...say(sessionId, text), usage: true }, world.as({ projectId: project })));
}

const keysSent = (world: World) => world.provider.requests.map(({ headers }) => headers.authorization);

function byokOf(events: Awaited<ReturnType<typeof readAll>>): unknown {
  const cost: unknown = events.find((event) => event.type === "usage")?.cost;
  return typeof cost === "object" && cost !== null && "byok" in cost ? cost.byok : undefined;
}

const changed = (world: World, project = projectId) =>
  world.bus.publish(
    "auth.provider-keys-changed",
    { projectId: project },
    { id: world.bus.published.length.toString() },
  );

describe("a project with its own key for a provider", () => {
  test("a turn is called with the key of its own project, and that of another project with the platform's key", async (t) => {
    const { world, instance } = await start(t, 3);
    world.auth.set(projectId, { openai: ownKey });
    const own = await open(world, instance);
    const other = await open(world, instance, otherProject);
    assert.deepEqual([byokOf(await own()), byokOf(await other()), byokOf(await own())], [true, false, true]);
    assert.deepEqual(keysSent(world), [`Bearer ${ownKey}`, `Bearer ${platformKey}`, `Bearer ${ownKey}`]);
  });

  test("two projects with keys of their own never use each other's", async (t) => {
    const { world, instance } = await start(t, 8);
    world.auth.set(projectId, { openai: ownKey });
    world.auth.set(otherProject, { openai: "another-key-0123456789" });
    const turns = [await open(world, instance), await open(world, instance, otherProject)];
    for (let i = 0; i < 4; i++) for (const turn of turns) await turn();
    const expected = [`Bearer ${ownKey}`, "Bearer another-key-0123456789"];
    assert.deepEqual(keysSent(world), Array.from({ length: 4 }, () => expected).flat());
  });

  test("an event makes a new, a replaced and a deleted key work for the next turn, and without it 4 s do", async (t) => {
    const { world, instance } = await start(t, 5);
    const turn = await open(world, instance);
    const steps: Array<[keys: Record<string, string>, wake: () => Promise<void>]> = [
      [{ openai: ownKey }, () => changed(world)],
      [{ openai: "replaced-key-0123456789" }, () => changed(world)],
      [{}, () => changed(world)],
      [{ openai: ownKey }, async () => world.clock.advance(4_000)],
    ];
    await turn();
    for (const [keys, wake] of steps) {
      world.auth.set(projectId, keys);
      await wake();
      await turn();
    }
    assert.deepEqual(keysSent(world), [
      `Bearer ${platformKey}`,
      `Bearer ${ownKey}`,
      "Bearer replaced-key-0123456789",
      `Bearer ${platformKey}`,
      `Bearer ${ownKey}`,
    ]);
  });

  test("turns within 4 s share one question about keys and rules", async (t) => {
    const { world, instance } = await start(t, 3);
    const turn = await open(world, instance);
    for (let i = 0; i < 3; i++) await turn();
    assert.deepEqual(world.auth.asked, [projectId]);
  });

  test("a key is enough to use a provider that the platform has no key for", async (t) => {
    const { world, instance } = await start(t, 1, { withKey: false });
    world.auth.set(projectId, { openai: ownKey });
    await (await open(world, instance))();
    assert.deepEqual(keysSent(world), [`Bearer ${ownKey}`]);
  });

  test("a key that cannot be decrypted refuses the turn with its reason, and the platform's key is not used", async (t) => {
    const { world, instance } = await start(t, 1);
    world.auth.set(projectId, { openai: { problem: "The stored key is damaged." } });
    const turn = await open(world, instance);
    const { reason, message } = await refusal(turn());
    assert.deepEqual([reason, message], [Reason.MODEL_NOT_RUNNABLE, "The stored key is damaged."]);
    assert.deepEqual(keysSent(world), []);
    world.auth.set(projectId, {});
    await changed(world);
    assert.equal(textOf(await turn()), "Answer 0");
  });
});

describe("an outage of the auth service", () => {
  test("known keys are used for 4 s, and then turns are refused as unavailable, not called with the platform's key", async (t) => {
    const { world, instance } = await start(t, 3);
    world.auth.set(projectId, { openai: ownKey });
    const turn = await open(world, instance);
    await turn();
    world.auth.isDown = true;
    world.clock.advance(3_999);
    await turn();
    world.clock.advance(1);
    const { reason, retryAfterMs } = await refusal(turn());
    assert.deepEqual([reason, retryAfterMs], [Reason.UNAVAILABLE, 1_000]);
    world.auth.isDown = false;
    await turn();
    assert.deepEqual(
      keysSent(world),
      Array.from({ length: 3 }, () => `Bearer ${ownKey}`),
    );
  });

  test("an outage after the event of a change refuses the turn, because the old key may be revoked", async (t) => {
    const { world, instance } = await start(t, 1);
    world.auth.set(projectId, { openai: ownKey });
    const turn = await open(world, instance);
    await turn();
    world.auth.isDown = true;
    await changed(world);
    assert.equal((await refusal(turn())).reason, Reason.UNAVAILABLE);
  });
});

test("neither the store, the log nor a stream contains the project's key, even if the provider repeats it", async (t) => {
  const { world, instance, lines } = await start(t, 1);
  world.provider.add({ status: 401, error: { message: `Incorrect API key provided: ${ownKey}` } });
  world.auth.set(projectId, { openai: ownKey });
  const turn = await open(world, instance);
  await turn();
  const failed = await turn();
  assert.match(JSON.stringify(failed), /the project's own API key/);
  await until(() => lines.join("").includes("a model call failed"));
  const { db, databasePrefix } = world.store;
  const database = db.client.db(`${databasePrefix}_sessions`);
  const stored = await Promise.all(
    (await database.collections()).map((collection) => collection.find().toArray()),
  );
  for (const text of [lines.join(""), JSON.stringify(stored), JSON.stringify(failed)]) {
    assert.ok(!text.includes(ownKey) && text.length > 10);
  }
});
