import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ComputerState } from "@muster/computers";
import type { AgentSchema, HiredAgentSchema } from "@muster/proto/workforce";
import { limitsMessage } from "@muster/rpc";
import { revisionOf } from "@muster/store";
import type { WorkforceContext } from "../context.ts";
import { slugOf } from "../input/slug.ts";
import { type AgentDocument, ownerOf } from "../store/agent-document.ts";
import type { StoredRunConfig } from "../store/run-config.ts";
import { type FindReachedLimit, reachedLimitsIn } from "./check-limits.ts";
import { capabilitiesOf } from "./effective-config.ts";
import { holderOf, type Occupation, occupationOf } from "./occupied.ts";

/** Why an agent cannot begin a run now. */
type UnavailableReason = "paused" | "computer_down" | "cli_only" | "limit_reached";

/** An agent as its callers see it. `unavailable` outranks `busy`. */
export async function showAgent(
  context: WorkforceContext,
  agent: AgentDocument,
  findLimit = reachedLimitsIn(context, agent.projectId),
): Promise<MessageInitShape<typeof AgentSchema>> {
  const occupation = await occupationOf(context, agent);
  const { currentThreadId, waiting } = holderOf(agent, occupation);
  const state = await computerState(context, agent, occupation);
  const unavailable = unavailableReason(agent, state) ?? (await limitReason(agent, findLimit));
  const available = currentThreadId === undefined ? "idle" : "busy";
  return {
    id: agent._id,
    name: agent.name,
    status: unavailable === undefined ? available : "unavailable",
    ...(unavailable !== undefined && { unavailableReason: unavailable }),
    ...(currentThreadId !== undefined && { currentThreadId }),
    queuedThreads: waiting.length,
    computer: { id: "", ...agent.computer, state },
    ...hiredFrom(agent),
    capabilities: capabilitiesOf(agent),
  };
}

/** An agent with everything that was set for it. */
export async function showHiredAgent(
  context: WorkforceContext,
  agent: AgentDocument,
  findLimit?: FindReachedLimit,
): Promise<MessageInitShape<typeof HiredAgentSchema>> {
  const { projectId, paused, settings, limits, approvals = {}, createdAt, definition } = agent;
  return {
    agent: await showAgent(context, agent, findLimit),
    projectId,
    paused,
    settings: showConfig(settings),
    limits: limitsMessage(limits),
    approvals,
    createdAt: timestampFromDate(createdAt),
    definitionId: definition.slug === undefined ? definition.agentId : "",
    definitionVersion: definition.version,
    ...{ slug: slugOf(agent), revision: revisionOf(agent), managed: agent.managed ?? false },
    inputJson: agent.input,
  };
}

export function showConfig({ capabilities = {}, ...config }: StoredRunConfig) {
  return { ...config, capabilities };
}

export function hiredFrom({ definition: { slug, version } }: Pick<AgentDocument, "definition">) {
  return slug === undefined ? {} : { hiredFrom: { slug, version } };
}

/** A sandbox is created by the first run and keeps its files. Other computers dial in. */
async function computerState(
  { computers }: Pick<WorkforceContext, "computers">,
  agent: AgentDocument,
  { current }: Occupation,
): Promise<ComputerState> {
  const { computer, epoch } = agent;
  if (computer.kind !== "sandbox") return await computers.stateOf(ownerOf(agent));
  if (current !== undefined) return "running";
  return epoch === 0 ? "none" : "paused";
}

function unavailableReason(
  { paused, computer }: AgentDocument,
  state: ComputerState,
): UnavailableReason | undefined {
  if (paused) return "paused";
  if (computer.kind === "cli" && state === "none") return "cli_only";
  return state === "down" ? "computer_down" : undefined;
}

/** While a service that knows the limits does not respond, the agent is shown without them. */
async function limitReason(
  agent: AgentDocument,
  findLimit: FindReachedLimit,
): Promise<UnavailableReason | undefined> {
  const limit = await findLimit(agent).catch(() => undefined);
  return limit && "limit_reached";
}
