import type { HandlerContext } from "@connectrpc/connect";
import { Reason } from "@muster/proto/errors";
import { PromptTooLargeError } from "@muster/protocol";
import { rpcError } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { Execution } from "../driver/execution.ts";
import type { Effect, Input, Machine } from "../engine/index.ts";
import type { TriggerCommand } from "../input/trigger-command.ts";
import { tooLarge } from "../rpc/too-large.ts";
import { unavailable } from "../rpc/unavailable.ts";
import type { SessionKey } from "../store/moves.ts";
import { type SessionDocument, storedBytes } from "../store/session-document.ts";
import { type Acquired, acquire } from "./acquire.ts";
import { continueMachine } from "./continue-turn.ts";
import { startMachine } from "./start-turn.ts";

interface Prepared {
  machine: Machine;
  effects: Effect[];
}

/**
 * Locks the session and starts the execution, or refuses and leaves the session as it was. Whatever can be
 * refused is refused here, before anything is stored or sent.
 */
export async function begin(
  context: SessionsContext,
  key: SessionKey,
  command: TriggerCommand,
  call: HandlerContext,
): Promise<Execution> {
  assertTaking(context);
  const acquired = await acquire(context, key, call.signal);
  try {
    const { machine, effects } = await prepare(context, acquired.before, command, call);
    // A caller that is gone already wants nothing to start.
    if (!command.detached) call.signal.throwIfAborted();
    assertTaking(context);
    return launch(context, acquired, machine, effects);
  } catch (refusal) {
    await context.store.release(acquired.held, acquired.before.expiresAt);
    throw refusal instanceof PromptTooLargeError ? tooLarge(promptTooLarge) : refusal;
  }
}

const promptTooLarge = "A prompt of the agent becomes too large with this input.";

function assertTaking({ isDraining }: SessionsContext): void {
  if (isDraining()) throw unavailable("The service is stopping.");
}

async function prepare(
  context: SessionsContext,
  session: SessionDocument,
  command: TriggerCommand,
  call: HandlerContext,
): Promise<Prepared> {
  assertRoom(context, session, command);
  const program = await context.programs.pinned(session, call);
  const prepared =
    command.type === "start"
      ? first(startMachine(context, session, program, command), { type: "start" })
      : first(continueMachine(context, session, program, command), outcomesOf(command.results));
  await assertRunnable(context, prepared.effects);
  return prepared;
}

/** Rolling back makes room, so it is always let through. */
function assertRoom(
  { maxStateBytes }: SessionsContext,
  session: SessionDocument,
  command: TriggerCommand,
): void {
  if (command.type === "start" && command.rollbackAfterMessageId !== undefined) return;
  if (storedBytes(session) + command.bytes <= maxStateBytes) return;
  throw tooLarge("The session would become too large to store; roll it back or create a new one.");
}

/** The machine is pure: its first effects can be looked at before anything happens. */
function first(machine: Machine, input: Input): Prepared {
  return { machine, effects: machine.advance(input) };
}

function outcomesOf(results: Extract<TriggerCommand, { type: "continue" }>["results"]): Input {
  const outcomes = results.map(({ toolCallId, outcome }) => ({ toolCallId, outcome }));
  return { type: "tool-results", outcomes };
}

async function assertRunnable({ models }: SessionsContext, effects: Effect[]): Promise<void> {
  const last = effects.at(-1);
  if (last?.type !== "call-model") return;
  const resolved = await models.resolve(last.call.modelId);
  if (!resolved.ok) throw rpcError(Reason.MODEL_NOT_RUNNABLE, resolved.problem);
}

function launch(
  context: SessionsContext,
  { held, leaseUntilMs, before }: Acquired,
  machine: Machine,
  effects: Effect[],
): Execution {
  const maxStateBytes = context.maxStateBytes - Buffer.byteLength(before.input ?? "");
  const { earlySaveMs } = context.timings;
  const execution = new Execution(context, { held, machine, leaseUntilMs, maxStateBytes, earlySaveMs });
  context.executions.add(execution);
  context.leases.wake();
  void execution.run(effects);
  return execution;
}
