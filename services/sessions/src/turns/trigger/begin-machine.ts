import {
  beginTurn,
  type Conversation,
  type Machine,
  type MachineEnvironment,
  type RunSettings,
  type WorkerLibrary,
} from "@muster/engine";
import type { InteractiveProgram } from "@muster/language";
import { turnAfter } from "@muster/large-data";
import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import type { OpenedConversation } from "../../conversations/history/opened-conversation.ts";
import { checkedInput } from "../../input/checked-input.ts";
import { assertNewNames } from "../../input/dynamic-tools.ts";
import type { BeginCommand } from "../../input/trigger-command.ts";
import { loadInput } from "../../store/load-state.ts";
import type { Beginning, SessionDocument } from "../../store/session-document.ts";
import { keepTextOf } from "../../store/state-text.ts";

/** The machine of a new turn. Throws if the command does not match the session, which stays unchanged. */
export async function beginMachine(
  session: SessionDocument,
  opened: OpenedConversation,
  { program, workers }: { program: InteractiveProgram; workers: WorkerLibrary },
  command: BeginCommand,
  { executionId, beginning }: { executionId: string; beginning: Beginning },
  environment: MachineEnvironment,
): Promise<Machine> {
  const trigger = own(program.triggers, command.triggerName);
  if (trigger === undefined) throw unknownTrigger(program, command.triggerName);
  // A session keeps its version of the agent, so a newer client may send what only later versions declare.
  const triggerInput = checkedInput(trigger.input, command.input, {
    undeclared: "drop",
    within: command.within,
  });
  keepTextOf(triggerInput, command.input);
  await turnAfter(command.bytes);
  assertNewNames(program, command.dynamicTools, command.within);
  assertDeclared(program, command.run);
  await rollBack(opened, command);
  const { conversation, finalLength } = opened;
  return beginTurn(
    {
      program,
      workers,
      conversation,
      finalLength,
      executionId,
      sessionInput: await loadInput(session),
      triggerName: command.triggerName,
      triggerInput,
      ...(command.sender === undefined ? {} : { sender: command.sender }),
      dynamicTools: command.dynamicTools,
      ...(command.run === undefined ? {} : { run: command.run }),
      // Otherwise the turn could not begin again.
      isStoredFirst: beginning.command === undefined || hasNewWorkers(conversation, workers),
    },
    environment,
  );
}

/**
 * A process that began the turn again could find another version of a worker, whose first events are not those that
 * were sent.
 */
function hasNewWorkers({ workers: pinned = {} }: Conversation, workers: WorkerLibrary): boolean {
  return [...workers].some(([slug, worker]) => "program" in worker && !Object.hasOwn(pinned, slug));
}

function assertDeclared({ capabilities: declared }: InteractiveProgram, run: RunSettings | undefined): void {
  const unknown = Object.keys(run?.capabilities ?? {}).filter((slug) => !Object.hasOwn(declared, slug));
  if (unknown.length === 0) return;
  const message = "is not a capability that the agent declares";
  const issues = unknown.map((slug) => ({ path: `run.capabilities.${slug}`, message }));
  throw rpcError(Reason.CAPABILITY_NOT_DECLARED, `The agent declares no capability ${unknown[0]}.`, {
    issues,
  });
}

/** The engine closes a pause that is skipped or a turn left by a dead holder. */
async function rollBack(
  opened: OpenedConversation,
  { rollbackAfterMessageId: keep }: BeginCommand,
): Promise<void> {
  if (keep === undefined || (await opened.rollBack(keep))) return;
  throw rpcError(Reason.UNKNOWN_MESSAGE, `The session has no message ${keep}; nothing was removed.`);
}

function unknownTrigger(program: InteractiveProgram, name: string) {
  const known = Object.keys(program.triggers).join(", ");
  return rpcError(
    Reason.UNKNOWN_TRIGGER,
    `The agent has no trigger ${JSON.stringify(name)}; it has ${known}.`,
  );
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
