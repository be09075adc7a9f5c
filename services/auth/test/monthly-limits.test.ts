import assert from "node:assert/strict";
import { platformPrincipal, Reason, readRpcError, workforcePrincipal } from "@muster/rpc";
import { test } from "vitest";
import { as, createWorld, startAuth } from "./support/start-auth.ts";

const refused = (reason: Reason) => (error: unknown) => readRpcError(error).reason === reason;

test("monthly limits of a project are stored beside each other, read by the platform and removed one by one", async (t) => {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world);
  const projectId = "default";
  const change = (limits: object) => client.updateProject({ projectId, limits }, as(world));
  const read = async (principal: object) =>
    (await client.getProjectLimits({ projectId }, as(world, principal))).limits;
  await change({ monthlyUsd: "25.50", monthlyTokens: { value: 9_000_000_000n }, monthlyRuns: { value: 0 } });
  const { project } = await change({ requestsPerMinute: { value: 5 } });
  const expected = {
    requestsPerMinute: 5,
    monthlyUsd: "25.50",
    monthlyTokens: 9_000_000_000n,
    monthlyRuns: 0,
  };
  const { $typeName: _, ...stored } = project?.limits ?? {};
  assert.deepEqual(stored, expected);
  for (const principal of [platformPrincipal, workforcePrincipal(projectId)]) {
    const { $typeName: __, ...limits } = (await read(principal)) ?? {};
    assert.deepEqual(limits, expected);
  }
  await assert.rejects(read(workforcePrincipal("prj_other")), refused(Reason.FORBIDDEN));
  await assert.rejects(read({}), refused(Reason.FORBIDDEN));
  const left = await change({ monthlyUsd: "", monthlyTokens: {}, monthlyRuns: {} });
  const { $typeName: ___, ...limits } = left.project?.limits ?? {};
  assert.deepEqual(limits, { requestsPerMinute: 5 });
});

test("limits of a project that are not amounts are refused with the name of each field, and nothing is stored", async (t) => {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world);
  for (const monthlyUsd of ["-1", "1e3", "1.2.3", "ten", " 1", "1234567890"]) {
    const limits = { monthlyUsd, monthlyTokens: { value: 2n ** 60n }, monthlyRuns: { value: 4_000_000_000 } };
    await assert.rejects(client.updateProject({ projectId: "default", limits }, as(world)), (error) => {
      const { reason, issues } = readRpcError(error);
      assert.equal(reason, Reason.INVALID_REQUEST);
      assert.deepEqual(
        issues.map(({ path }) => path),
        ["limits.monthlyUsd", "limits.monthlyTokens", "limits.monthlyRuns"],
      );
      return true;
    });
  }
  for (const value of [0, 1_000_000_001]) {
    const change = client.updateProject(
      { projectId: "default", limits: { requestsPerMinute: { value } } },
      as(world),
    );
    await assert.rejects(change, refused(Reason.INVALID_REQUEST));
  }
  const limits = { monthlyRuns: { value: 1 } };
  const tenant = as(world, { anyProject: false });
  await assert.rejects(
    client.updateProject({ projectId: "default", limits }, tenant),
    refused(Reason.FORBIDDEN),
  );
  const { projects } = await client.listProjects({}, as(world));
  assert.equal(projects[0]?.limits?.monthlyRuns, undefined);
});
