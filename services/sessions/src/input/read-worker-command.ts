import type { DynamicTool } from "@muster/engine";
import type { JsonValue } from "@muster/language";
import type { ContinueWorker, ExecuteWorkerRequest, StartWorker } from "@muster/proto/sessions";
import { type CallPrincipal, checkSubject, checkUsd, Issues, subjectFor } from "@muster/rpc";
import type { AgentName } from "../agents/programs.ts";
import { readDynamicTools } from "./dynamic-tools.ts";
import { type GivenResult, readToolResults } from "./tool-results.ts";
import { bytesOfResults } from "./trigger-command.ts";
import { checkId, readObject } from "./values.ts";

/** A well-formed command of a caller. */
export type WorkerCommand = BeginWorkerCommand | ContinueWorkerCommand;

export interface BeginWorkerCommand {
  type: "start";
  agent: AgentName;
  input: Record<string, JsonValue>;
  dynamicTools: DynamicTool[];
  /** The most that the execution may cost. Absent: no limit. */
  maxUsd?: string;
  /** For whom the execution is. Absent: for none. */
  subject?: string;
}

export interface ContinueWorkerCommand {
  type: "continue";
  agent: AgentName;
  executionId: string;
  results: GivenResult[];
  /** The minimum number of bytes that the results add to the execution. */
  bytes: number;
}

/** Throws INVALID_REQUEST with every issue, or FORBIDDEN for the subject. */
export async function readWorkerCommand(
  { agent, command }: ExecuteWorkerRequest,
  caller: CallPrincipal,
): Promise<WorkerCommand> {
  const issues = new Issues();
  const name = readAgent(issues, agent);
  const read = await readCommand(issues, command, caller);
  issues.refuse();
  if (name === undefined || read === undefined)
    throw new Error("A command is incomplete but was not refused");
  return { agent: name, ...read };
}

function readAgent(issues: Issues, agent: ExecuteWorkerRequest["agent"]): AgentName | undefined {
  checkId(issues, "agent", agent.value ?? "");
  switch (agent.case) {
    case "agentId":
      return { agentId: agent.value };
    case "agentSlug":
      return { slug: agent.value };
    case undefined:
      return undefined;
    default:
      return agent satisfies never;
  }
}

async function readCommand(issues: Issues, command: ExecuteWorkerRequest["command"], caller: CallPrincipal) {
  switch (command.case) {
    case "start":
      return readBeginning(issues, command.value, caller);
    case "continue":
      return readContinuation(issues, command.value);
    case undefined:
      issues.add("type", "must be start or continue");
      return undefined;
    default:
      return command satisfies never;
  }
}

async function readBeginning(
  issues: Issues,
  { inputJson, dynamicTools, maxUsd, subject: given }: StartWorker,
  caller: CallPrincipal,
): Promise<Omit<BeginWorkerCommand, "agent">> {
  checkSubject(issues, given);
  const subject = subjectFor(caller, given);
  checkUsd(issues, "maxUsd", maxUsd);
  return {
    type: "start",
    ...(maxUsd !== undefined && { maxUsd }),
    ...(subject !== undefined && { subject }),
    input: await readObject(issues, "input", inputJson),
    dynamicTools: readDynamicTools(issues, dynamicTools),
  };
}

async function readContinuation(
  issues: Issues,
  { executionId, toolResults }: ContinueWorker,
): Promise<Omit<ContinueWorkerCommand, "agent">> {
  checkId(issues, "executionId", executionId);
  const results = await readToolResults(issues, toolResults);
  return { type: "continue", executionId, results, bytes: bytesOfResults(toolResults) };
}
