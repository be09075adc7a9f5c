import { DisconnectPolicy } from "@muster/proto/sessions";
import { workforcePrincipal } from "@muster/rpc";
import { createIds } from "@muster/service";
import type { Collection } from "mongodb";
import type { SessionDocument } from "../../src/store/session-document.ts";
import { type Instance, projectId, type result, say, scriptedModel, type World } from "./harness.ts";

export const workforceAgentId = "agt_lou";

const newId = createIds();
export const newSessionId = () => newId("ses");

/** The documents of workforce threads. */
export function hiddenSessions({ store }: World): Collection<SessionDocument> {
  return store.db.client.db(`${store.databasePrefix}_sessions`).collection("workforce_sessions");
}

/** Call options of the workforce service. */
export function asWorkforce(world: World, extra: { signal?: AbortSignal } = {}) {
  return world.as(workforcePrincipal(projectId), extra);
}

/** Opens the session of a thread of `agt_chat` with the scripted model. */
export async function openThread(
  world: World,
  { client }: Instance,
  {
    sessionId = newSessionId(),
    agentVersion = 0,
    input = { MODEL: scriptedModel } as Record<string, unknown>,
  } = {},
): Promise<string> {
  const workforce = { sessionId, workforceAgentId, agentVersion };
  const request = { agentId: "agt_chat", inputJson: JSON.stringify(input), workforce };
  return (await client.createSession(request, asWorkforce(world))).sessionId;
}

export interface RunFields {
  requestId: string;
  driverEpoch?: bigint;
  [field: string]: unknown;
}

/** The request of a driver that gives an agent a message. */
export function runSaying(sessionId: string, text: string, run: RunFields, more: object = {}) {
  return { ...say(sessionId, text), ...asRun(run), ...more };
}

/** The request of a driver that has carried out tool calls. */
export function runResults(sessionId: string, toolResults: Array<ReturnType<typeof result>>, run: RunFields) {
  return { sessionId, triggerName: "say", toolResults, ...asRun(run) };
}

function asRun(run: RunFields) {
  return { onDisconnect: DisconnectPolicy.CONTINUE, run: { driverEpoch: 1n, ...run } };
}

/** Tools as a computer offers them. */
export const computerTools = ["shell__run_command", "files__read"].map((name) => ({
  name,
  description: "Of the computer",
  inputSchemaJson: JSON.stringify({ type: "object", properties: { command: { type: "string" } } }),
}));
