import type { Failure, ThreadDocument } from "../../src/store/thread-document.ts";
import { assign, beginTurn, block, complete, fail } from "../../src/store/thread-moves.ts";
import { projectId } from "./documents.ts";
import type { World } from "./harness.ts";

const until = new Date("2099-01-01T00:00:00Z");

/** The steps of a driver with the first thread of an agent's queue, one by one and without a session. */
export async function claimNext(world: World, agentId: string, runId = "run_1") {
  const key = { projectId, agentId };
  const threadId = (await world.agents.find(key))?.queue[0] ?? "";
  const agent = await world.agents.claim(key, { threadId, runId }, { holder: "test", until });
  if (agent === null) throw new Error("There is nothing to claim");
  const threadKey = { ...key, threadId };
  const driver = { runId, epoch: agent.epoch };
  const now = new Date(world.clock.now());
  const move = async (made: Parameters<World["threads"]["move"]>[1]): Promise<ThreadDocument> => {
    const moved = await world.threads.move(threadKey, made);
    if (moved === null) throw new Error("The move was refused");
    return moved;
  };
  const thread = await world.threads.find(threadKey);
  if (thread?.status === "queued" || thread?.status === "pending" || thread?.status === "running") {
    await move(assign(thread.status, driver));
  }
  return {
    threadId,
    driver,
    threadKey,
    /** Reaches the computer and begins the turn of the next message. */
    begin: async () => {
      const found = await world.threads.find(threadKey);
      const message = found?.inbox[0];
      if (!found || message === undefined) throw new Error("No message waits");
      const request = { id: `${runId}:${found.turn + 1}:0`, calls: [] };
      return await move(beginTurn(found, message, driver, { request, startedAt: found.startedAt ?? now }));
    },
    complete: () => move(complete(driver, now)),
    fail: (failure: Failure) => move(fail(driver, failure, now)),
    block: (failure: Failure) => move(block(driver, failure, now)),
    free: () => world.agents.free(key, driver.epoch, runId),
  };
}
