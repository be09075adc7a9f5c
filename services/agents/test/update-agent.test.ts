import assert from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { Format, UpdateAgentRequestSchema } from "@muster/proto/agents";
import { Reason } from "@muster/proto/errors";
import { test } from "vitest";
import { byId, bySlug, createAgent, protocol, refused, startAgents } from "./support/start-agents.ts";

test("an update without changes creates no version", async (t) => {
  const running = await startAgents(t);
  const agent = bySlug("support-chat");
  await createAgent(running);
  const same = { agent, protocol, name: "Support", format: Format.INTERACTIVE, expectedVersion: 1 };
  assert.equal((await running.client.updateAgent(same, running.as())).version, 1);
  assert.equal((await running.client.updateAgent({ agent }, running.as())).version, 1);
  assert.equal(await running.db.collection("agent_versions").countDocuments(), 1);
});

test("whether a project as files manages an agent changes without a new version", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  const shown = async () => (await running.client.listAgents({}, running.as())).agents[0]?.managed;
  for (const managed of [true, false]) {
    const { version } = await running.client.updateAgent({ agent, managed }, running.as());
    assert.deepEqual([version, await shown()], [1, managed]);
  }
});

test("an empty description removes the description", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  await running.client.updateAgent({ agent, description: "" }, running.as());
  const read = await running.client.getAgent({ agent }, running.as());
  assert.equal(read.agent?.definition?.settings?.description, undefined);
});

test("twenty concurrent updates create twenty versions without gaps, and the last version has all changes", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  const change = (number: number) => {
    const field = number % 2 === 0 ? { name: `Name ${number}` } : { description: `Description ${number}` };
    return running.client.updateAgent({ agent, ...field }, running.as());
  };
  const answers = await Promise.all(Array.from({ length: 20 }, (_, number) => change(number)));
  const versions = answers.map(({ version }) => version).sort((a, b) => a - b);
  assert.deepEqual(
    versions,
    Array.from({ length: 20 }, (_, index) => index + 2),
  );
  const read = await running.client.getAgent({ agent }, running.as());
  assert.equal(read.agent?.version, 21);
  assert.match(read.agent.definition?.settings?.name ?? "", /^Name \d+$/);
  assert.match(read.agent.definition?.settings?.description ?? "", /^Description \d+$/);
});

test("a version whose writer died before announcing it is announced by the next writer", async (t) => {
  const running = await startAgents(t);
  const id = await createAgent(running);
  const agent = byId(id);
  await running.client.updateAgent({ agent, name: "Second" }, running.as());
  // The state after a crash between the two writes.
  const heads = running.db.collection<{ _id: string }>("agents");
  await heads.updateOne({ _id: id }, { $set: { latestVersion: 1, "settings.name": "Support" } });
  const { version } = await running.client.updateAgent({ agent, description: "Third" }, running.as());
  assert.equal(version, 3);
  const read = await running.client.getAgent({ agent }, running.as());
  assert.equal(read.agent?.definition?.settings?.name, "Second");
  assert.equal(read.agent.definition.settings.description, "Third");
});

test("an update with an unknown format is refused and not ignored", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  const unknown = Object.assign(create(UpdateAgentRequestSchema, { agent }), { format: 7 });
  const update = running.client.updateAgent(unknown, running.as());
  await assert.rejects(update, refused(Reason.INVALID_REQUEST));
});
