import { createModels, type Models, readModelsConfig } from "@muster/models";
import type { TestScope } from "@muster/testing";
import type { Document } from "mongodb";
import { research } from "./definitions.ts";
import { type Event, type Instance, readAll, result, startWorld, type World } from "./harness.ts";

type Steps = NonNullable<Parameters<typeof startWorld>[1]>;

/** A world with the worker `agt_research`, which has the slug `agt-research`. */
export async function startWorkerWorld(t: TestScope, steps: Steps = []): Promise<World> {
  const world = await startWorld(t, steps);
  world.agents.set("agt_research", [research]);
  return world;
}

/** The scripted provider under the name of a provider with prices. */
export function pricedModels({ provider }: World): Models {
  return createModels(
    readModelsConfig({
      OPENAI_API_KEY: "key",
      OPENAI_BASE_URL: provider.baseUrl,
      LOCAL_BASE_URL: provider.baseUrl,
    }),
  );
}

/** The request of a start. */
export function start(input: Record<string, unknown> = { TOPIC: "owls" }, agentId = "agt_research") {
  const agent = { case: "agentId" as const, value: agentId };
  return { agent, command: { case: "start" as const, value: { inputJson: JSON.stringify(input) } } };
}

/** The request of a continuation with one result. */
export function goOn(executionId: string, toolCallId = "call_a", value: unknown = "Owls fly.") {
  return {
    agent: { case: "agentId" as const, value: "agt_research" },
    command: { case: "continue" as const, value: { executionId, toolResults: [result(toolCallId, value)] } },
  };
}

export const asksForOwls = {
  parts: [{ toolCall: { id: "call_a", name: "look-up", arguments: { name: "owls" } } }],
  usage: { inputTokens: 1_000, outputTokens: 100 },
};
export const reports = {
  parts: [{ text: "Owls fly by night." }],
  usage: { inputTokens: 2_000, outputTokens: 50 },
};

/** Starts a worker that pauses; returns its id. */
export async function startPaused(world: World, { client }: Instance): Promise<string> {
  return executionIdOf(await readAll(client.executeWorker(start(), world.as())));
}

export function executionIdOf([first]: readonly Event[]): string {
  if (typeof first?.executionId !== "string") throw new Error("The stream did not start");
  return first.executionId;
}

/** The first event of that type. */
export function eventOf(events: readonly Event[], type: string): Event | undefined {
  return events.find((event) => event.type === type);
}

/** The stored worker executions. */
export function storedExecutions({ store }: World): Promise<Document[]> {
  return store.db.client
    .db(`${store.databasePrefix}_sessions`)
    .collection("worker_executions")
    .find()
    .toArray();
}
