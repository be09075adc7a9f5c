import { Reason, readRpcError, rpcError } from "@muster/rpc";
import type { WorkforceContext } from "../../context.ts";
import { assertDeclared } from "../../input/run-config.ts";
import { type AgentDocument, keyOfAgent } from "../../store/agent-document.ts";
import { createKey } from "./agent-keys.ts";
import { assertRunnable } from "./assert-runnable.ts";
import { loadDefinition } from "./definition.ts";
import type { HireCommand } from "./read-hire.ts";

const timeoutMs = 5_000;
const firstKeyName = "First key";

/** Stores a new agent and creates its first key. An agent without a key does not exist. */
export async function hire(
  context: WorkforceContext,
  projectId: string,
  command: HireCommand,
): Promise<{ agent: AgentDocument; key: string; unexecutedTools: string[] }> {
  const { agent, unexecutedTools } = await newAgent(context, projectId, command);
  const key = keyOfAgent(agent);
  await context.agents.insert(agent);
  try {
    const { secret } = await createKey(context, key, { name: firstKeyName });
    return { agent, key: secret, unexecutedTools };
  } catch (error) {
    await context.agents.delete(key);
    context.log.warn({ err: error, agentId: agent._id }, "an agent was not hired, because it got no key");
    if (readRpcError(error).reason === Reason.UNAVAILABLE) throw error;
    throw rpcError(
      Reason.UNAVAILABLE,
      "The agent's key could not be created, so it was not hired. Try again.",
      {
        retryAfterMs: 1_000,
        cause: error,
      },
    );
  }
}

async function newAgent(
  { services, callFor, newId, clock }: WorkforceContext,
  projectId: string,
  { name, definition, computer, settings, capabilities, limits, input }: HireCommand,
): Promise<{ agent: AgentDocument; unexecutedTools: string[] }> {
  const options = () => callFor(projectId, { timeoutMs });
  const { fields, unexecutedTools } = await loadDefinition(services, definition, input, options);
  assertDeclared(fields.declared, [
    { path: "capabilities", capabilities },
    { path: "settings.capabilities", capabilities: settings.capabilities },
  ]);
  await assertRunnable(services, settings, "settings", options());
  const agent: AgentDocument = {
    _id: newId("agt"),
    projectId,
    name,
    ...fields,
    input: JSON.stringify(input),
    computer,
    paused: false,
    rev: 0,
    queue: [],
    current: null,
    lease: null,
    epoch: 0,
    settings,
    capabilities,
    limits,
    createdAt: new Date(clock.now()),
  };
  return { agent, unexecutedTools };
}
