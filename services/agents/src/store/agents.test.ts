import assert from "node:assert/strict";
import { anAuditEntry } from "@muster/events/testing";
import { ensureIndexes } from "@muster/store";
import { openTestStore } from "@muster/store/testing";
import { type TestContext, test } from "vitest";
import { agentIndexes, createAgentStore } from "./agents.ts";
import { type AgentDocument, type VersionDocument, versionId } from "./documents.ts";
import type { StoredAgent, StoredVersion } from "./stored-dates.ts";

const at = new Date("2026-01-01T00:00:00Z");
const projectId = "prj_one";
const settings = { slug: "wanted", name: "Wanted", format: "interactive" } as const;

async function open(t: TestContext) {
  const { db } = await openTestStore(t);
  await ensureIndexes(db, agentIndexes);
  return { db, agents: createAgentStore(db) };
}

function head(agentId: string): AgentDocument {
  const { slug } = settings;
  return {
    ...{ _id: agentId, projectId, slug, state: "active", latestVersion: 1, settings },
    ...{ createdAt: at, updatedAt: at },
  };
}

function version(agentId: string, number: number): VersionDocument {
  return {
    ...{ _id: versionId(agentId, number), agentId, projectId, version: number },
    ...{ settings: { ...settings, name: `Version ${number}` }, protocol: "", prompts: [], references: [] },
    ...{ workers: [`worker-${number}`], changes: ["settings"], createdAt: at },
  };
}

test("one of ten concurrent writes of a version succeeds, and versions are announced in order, even repeatedly", async (t) => {
  const { agents } = await open(t);
  await agents.create(head("agt_1"), version("agt_1", 1));
  const written = await Promise.all(
    Array.from({ length: 10 }, () => agents.insertVersion(version("agt_1", 2))),
  );
  assert.equal(written.filter(Boolean).length, 1);
  const current = async () => {
    const found = await agents.find(projectId, "agt_1");
    return [found?.latestVersion, found?.settings.name, found?.workers];
  };
  await agents.announce(version("agt_1", 3));
  assert.deepEqual(await current(), [1, "Wanted", undefined]);
  for (const number of [2, 2, 3, 2]) await agents.announce(version("agt_1", number));
  assert.deepEqual(await current(), [3, "Version 3", ["worker-3"]]);
});

test("an agent is archived once, with the time of the first request", async (t) => {
  const { agents } = await open(t);
  await agents.create(head("agt_1"), version("agt_1", 1));
  assert.equal((await agents.archive(projectId, "agt_1", at, anAuditEntry(), 2))?.state, "active");
  assert.equal((await agents.archive(projectId, "agt_1", at, anAuditEntry(), 1))?.state, "archived");
  const again = await agents.archive(projectId, "agt_1", new Date(), anAuditEntry());
  assert.deepEqual(again?.archivedAt, at);
  assert.equal(await agents.findActive(projectId, { slug: "wanted" }), null);
  assert.ok(await agents.create(head("agt_2"), version("agt_2", 1)));
});

test("an agent with dates under their earlier names is read, changed and archived", async (t) => {
  const { db, agents } = await open(t);
  const { createdAt, updatedAt, ...agent } = head("agt_1");
  const { createdAt: _, ...first } = version("agt_1", 1);
  await db.collection<StoredAgent>("agents").insertOne({ ...agent, createTime: at, updateTime: at });
  await db.collection<StoredVersion>("agent_versions").insertOne({ ...first, createTime: at });
  assert.deepEqual(await agents.find(projectId, "agt_1"), head("agt_1"));
  assert.deepEqual(await agents.listActive(projectId), [head("agt_1")]);
  assert.deepEqual(await agents.findVersion(projectId, "agt_1", 1), version("agt_1", 1));
  const later = new Date("2026-02-01T00:00:00Z");
  const second = { ...version("agt_1", 2), createdAt: later };
  await agents.insertVersion(second);
  await agents.announce(second);
  const lines = await agents.listVersions(projectId, "agt_1", 2);
  assert.deepEqual(
    lines.map((line) => line.createdAt),
    [later, at],
  );
  const archived = await agents.archive(projectId, "agt_1", later, anAuditEntry());
  assert.deepEqual([archived?.createdAt, archived?.updatedAt, archived?.archivedAt], [at, later, later]);
});
