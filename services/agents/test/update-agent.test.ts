import assert from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { Format, UpdateAgentRequestSchema } from "@muster/proto/agents";
import { Reason } from "@muster/proto/errors";
import { test } from "vitest";
import {
  byId,
  bySlug,
  createAgent,
  issuesOf,
  protocol,
  refused,
  startAgents,
} from "./support/start-agents.ts";

test("absent fields of an update stay unchanged", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  const prompts = {
    prompts: [
      { name: "system", content: "Be brief." },
      { name: "user", content: "{{USER_MESSAGE}}" },
    ],
  };
  const { version } = await running.client.updateAgent({ agent, prompts }, running.as());
  assert.equal(version, 2);
  const read = await running.client.getAgent({ agent }, running.as());
  const { definition } = read.agent ?? {};
  assert.equal(definition?.prompts[0]?.content, "Be brief.");
  assert.equal(definition.protocol, protocol);
  assert.equal(definition.settings?.name, "Support");
  assert.equal(definition.settings.description, "Helps");
});

test("an update without changes creates no version", async (t) => {
  const running = await startAgents(t);
  const agent = bySlug("support-chat");
  await createAgent(running);
  const same = { agent, protocol, name: "Support", format: Format.INTERACTIVE, expectedVersion: 1 };
  assert.equal((await running.client.updateAgent(same, running.as())).version, 1);
  assert.equal((await running.client.updateAgent({ agent }, running.as())).version, 1);
  assert.equal(await running.db.collection("agent_versions").countDocuments(), 1);
});

test("an update that would make the definition invalid is refused as a whole", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  const withoutPrompts = { agent, name: "Renamed", prompts: { prompts: [] } };
  const issues = await issuesOf(running.client.updateAgent(withoutPrompts, running.as()));
  assert.deepEqual(new Set(issues.map(({ code }) => code)), new Set(["UNKNOWN_PROMPT"]));
  const worker = running.client.updateAgent({ agent, format: Format.WORKER }, running.as());
  await assert.rejects(worker, refused(Reason.INVALID_DEFINITION));
  const read = await running.client.getAgent({ agent }, running.as());
  assert.equal(read.agent?.version, 1);
  assert.equal(read.agent.definition?.settings?.name, "Support");
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

test("one of ten updates that expect the same version succeeds", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  const calls = Array.from({ length: 10 }, (_, number) =>
    running.client.updateAgent({ agent, name: `Name ${number}`, expectedVersion: 1 }, running.as()),
  );
  const outcomes = await Promise.allSettled(calls);
  const lost = outcomes.filter((outcome) => outcome.status === "rejected");
  assert.equal(lost.length, 9);
  for (const { reason } of lost) assert.ok(refused(Reason.VERSION_MISMATCH)(reason));
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

test("updates of unknown, foreign and archived agents are NOT_FOUND", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  const update = (caller?: Parameters<typeof running.as>[0]) =>
    running.client.updateAgent({ agent, name: "New" }, running.as(caller));
  await assert.rejects(update({ projectId: "prj_two" }), refused(Reason.NOT_FOUND));
  await assert.rejects(update({ permissions: ["sessions"] }), refused(Reason.FORBIDDEN));
  await running.client.archiveAgent({ agent }, running.as());
  await assert.rejects(update(), refused(Reason.NOT_FOUND));
});

test("all invalid fields of an update are reported at once", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  const request = {
    agent,
    name: " ",
    protocol: "\u0001",
    prompts: { prompts: [{ name: "", content: "" }] },
  };
  const issues = await issuesOf(running.client.updateAgent(request, running.as()));
  assert.deepEqual(
    issues.map(({ path }) => path),
    ["settings.name", "prompts.0.name", "protocol"],
  );
});

test("an update with an unknown format is refused and not ignored", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  const unknown = Object.assign(create(UpdateAgentRequestSchema, { agent }), { format: 7 });
  const update = running.client.updateAgent(unknown, running.as());
  await assert.rejects(update, refused(Reason.INVALID_REQUEST));
});
