import assert from "node:assert/strict";
import { anAuditEntry } from "@muster/events/testing";
import { Reason } from "@muster/rpc";
import { describe, test } from "vitest";
import { refusal, startWithAgent } from "./support/harness.ts";

describe("computers that dial in", () => {
  test("a shared one is created, listed, used at the hiring, and deleted when no agent uses it", async (t) => {
    const { world, client, computers } = await startWithAgent(t);
    const { computer } = await computers.createComputer(
      { name: "Builder", kind: "mac", os: "macos" },
      world.as(),
    );
    const computerId = computer?.id ?? "";
    assert.match(computerId, /^cmp_/);
    assert.deepEqual([computer?.state, computer?.shared, computer?.agentIds], ["down", true, []]);
    const definition = { case: "prebuilt", value: "log-analyst" } as const;
    const hired = await client.hireAgent(
      { name: "Mia", definition, computer: { id: computerId } },
      world.as(),
    );
    const agentId = hired.agent?.agent?.id ?? "";
    assert.equal(hired.agent?.agent?.unavailableReason, "computer_down");
    const { computer: shown } = await computers.getComputer({ computerId }, world.as());
    assert.deepEqual(shown?.agentIds, [agentId]);
    const inUse = await refusal(computers.deleteComputer({ computerId }, world.as()));
    assert.equal(inUse.reason, Reason.COMPUTER_IN_USE);
    const unknown = client.hireAgent({ name: "Bo", definition, computer: { id: "cmp_none" } }, world.as());
    assert.deepEqual(
      (await refusal(unknown)).issues?.map(({ path }) => path),
      ["computerId"],
    );
    const foreign = world.as({ projectId: "prj_other" });
    assert.equal((await refusal(computers.getComputer({ computerId }, foreign))).reason, Reason.NOT_FOUND);
    const free = await computers.createComputer(
      { name: "Spare", kind: "dedicated", os: "linux" },
      world.as(),
    );
    const spare = { computerId: free.computer?.id ?? "" };
    await computers.deleteComputer(spare, world.as());
    const gone = await refusal(computers.deleteComputer(spare, world.as()));
    assert.equal(gone.reason, Reason.NOT_FOUND);
    const { computers: listed } = await computers.listComputers({}, world.as());
    assert.deepEqual(
      listed.map(({ id }) => id),
      [computerId],
    );
  });

  test("a token that is created while its agent is deleted leaves no token and no computer", async (t) => {
    const kind = { id: "", kind: "cli", os: "linux" };
    const { world, computers, agentId, key } = await startWithAgent(t, { computer: kind });
    world.fake.keys.clear();
    world.fake.beforeKey = async () => {
      await world.agents.markDeleted(key, new Date(), anAuditEntry());
      await world.agents.strip(key);
    };
    const computer = { case: "agentId", value: agentId } as const;
    const refused = await refusal(computers.createComputerToken({ computer, name: "Mac" }, world.as()));
    assert.equal(refused.reason, Reason.NOT_FOUND);
    assert.equal(world.fake.keys.size, 0);
    assert.equal(await world.collection("machines").countDocuments(), 0);
  });

  test("each bad field is refused by name", async (t) => {
    const { world, computers } = await startWithAgent(t);
    for (const [request, path] of [
      [{ name: "", kind: "mac", os: "macos" }, "name"],
      [{ name: "a", kind: "cli", os: "linux" }, "kind"],
      [{ name: "a", kind: "mac", os: "linux" }, "os"],
    ] as const) {
      const { issues } = await refusal(computers.createComputer(request, world.as()));
      assert.deepEqual(
        issues?.map((issue) => issue.path),
        [path],
      );
    }
  });

  test("only a principal of the computer connects it", async (t) => {
    const { world, computers } = await startWithAgent(t);
    const drain = async () => {
      for await (const _ of computers.connect((async function* () {})(), world.as())) assert.fail();
    };
    assert.equal((await refusal(drain())).reason, Reason.FORBIDDEN);
  });
});
