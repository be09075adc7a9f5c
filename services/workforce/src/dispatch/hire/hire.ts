import { type HandlerContext, onBehalfOf, Reason, readRpcError, rpcError } from "@muster/rpc";
import type { WorkforceContext } from "../../context.ts";
import { assertDeclared } from "../../input/run-config.ts";
import { insertNamed } from "../../input/slug.ts";
import { type AgentDocument, keyOfAgent } from "../../store/agent-document.ts";
import { createKey } from "./agent-keys.ts";
import { assertRunnable } from "./assert-runnable.ts";
import { chooseComputer, createOwnMachine, sharedComputer } from "./choose-computer.ts";
import { loadDefinition } from "./definition.ts";
import type { HireCommand } from "./read-hire.ts";

const timeoutMs = 5_000;
const firstKeyName = "First key";

/** Stores a new agent and creates its first key. An agent without a key does not exist. */
export async function hire(
  context: WorkforceContext,
  call: HandlerContext,
  projectId: string,
  command: HireCommand,
): Promise<{ agent: AgentDocument; key: string; unexecutedTools: string[] }> {
  const { agent: unnamed, unexecutedTools } = await newAgent(context, projectId, command);
  const key = keyOfAgent(unnamed);
  await createOwnMachine(context, unnamed);
  const { definition, settings, capabilities, limits } = unnamed;
  const after = { name: unnamed.name, definition, settings, capabilities, limits };
  const hired = { projectId, target: unnamed._id };
  const audit = [context.auditEntry(call, "hire.create", { ...hired, after })];
  try {
    const { slug, name } = command;
    const naming = { slug, name, kind: "workforce agent" };
    const agent = await insertNamed({ ...unnamed, audit }, naming, context.agents.insert);
    // It may have been deleted meanwhile.
    if (agent.computer.id !== undefined) await sharedComputer(context, projectId, agent.computer.id);
    const { secret } = await createKey(context, key, { name: firstKeyName }, onBehalfOf(call));
    return { agent, key: secret, unexecutedTools };
  } catch (error) {
    const entry = context.auditEntry(call, "hire.delete", hired);
    await context.agents.markDeleted(key, new Date(context.clock.now()), entry);
    await context.computers.remove(projectId, key.agentId);
    const { reason } = readRpcError(error);
    if (reason === Reason.SLUG_TAKEN) throw error;
    context.log.warn({ err: error, agentId: key.agentId }, "an agent was not hired, because it got no key");
    if (reason === Reason.UNAVAILABLE || reason === Reason.INVALID_REQUEST) throw error;
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
  context: WorkforceContext,
  projectId: string,
  {
    name,
    managed,
    paused,
    definition,
    computer,
    settings,
    capabilities,
    limits,
    approvals,
    input,
  }: HireCommand,
): Promise<{ agent: AgentDocument; unexecutedTools: string[] }> {
  const { services, callFor, newId, clock } = context;
  const { offered, ...chosen } = await chooseComputer(context, projectId, computer);
  const options = () => callFor(projectId, { timeoutMs });
  const { fields, ...loaded } = await loadDefinition(services, definition, input, options);
  assertDeclared(fields.declared, [
    { path: "capabilities", capabilities },
    { path: "settings.capabilities", capabilities: settings.capabilities },
  ]);
  await assertRunnable(services, settings, "settings", options());
  const agent: AgentDocument = {
    _id: newId("agt"),
    projectId,
    name,
    ...(managed && { managed }),
    ...fields,
    input: JSON.stringify(input),
    computer: chosen.computer,
    paused,
    rev: 0,
    queue: [],
    current: null,
    lease: null,
    epoch: 0,
    settings,
    capabilities,
    limits,
    approvals,
    createdAt: new Date(clock.now()),
  };
  return { agent, unexecutedTools: loaded.unexecutedTools.filter((name) => !offered.includes(name)) };
}
