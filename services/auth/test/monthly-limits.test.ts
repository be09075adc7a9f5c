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
  await change({
    workforceMonthlyUsd: "25.50",
    workforceMonthlyTokens: { value: 9_000_000_000n },
    workforceMonthlyRuns: { value: 0 },
  });
  await change({ monthlyUsd: "30", monthlyTokens: { value: 0n } });
  const { project } = await change({ requestsPerMinute: { value: 5 } });
  const expected = {
    requestsPerMinute: 5,
    workforceMonthlyUsd: "25.50",
    workforceMonthlyTokens: 9_000_000_000n,
    workforceMonthlyRuns: 0,
    monthlyUsd: "30",
    monthlyTokens: 0n,
  };
  const { $typeName: _, ...stored } = project?.limits ?? {};
  assert.deepEqual(stored, expected);
  for (const principal of [platformPrincipal, workforcePrincipal(projectId)]) {
    const { $typeName: __, ...limits } = (await read(principal)) ?? {};
    assert.deepEqual(limits, expected);
  }
  await assert.rejects(read(workforcePrincipal("prj_other")), refused(Reason.FORBIDDEN));
  await assert.rejects(read({}), refused(Reason.FORBIDDEN));
  await change({ workforceMonthlyUsd: "", workforceMonthlyTokens: {}, workforceMonthlyRuns: {} });
  const left = await change({ monthlyUsd: "" });
  const { $typeName: ___, ...limits } = left.project?.limits ?? {};
  assert.deepEqual(limits, { requestsPerMinute: 5, monthlyTokens: 0n });
});

test("monthly limits that an earlier release stored stay those of workforce agents", async (t) => {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world);
  const projectId = "default";
  const db = world.store.db.client.db(`${world.store.databasePrefix}_auth`);
  const projects = db.collection<{ _id: string; limits: object }>("projects");
  await projects.updateOne(
    { _id: projectId },
    { $set: { limits: { monthlyUsd: "1", monthlyTokens: 2, monthlyRuns: 3 } } },
  );
  const { limits } = await client.getProjectLimits({ projectId }, as(world, platformPrincipal));
  const { $typeName: _, ...read } = limits ?? {};
  assert.deepEqual(read, {
    workforceMonthlyUsd: "1",
    workforceMonthlyTokens: 2n,
    workforceMonthlyRuns: 3,
  });
  const settings = await client.resolveProviderKeys({ projectId }, as(world, platformPrincipal));
  assert.equal(settings.limits?.monthlyUsd, undefined);
});

test("the limits of a key are those of its creation until they are changed, and turns learn them with their project's", async (t) => {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world);
  const { apiKey } = await client.createApiKey(
    { name: "Web", permissions: ["sessions"], limits: { monthlyUsd: "5", monthlyTokens: 7n } },
    as(world),
  );
  const { id = "" } = apiKey ?? {};
  const read = async () => {
    const settings = await client.resolveProviderKeys({ projectId: "default" }, as(world, platformPrincipal));
    const { $typeName: _, ...limits } = settings.keyLimits[id] ?? {};
    return limits;
  };
  assert.deepEqual(await read(), { monthlyUsd: "5", monthlyTokens: 7n });
  const changed = await client.updateApiKey({ id, limits: { monthlyUsd: "" } }, as(world));
  assert.equal(changed.apiKey?.limits?.monthlyTokens, 7n);
  assert.deepEqual(await read(), { monthlyTokens: 7n });
  await assert.rejects(
    client.updateApiKey({ id, limits: { monthlyUsd: "many" } }, as(world)),
    refused(Reason.INVALID_REQUEST),
  );
  const other = as(world, { projectId: "prj_other", anyProject: false });
  await assert.rejects(client.updateApiKey({ id, limits: {} }, other), refused(Reason.NOT_FOUND));
  const bootstrap = { id: "key_bootstrap", limits: { monthlyUsd: "1" } };
  await assert.rejects(client.updateApiKey(bootstrap, as(world)), refused(Reason.INVALID_REQUEST));
  await client.deleteApiKey({ id }, as(world));
  await assert.rejects(client.updateApiKey({ id, limits: {} }, as(world)), refused(Reason.NOT_FOUND));
});

test("limits of a project that are not amounts are refused with the name of each field, and nothing is stored", async (t) => {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world);
  for (const monthlyUsd of ["-1", "1e3", "1.2.3", "ten", " 1", "1234567890"]) {
    const limits = {
      workforceMonthlyUsd: monthlyUsd,
      workforceMonthlyTokens: { value: 2n ** 60n },
      workforceMonthlyRuns: { value: 4_000_000_000 },
      monthlyUsd,
    };
    await assert.rejects(client.updateProject({ projectId: "default", limits }, as(world)), (error) => {
      const { reason, issues } = readRpcError(error);
      assert.equal(reason, Reason.INVALID_REQUEST);
      assert.deepEqual(
        issues.map(({ path }) => path),
        [
          ...["limits.workforceMonthlyUsd", "limits.workforceMonthlyTokens", "limits.workforceMonthlyRuns"],
          "limits.monthlyUsd",
        ],
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
  const tenant = as(world, { anyProject: false });
  for (const limits of [{ workforceMonthlyRuns: { value: 1 } }, { monthlyUsd: "1" }])
    await assert.rejects(
      client.updateProject({ projectId: "default", limits }, tenant),
      refused(Reason.FORBIDDEN),
    );
  const { projects } = await client.listProjects({}, as(world));
  assert.deepEqual(Object.keys(projects[0]?.limits ?? {}), ["$typeName"]);
});
