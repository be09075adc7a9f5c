import type { HandlerContext } from "@connectrpc/connect";
import type { Effect, Input, Machine, ModelCall } from "@muster/engine";
import { PromptTooLargeError } from "@muster/language";
import { turnAfter } from "@muster/large-data";
import { Reason } from "@muster/proto/errors";
import { lowestUsd, rpcError } from "@muster/rpc";
import { decimalOf } from "@muster/service/money";
import { type Asker, askerOf } from "../../agents/programs.ts";
import type { SessionsContext } from "../../context.ts";
import type { TurnHistory } from "../../conversations/history/turn-history.ts";
import type { Held } from "../../store/moves.ts";
import { tooLarge, unavailable } from "../../store/refusals/unavailable.ts";
import {
  type Fees,
  type Lease,
  type SessionDocument,
  sizeOf,
  storedBytes,
} from "../../store/session-document.ts";
import { frameText } from "../../store/state-text.ts";
import { CostMeter, SessionMeter } from "../../usage/session-usage.ts";
import type { ChargedTo } from "../../usage/spending-guard.ts";
import { type ChargedTurn, TurnLedger } from "../../usage/turn-ledger.ts";
import type { DriveOrder } from "../driver/drive-order.ts";
import { Execution } from "../driver/execution.ts";
import { ModelCalls } from "../driver/model-calls.ts";
import type { Persistence } from "../driver/once-there-is-space.ts";
import { CallFiles } from "../files/call-files.ts";
import type { FileOwner } from "../files/read-content.ts";
import type { CallOrigin } from "../remote/remote-calls.ts";
import { approvalDocuments, openCallDocument } from "./approval-documents.ts";

/** A machine that has had its first input. */
export interface BegunTurn
  extends Pick<DriveOrder, "machine" | "executionLog" | "history" | "modelCalls" | "remoteCalls"> {
  /** The machine's first effects. */
  effects: Effect[];
  /** The limit of the definition for the cost of an execution, in dollars. Absent: none. */
  definedMaxUsd?: number | undefined;
}

/**
 * Feeds a machine its first input. The machine is pure, so every refusal happens before anything is stored or sent.
 * Throws as `modelsFor` does, TOO_LARGE if a prompt becomes too large, SPENDING_LIMIT or USAGE_LIMIT if a model would be
 * called beyond a limit, or UNSUPPORTED_MEDIA_TYPE if the first model that is called cannot be sent a file of the user.
 * `chargedTo`: absent for turns that have no caller who could be refused.
 */
export async function takeFirstInput(
  context: SessionsContext,
  owner: FileOwner,
  machine: Machine,
  input: Input,
  chargedTo?: ChargedTo,
): Promise<BegunTurn> {
  const logged = context.logs.begin(machine);
  const effects = firstEffects(logged.machine, input);
  const modelCalls = await modelsFor(context, owner, effects);
  if (chargedTo !== undefined && callsIn(effects).length > 0) await assertWithinLimits(context, chargedTo);
  for (const call of callsIn(effects)) {
    const problem = await modelCalls.fileProblemOf(call);
    if (problem !== undefined) throw rpcError(Reason.UNSUPPORTED_MEDIA_TYPE, problem);
  }
  return { ...logged, effects, modelCalls };
}

/**
 * For the model calls that the effects end with, if any. Throws MODEL_NOT_RUNNABLE, or UNAVAILABLE if the project's own keys
 * cannot be read.
 */
export async function modelsFor(
  { models, projectSettings, fileDelivery, turnMetrics }: SessionsContext,
  owner: FileOwner,
  effects: readonly Effect[],
): Promise<ModelCalls> {
  const modelCalls = new ModelCalls(
    models,
    () => projectSettings.keysOf(owner.projectId),
    () => new CallFiles(fileDelivery, owner),
    (modelId) => turnMetrics?.call(modelId).unused(),
  );
  for (const { modelId } of callsIn(effects)) {
    const problem = await modelCalls.problemOf(modelId);
    if (problem !== undefined) throw rpcError(Reason.MODEL_NOT_RUNNABLE, problem);
  }
  return modelCalls;
}

function callsIn(effects: readonly Effect[]): ModelCall[] {
  return effects.flatMap((effect) => (effect.type === "call-model" ? effect.call : []));
}

async function assertWithinLimits({ spending }: SessionsContext, chargedTo: ChargedTo): Promise<void> {
  const outcome = await spending.reached(chargedTo);
  if (outcome === undefined) return;
  const { whose, reached } = outcome;
  const who = whose === "key" ? "The key" : whose === "subject" ? "The subject" : "The project";
  const remedy = "Raise the limit, or wait for the next month (UTC).";
  throw reached === "spending-limit"
    ? rpcError(Reason.SPENDING_LIMIT, `${who} has reached its spending limit for this month. ${remedy}`)
    : rpcError(Reason.USAGE_LIMIT, `${who} has reached its limit of tokens for this month. ${remedy}`);
}

/** Throws TOO_LARGE if a prompt becomes too large. */
export function firstEffects(machine: Machine, input: Input): Effect[] {
  try {
    return machine.advance(input);
  } catch (error) {
    if (!(error instanceof PromptTooLargeError)) throw error;
    throw tooLarge("With this input, one of the agent's prompts becomes too large.");
  }
}

/** Throws UNAVAILABLE if no new execution may begin. */
export function assertTaking({ draining }: Pick<SessionsContext, "draining">): void {
  if (draining.aborted) throw unavailable("The service is stopping.");
}

type Given = Pick<
  DriveOrder,
  "held" | "bytes" | "reportsUsage" | "sessionMeter" | "ledger" | "keyId" | "maxUsd"
>;

/** A turn's place, and what its execution cannot learn from the machine. */
export interface TurnToDrive extends Given {
  call: HandlerContext | Asker;
  /** The session when the turn found it. */
  session: Pick<
    SessionDocument,
    "agentId" | "agentVersion" | "subject" | "input" | "pendingEvents" | "earlierEvents" | "workforce"
  >;
  lease: Pick<Lease, "until">;
  /** Absent: that of sessions. */
  persistence?: Persistence;
  /** The fees of the execution so far. */
  fees?: Fees | undefined;
  /** Where the events of an adopted turn continue. Absent: they begin. */
  from?: { run: number; first: number };
}

/** Drives a begun turn in the background. The execution owns its lease and releases it. */
export function drive(
  context: SessionsContext,
  turn: TurnToDrive,
  { effects, definedMaxUsd, ...begun }: BegunTurn,
): Execution {
  const { call, session, lease, fees, from, ...rest } = turn;
  const { held, persistence = context.persistence } = turn;
  const { executionId } = begun.machine.frame;
  const { projectId, sessionId, epoch } = held;
  const { run, first } = from ?? { run: epoch, first: 1 };
  const key = { projectId, sessionId, executionId, run };
  const asking = { ...session, _id: sessionId, projectId };
  const execution = new Execution(context, {
    ...rest,
    ...begun,
    persistence,
    maxUsd: lowestUsd(turn.maxUsd, definedMaxUsd === undefined ? undefined : decimalOf(definedMaxUsd)),
    requestId: askerOf(call).requestId,
    place: placeOf(session, held, executionId),
    requestApprovals: async (requested) => {
      const nowMs = context.clock.now();
      const decidable = requested.filter(({ isOpen }) => !isOpen);
      const documents = approvalDocuments(asking, begun.machine.frame, decidable, nowMs);
      if (documents.length > 0) await context.approvals.insert(documents);
      if (decidable.length < requested.length) await context.approvals.wakeOpen(key, new Date(nowMs));
    },
    // Executions of workers wait for their callers only.
    ...(persistence.keeps !== "pauses" && {
      keepOpen: (accepted) =>
        context.approvals.insert([openCallDocument(asking, executionId, accepted, context.clock.now())]),
    }),
    leaseUntilMs: lease.until.getTime(),
    meter: new CostMeter(context.catalog, fees),
    maxStateBytes: context.maxStateBytes - Buffer.byteLength(session.input ?? ""),
    earlySaveMs: context.timings.earlySaveMs,
    turnEnds: context.turnEnds,
    metrics: context.turnMetrics,
    // Readers can join turns of sessions. A worker's caller sends its request again instead.
    ...(persistence.keeps !== "pauses" && {
      eventLog: context.eventLogs.open(key, first),
      displaced: context.eventLogs.displace(session, key),
    }),
  });
  begun.executionLog?.open({ held: { ...held, agentId: session.agentId }, executionId });
  context.executions.add(execution);
  context.leases.wake();
  void execution.run(effects);
  return execution;
}

/** Threads are known by their own id, and their session is not. */
function placeOf(
  { agentId, subject, workforce }: TurnToDrive["session"],
  { projectId, sessionId }: TurnToDrive["held"],
  executionId: string,
): CallOrigin {
  const of = subject === undefined ? {} : { subject };
  if (workforce === undefined)
    return { projectId, executionId, agentId, sessionId, ...of, fileOwnerId: sessionId };
  const { threadId } = workforce;
  const thread = threadId === undefined ? {} : { threadId };
  return { projectId, executionId, agentId: workforce.agentId, ...thread, fileOwnerId: workforce.agentId };
}

/** How often a turn may store its input before anything else: in its frame, and in every message made from it. */
const maxCopies = 8;

/**
 * Refuses a turn whose first write would be too large. Only turns with much input are measured: the others are far from
 * the limit, or their session is full already.
 */
export async function assertFits(
  { maxStateBytes }: Pick<SessionsContext, "maxStateBytes">,
  session: SessionDocument,
  commandBytes: number,
  { machine }: Pick<BegunTurn, "machine">,
  history: TurnHistory,
): Promise<void> {
  if (storedBytes(session) + maxCopies * commandBytes <= maxStateBytes) return;
  await turnAfter(commandBytes);
  const { frame, conversation } = machine;
  const { fields } = history.snapshot(conversation);
  const execution = { id: frame.executionId, state: "running", frame: frameText(frame) } as const;
  const bytes = sizeOf({ ...fields, execution }) + Buffer.byteLength(session.input ?? "");
  // The first write makes the same text, which has to wait for another tick.
  await turnAfter(bytes);
  if (bytes - history.waitingBytes() <= maxStateBytes) return;
  throw tooLarge(
    "The turn would be too large to store, because its input is stored with the turn and in the messages made from it; send less input.",
  );
}

type Metering = Pick<DriveOrder, "sessionMeter" | "ledger" | "keyId" | "maxUsd">;

/** Adds up what a turn uses. `session`: before the turn's lease was taken. */
export async function meteringOf(
  context: SessionsContext,
  session: SessionDocument,
  { epoch }: Pick<Held, "epoch">,
  { options = { detached: false, reportsUsage: false } }: Pick<Lease, "options">,
  executionId: string,
): Promise<Metering> {
  const { _id: sessionId, projectId, lease: left, usage, workforce, agentId } = session;
  const { keyId, limits } = options;
  const metering = ledgerOf(context, {
    ...payerOf(session, keyId),
    ...{ agentId, sessionId, executionId, epoch },
    ...(workforce !== undefined && { workforceAgentId: workforce.agentId }),
    ...(limits !== undefined && { limits }),
  });
  // A process that has died may have recorded calls that its session lacks.
  const isBehind = workforce !== undefined && left !== null;
  const stored = isBehind ? await context.usage.usageOf({ projectId, sessionId }) : usage;
  // A continuation can only lower the limit.
  const { id, maxUsd } = session.execution ?? {};
  const limit = lowestUsd(options.maxUsd, id === executionId ? maxUsd : undefined);
  return { ...metering, maxUsd: limit, sessionMeter: new SessionMeter(stored) };
}

/** The owners that a session's use counts for. */
export function payerOf(
  { projectId, subject }: { projectId: string; subject?: string | undefined },
  keyId: string | undefined,
): ChargedTo {
  return {
    projectId,
    ...(keyId !== undefined && { keyId }),
    ...(subject !== undefined && { subject }),
  };
}

/** Records and limits what a turn uses. */
export function ledgerOf(
  { usage: ledger, spending: guard, clock, catalog }: SessionsContext,
  turn: ChargedTurn,
): Pick<Metering, "ledger" | "keyId"> {
  return { ledger: new TurnLedger({ ledger, guard, clock, catalog }, turn), keyId: turn.keyId };
}
