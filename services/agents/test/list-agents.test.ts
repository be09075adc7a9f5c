import assert from "node:assert/strict";
import { test } from "vitest";
import { byId, createAgent, startAgents } from "./support/start-agents.ts";

test("ListAgents returns the active agents of the project, newest first, with their latest settings", async (t) => {
  const running = await startAgents(t);
  const ids: string[] = [];
  for (const slug of ["one", "two", "three"]) ids.push(await createAgent(running, { slug }));
  const [one, two, three] = ids;
  assert.ok(one !== undefined && two !== undefined && three !== undefined);
  await running.client.archiveAgent({ agent: byId(two) }, running.as());
  await running.client.updateAgent({ agent: byId(one), name: "Renamed", description: "" }, running.as());
  const { agents } = await running.client.listAgents({}, running.as({ permissions: ["sessions"] }));
  assert.deepEqual(new Set(agents.map(({ id }) => id)), new Set([three, one]));
  const sorted = agents
    .map(({ id }) => id)
    .sort()
    .reverse();
  assert.deepEqual(
    agents.map(({ id }) => id),
    sorted,
    "ids sort by creation time",
  );
  const renamed = agents.find(({ id }) => id === one);
  assert.equal(renamed?.settings?.name, "Renamed");
  assert.equal(renamed.settings.description, undefined);
  assert.ok(renamed.createdAt && renamed.updatedAt);
});
