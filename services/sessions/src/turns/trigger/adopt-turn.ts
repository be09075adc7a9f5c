import type { HandlerContext } from "@connectrpc/connect";
import type { Effect, Frame, Machine, OpenCall } from "@muster/engine";
import { endOf, lineOf } from "@muster/store/event-log";
import type { Asker } from "../../agents/programs.ts";
import type { SessionsContext } from "../../context.ts";
import type { TurnHistory } from "../../conversations/history/turn-history.ts";
import { fromStored, readTriggerCommand } from "../../input/trigger-command.ts";
import type { Held } from "../../store/moves.ts";
import { type Fees, fileOwnerOf, type SessionDocument, storedBytes } from "../../store/session-document.ts";
import type { NewLease } from "../../store/session-leases.ts";
import { loadFrame } from "../../store/state-text.ts";
import type { RunKey } from "../../store/turn-events.ts";
import { newLease } from "../begin/acquire.ts";
import { assertTaking, type BegunTurn, drive, firstEffects, meteringOf, modelsFor } from "../begin/drive.ts";
import { liveEnvironment, withProjectSettings } from "../begin/turn-environment.ts";
import type { Execution } from "../driver/execution.ts";
import { type AbandonedTurn, maxAdoptions } from "../follow/abandoned-turn.ts";
import { fenceEvents, type KnownEvents, pendingLines } from "../follow/fence-events.ts";
import { interrupted } from "../follow/refusals.ts";
import type { RemoteCalls } from "../remote/remote-calls.ts";
import { encodeEvent } from "../stream/event-queue.ts";
import { continueMachine, loadTurn, readingOf } from "./load-turn.ts";

/**
 * Continues a turn whose process died or stopped from the beginning of its model call, or ends it with an error if that has been
 * tried too often. Does nothing if another instance is faster.
 * After a failure, the turn can still be adopted.
 */
export async function adoptTurn(
  context: SessionsContext,
  turn: AbandonedTurn,
  call: HandlerContext | Asker,
): Promise<void> {
  assertTaking(context);
  const nowMs = context.clock.now();
  const { executionId, run } = turn.run;
  const lease = { ...newLease(context, nowMs), executionId, run };
  const expiresAt = context.persistence.expiry.held(nowMs);
  const taken = await context.store.adopt(turn.from, lease, expiresAt, new Date(nowMs));
  if (taken === undefined) return;
  const { before, held } = taken;
  let isRunning = false;
  try {
    const execution = await driveAdopted(context, turn, before, held, lease, call);
    if (execution === undefined) return;
    isRunning = true;
    bind(execution, before, "signal" in call ? call.signal : undefined);
  } finally {
    if (!isRunning) await context.store.abandon(held, before.lease ?? {});
  }
}

/** Undefined: the events of the turn have their end already. */
async function driveAdopted(
  context: SessionsContext,
  turn: AbandonedTurn,
  session: SessionDocument,
  held: Held,
  lease: NewLease,
  call: HandlerContext | Asker,
): Promise<Execution | undefined> {
  const adopted = await adoptedTurn(context, session, turn, call);
  const { run } = turn;
  const first = await fenceEvents(context, run, adopted.events, session.lease?.handedOver);
  if (first === undefined) return undefined;
  const begun = await repeatCalls(context, session, adopted, first - 1);
  const { bytes, fees } = adopted;
  const metering = await meteringOf(context, session, held, session.lease ?? {}, run.executionId);
  const reportsUsage = session.lease?.options?.reportsUsage ?? false;
  const from = { run: run.run, first };
  return drive(context, { call, session, held, lease, bytes, fees, ...metering, reportsUsage, from }, begun);
}

/** The reader that adopts a turn takes the place of the one that triggered it; it reads from the turn's log. */
function bind(execution: Execution, { lease }: SessionDocument, signal: AbortSignal | undefined): void {
  execution.events.abandon();
  if (lease?.cancelRequested) execution.stop("cancelled");
  if ((lease?.adoptions ?? 0) >= maxAdoptions) execution.stop("adopted-too-often");
  if (lease?.options?.detached || signal === undefined) return;
  const leave = () => execution.stop("disconnected");
  signal.addEventListener("abort", leave, { once: true });
  void execution.freed.then(() => signal.removeEventListener("abort", leave));
  if (signal.aborted) leave();
}

/** A turn whose process died, at the beginning of the model call in flight, or at its end if it calls no model. */
interface AdoptedTurn {
  /** The events as the dead process had sent them; the store may lack some. */
  events: KnownEvents;
  /** Without events. */
  effects: Effect[];
  machine: Machine;
  logged: Pick<BegunTurn, "machine" | "executionLog">;
  remoteCalls: RemoteCalls | undefined;
  /** The turn begins again: no call has been made. */
  isUnsent: boolean;
  /** The log has the beginning of the turn, and will have that of the step. */
  isLogged: boolean;
  history: TurnHistory;
  definedMaxUsd: number | undefined;
  /** The fees of the execution so far. */
  fees: Fees | undefined;
  bytes: number;
}

/** `session`: its state when it was adopted. Throws if this instance cannot run the turn. */
async function adoptedTurn(
  context: SessionsContext,
  session: SessionDocument,
  turn: AbandonedTurn,
  call: HandlerContext | Asker,
): Promise<AdoptedTurn> {
  return session.lease?.beginning === undefined
    ? fromFrame(context, session, turn.run, call)
    : fromBeginning(context, session, turn, call);
}

/** Nothing was stored since the turn began: it begins again, from the same document. */
async function fromBeginning(
  context: SessionsContext,
  session: SessionDocument,
  { run, from, command: stored }: AbandonedTurn,
  call: HandlerContext | Asker,
): Promise<AdoptedTurn> {
  const { beginning, options } = session.lease ?? {};
  if (beginning === undefined || stored === undefined || options === undefined) throw interrupted();
  const command = await readTriggerCommand(fromStored(session._id, stored, options));
  if (stored.run !== undefined) command.run = JSON.parse(stored.run);
  const { execution, pendingEvents } = session;
  const isDecided = command.type === "continue" && execution?.state === "asking";
  if (isDecided) command.isDecided = true;
  // The events of a turn that asked continue its run.
  const isContinued = isDecided && pendingEvents?.run === run.run;
  const { executionId } = run;
  const turn = await loadTurn(context, session, command, { executionId, beginning }, call);
  const { machine, input, environment, history, definedMaxUsd } = turn;
  const wasLogged = await context.logs.store.hasRun(session, from.epoch);
  const logged = context.logs.begin(machine);
  const effects = firstEffects(wasLogged ? machine : logged.machine, input);
  environment.goLive();
  const lines = effects.flatMap((effect) => {
    if (effect.type !== "emit") return [];
    return lineOf({ type: effect.event.type, json: encodeEvent(effect.event) });
  });
  return {
    events: { first: isContinued ? endOf(pendingEvents) + 1 : 1, lines },
    effects: effects.filter(({ type }) => type !== "emit" && type !== "note"),
    ...{ machine, logged, isLogged: !wasLogged, history },
    ...{ remoteCalls: environment.remote, isUnsent: true, definedMaxUsd },
    fees: command.type === "continue" ? session.execution?.fees : undefined,
    bytes: storedBytes(session) + command.bytes,
  };
}

/** The turn was stored at the beginning of the step in flight, or during the step. */
async function fromFrame(
  context: SessionsContext,
  session: SessionDocument,
  run: RunKey,
  call: HandlerContext | Asker,
): Promise<AdoptedTurn> {
  const { execution, pendingEvents } = session;
  if (execution?.state !== "running" || execution.id !== run.executionId) throw interrupted();
  const frame = await loadFrame(execution);
  if (frame.phase !== "model" && frame.phase !== "parked") throw interrupted();
  const program = await context.programs.pinned(session, "interactive", call);
  const reading = readingOf(program, frame.triggerName);
  const opened = await context.histories.open(session, reading);
  const given = { projectId: session.projectId, program, dynamicTools: frame.dynamicTools };
  const environment = await withProjectSettings(context, given, liveEnvironment(context));
  const machine = await continueMachine(context, session, opened, program, frame, environment, call);
  return {
    events: pendingEvents?.run === run.run ? pendingLines(pendingEvents) : { first: 1, lines: [] },
    effects: [],
    ...{ machine, logged: context.logs.begin(machine), isLogged: false, history: opened.history },
    ...{ remoteCalls: environment.remote, isUnsent: false, definedMaxUsd: program.maxUsd },
    fees: execution.fees,
    bytes: storedBytes(session),
  };
}

/** `lostEvents`: at least as many events may have been sent. */
async function repeatCalls(
  context: SessionsContext,
  session: SessionDocument,
  { machine, logged, isLogged, isUnsent, effects: first, history, remoteCalls, definedMaxUsd }: AdoptedTurn,
  lostEvents: number,
): Promise<BegunTurn> {
  const owner = fileOwnerOf(session);
  const begun = { ...logged, history, remoteCalls, definedMaxUsd };
  const last = first.at(-1);
  if (last?.type === "end")
    return { ...begun, effects: first, modelCalls: await modelsFor(context, owner, first) };
  const open = isUnsent ? {} : { open: await openCallsOf(context, session, machine.frame) };
  const input = { type: "repeat-calls", lostEvents, isUnsent, ...open } as const;
  const again = firstEffects(isLogged ? machine : logged.machine, input);
  const effects = [...first.filter(({ type }) => type === "save"), ...again];
  return { ...begun, effects, modelCalls: await modelsFor(context, owner, effects) };
}

/** The calls of the turn that services have accepted, perhaps without the knowledge of the process that died. */
async function openCallsOf(
  { approvals }: SessionsContext,
  { projectId, _id: sessionId }: SessionDocument,
  { executionId, remoteCalls, workers = [] }: Frame,
): Promise<Map<string, OpenCall>> {
  const waits = [remoteCalls, ...workers.map(({ frame }) => frame.remoteCalls)].some(Boolean);
  const found = waits ? await approvals.ofTurn({ projectId, sessionId, executionId }) : [];
  return new Map(
    found.flatMap(({ _id: callId, toolCallId, openCall, expiresAt }) =>
      openCall === undefined
        ? []
        : [[toolCallId, { type: "open", callId, expiresAt: expiresAt.toISOString() }]],
    ),
  );
}
