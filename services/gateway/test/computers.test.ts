import assert from "node:assert/strict";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createInProcessBus } from "@muster/events";
import { silentLogger } from "@muster/service";
import { describe, type TestContext, test } from "vitest";
import { type Edge, makeKey, type ScriptedComputers, startEdge } from "./support/start-edge.ts";

const computers = "/api/admin/computers";

function startComputersEdge(t: TestContext, scripted: ScriptedComputers): Promise<Edge> {
  const bus = createInProcessBus({ log: silentLogger });
  return startEdge(t, {}, {}, silentLogger, bus, {}, [], {}, scripted);
}

const rack = {
  ...{ id: "cmp_1", name: "Rack 2", kind: "dedicated", os: "linux", state: "running", shared: true },
  ...{ agentIds: ["agt_1"], runtimeVersion: "0.1.0", connectedAt: timestampFromMs(1_000) },
  ...{ lastSeenAt: timestampFromMs(2_000), createdAt: timestampFromMs(0) },
};

const shown = {
  ...{ id: "cmp_1", name: "Rack 2", kind: "dedicated", os: "linux", state: "running", shared: true },
  ...{ agentIds: ["agt_1"], runtimeVersion: "0.1.0", region: null },
  ...{ connectedAt: "1970-01-01T00:00:01.000Z", lastSeenAt: "1970-01-01T00:00:02.000Z" },
  createdAt: "1970-01-01T00:00:00.000Z",
};

describe("the routes of computers that dial in", () => {
  test("a shared computer is created, listed, read and deleted", async (t) => {
    const received: unknown[] = [];
    const edge = await startComputersEdge(t, {
      createComputer: async ({ name, kind, os }) => {
        received.push([name, kind, os]);
        return { computer: rack };
      },
      listComputers: async ({ pageSize, cursor }) => {
        received.push([pageSize, cursor]);
        return { computers: [rack], nextCursor: "next" };
      },
      getComputer: async ({ computerId }) => ({ computer: { ...rack, id: computerId, region: "Oslo" } }),
      deleteComputer: async ({ computerId }) => {
        received.push(computerId);
        return {};
      },
    });
    const body = { name: "Rack 2", kind: "dedicated", os: "linux" };
    const created = await edge.call("POST", computers, { body });
    assert.deepEqual([created.status, created.json], [201, shown]);
    const listed = await edge.call("GET", `${computers}?limit=7&cursor=c`);
    assert.deepEqual(listed.json, { computers: [shown], nextCursor: "next" });
    assert.deepEqual((await edge.call("GET", `${computers}/cmp_1`)).json, { ...shown, region: "Oslo" });
    const deleted = await edge.call("DELETE", `${computers}/cmp_1`);
    assert.deepEqual(deleted.json, { id: "cmp_1", deleted: true });
    assert.deepEqual(received, [["Rack 2", "dedicated", "linux"], [7, "c"], "cmp_1"]);
  });

  for (const [place, name] of [
    [`${computers}/cmp_1/tokens`, { case: "computerId", value: "cmp_1" }],
    ["/api/admin/workforce/agents/agt_1/computer-tokens", { case: "agentId", value: "agt_1" }],
  ] as const) {
    test(`tokens are created, listed and deleted below ${place}, and a secret is not cached`, async (t) => {
      const received: unknown[] = [];
      const token = { id: "key_1", name: "Rack 2", createdAt: timestampFromMs(0) };
      const edge = await startComputersEdge(t, {
        createComputerToken: async ({ computer, expiresAt }) => {
          received.push([computer, expiresAt?.seconds]);
          return { token, secret: "svc_cmp_x", computerId: "cmp_1" };
        },
        listComputerTokens: async ({ computer }) => {
          received.push(computer);
          return { tokens: [{ ...token, lastUsedAt: timestampFromMs(60_000) }] };
        },
        deleteComputerToken: async ({ computer, tokenId }) => {
          received.push([computer, tokenId]);
          return {};
        },
      });
      const body = { name: "Rack 2", expiresAt: "1970-01-01T00:01:00Z" };
      const created = await edge.call("POST", place, { body });
      const fields = {
        ...{ id: "key_1", name: "Rack 2", createdAt: "1970-01-01T00:00:00.000Z", expiresAt: null },
      };
      assert.deepEqual(
        [created.status, created.json],
        [201, { ...fields, computerId: "cmp_1", token: "svc_cmp_x" }],
      );
      assert.equal(created.headers.get("cache-control"), "no-store");
      const listed = await edge.call("GET", place);
      assert.deepEqual(listed.json, { tokens: [{ ...fields, lastUsedAt: "1970-01-01T00:01:00.000Z" }] });
      const deleted = await edge.call("DELETE", `${place}/key_1`);
      assert.deepEqual(deleted.json, { id: "key_1", deleted: true });
      assert.deepEqual(received, [[name, 60n], name, [name, "key_1"]]);
    });
  }

  test("keys without `workforce` manage no computers", async (t) => {
    const edge = await startComputersEdge(t, {});
    const { key } = await makeKey(edge, { permissions: ["sessions"] });
    for (const path of [computers, `${computers}/cmp_1`, `${computers}/cmp_1/tokens`])
      assert.equal((await edge.call("GET", path, { key })).status, 403);
  });
});
