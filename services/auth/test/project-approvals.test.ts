import assert from "node:assert/strict";
import { platformPrincipal, Reason, readRpcError } from "@muster/rpc";
import { until } from "@muster/testing";
import { test } from "vitest";
import { as, createWorld, startAuth } from "./support/start-auth.ts";

test("a project's rules of approval are replaced as a whole, reach the platform, and each change is announced", async (t) => {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world);
  const events: unknown[] = [];
  await world.bus.subscribe("auth.project-changed", { broadcast: true }, async (event) => {
    events.push(event);
  });
  const projectId = "default";
  const ofProject = as(world, { anyProject: false });
  const change = async (changes: object) =>
    (await client.updateProject({ projectId, ...changes }, ofProject)).project?.approvals;
  const resolved = async () =>
    (await client.resolveProviderKeys({ projectId }, as(world, platformPrincipal))).approvals;
  assert.deepEqual(await resolved(), {});
  assert.deepEqual(await change({ approvals: { rules: { refund: "ask" } } }), { refund: "ask" });
  assert.deepEqual(await change({ name: "Renamed" }), { refund: "ask" });
  const rules = { "shell__*": "deny" };
  assert.deepEqual(await change({ approvals: { rules } }), rules);
  assert.deepEqual(await resolved(), rules);
  await assert.rejects(change({ name: "Other", approvals: { rules: { refund: "allow" } } }), (error) => {
    const { reason, issues } = readRpcError(error);
    return reason === Reason.INVALID_REQUEST && issues[0]?.path === "approvals.refund";
  });
  const { projects } = await client.listProjects({}, as(world));
  assert.deepEqual([projects[0]?.name, projects[0]?.approvals], ["Renamed", rules]);
  assert.deepEqual(await change({ approvals: {} }), {});
  assert.deepEqual(await resolved(), {});
  await until(() => events.length >= 3);
  assert.deepEqual(events, [{ projectId }, { projectId }, { projectId }]);
});
