import assert from "node:assert/strict";
import { ScriptedComputer } from "@muster/computers/testing";
import { until } from "@muster/testing";
import { test } from "vitest";
import { runs, says, startWorkforceWorld, type WorkforceWorld } from "../support/workforce/world.ts";

type Instance = Pick<WorkforceWorld["first"], "computers">;

/** Connects the computer to an instance, over gRPC. */
function dialIn(world: WorkforceWorld, { computers }: Instance, peer: ScriptedComputer, computerId: string) {
  const link = new AbortController();
  const machines = {
    async *connect(frames: AsyncIterable<Uint8Array>) {
      const requests = (async function* () {
        for await (const frame of frames) yield { frame };
      })();
      for await (const { frame } of computers.connect(requests, world.asComputer(computerId, link.signal)))
        yield frame;
    },
  };
  const ended = peer.connect(machines, { projectId: "default", computerId }, link).catch(() => undefined);
  return { link, ended };
}

test("a run uses a computer that has dialled in, follows it to another process, and repeats no command", async (t) => {
  const world = await startWorkforceWorld(t, { steps: [runs("git log"), says("Done.")] });
  const lou = await world.hire({
    computer: { $typeName: "muster.workforce.v1.Computer", kind: "cli", os: "linux", state: "", id: "" },
  });
  assert.equal((await lou.status())?.unavailableReason, "cli_only");
  const computerId = lou.agentId.replace("agt_", "cmp_");
  const second = await world.addWorkforce();
  const release = Promise.withResolvers<void>();
  const peer = new ScriptedComputer(async () => {
    await release.promise;
    return { case: "resultJson", value: '{"exitCode":0,"stdout":"commit","stderr":""}' };
  });
  const before = dialIn(world, world.first, peer, computerId);
  await until("the agent is available", async () => (await lou.status())?.status === "idle");
  const threadId = await lou.start("Show the log");
  await until("the command runs", () => peer.disk.effects.size === 1);
  before.link.abort();
  await before.ended;
  const after = dialIn(world, second, peer, computerId);
  release.resolve();
  const thread = await lou.ended(threadId);
  assert.equal(thread.status, "completed", thread.failureReason);
  assert.deepEqual([...peer.disk.effects.values()], [1]);
  const { kind, os, runtimeVersion } = thread.provenance?.computer ?? {};
  assert.deepEqual([kind, os, runtimeVersion], ["cli", "linux", "1.2.3"]);
  after.link.abort();
  await after.ended;
});

test("a run continues at once on a computer that has seen far newer epochs, as after a restore from a backup", async (t) => {
  const world = await startWorkforceWorld(t, {
    steps: [runs("git log"), says("Done.")],
    workforce: { timings: { leaseMs: 600_000 } },
  });
  const lou = await world.hire({
    computer: { $typeName: "muster.workforce.v1.Computer", kind: "cli", os: "linux", state: "", id: "" },
  });
  const peer = new ScriptedComputer(async () => ({ case: "resultJson", value: "{}" }));
  peer.disk.agentEpochs.set(lou.agentId, 500n);
  const { link, ended } = dialIn(world, world.first, peer, lou.agentId.replace("agt_", "cmp_"));
  await until("the agent is available", async () => (await lou.status())?.status === "idle");
  assert.equal((await lou.ended(await lou.start("Show the log"))).status, "completed");
  assert.deepEqual([...peer.disk.effects.values()], [1]);
  link.abort();
  await ended;
});

test("agents that share a computer take turns: the thread that waits is pending, and no command overlaps", async (t) => {
  const world = await startWorkforceWorld(t);
  world.provider.answerBy(({ body }) =>
    JSON.stringify(body).includes('"role":"tool"') ? says("Done.") : runs("make"),
  );
  const { computer } = await world.first.computers.createComputer(
    { name: "Builder", kind: "dedicated", os: "linux" },
    world.as(),
  );
  const id = computer?.id ?? "";
  const shared = { $typeName: "muster.workforce.v1.Computer" as const, kind: "", os: "", state: "", id };
  const agents = [await world.hire({ computer: shared }), await world.hire({ computer: shared })];
  const releases = agents.map(() => Promise.withResolvers<void>());
  let begun = 0;
  const peer = new ScriptedComputer(async () => {
    await releases[begun++]?.promise;
    return { case: "resultJson", value: '{"exitCode":0,"stdout":"","stderr":""}' };
  });
  const { link, ended } = dialIn(world, world.first, peer, id);
  const threads: string[] = [];
  for (const agent of agents) threads.push(await agent.start("Build"));
  await until("a command runs", () => begun === 1);
  const statuses = async () =>
    (await Promise.all(agents.map(async (agent, n) => (await agent.read(threads[n] ?? "")).status))).sort();
  assert.deepEqual(await statuses(), ["pending", "running"]);
  for (const { resolve } of releases) resolve();
  for (const [n, agent] of agents.entries())
    assert.equal((await agent.ended(threads[n] ?? "")).status, "completed");
  assert.equal(begun, 2);
  link.abort();
  await ended;
});
