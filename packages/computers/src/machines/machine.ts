import { setTimeout } from "node:timers/promises";
import type { Outcome, Output } from "@muster/proto/computer-frames";
import { ClaimStopped } from "@muster/service/claim";
import type { CallOutcome, ComputerCall, ComputerTool, OutputChunk } from "../computer.ts";
import { ComputerElsewhereError, ComputerUnreachableError, StaleEpochError } from "../errors.ts";
import { isElsewhere, type MachineContext } from "./context.ts";
import type { FileTransfers } from "./file-transfers.ts";
import { encodeFrame, goodbyeFrame } from "./frames.ts";
import { MachineCall } from "./machine-call.ts";
import type { CallId, MachineDocument, MachineKey, MachineReport } from "./machine-document.ts";
import type { Outgoing } from "./outgoing.ts";

/** A connection that was accepted. */
export interface MachineConnection {
  epoch: number;
  /** The epoch of the latest connection that the computer remembers. It knows nothing of calls that came with later ones. */
  epochBefore: bigint;
  /** {@link MachineDocument.forgotAt}; 0 if there was none. */
  forgotAt: number;
  /** Calls that are killed: the runs that asked for them have given them up. */
  abandoned: readonly CallId[];
  report: MachineReport;
  tools: readonly ComputerTool[];
  outgoing: Outgoing;
  files: FileTransfers;
}

/**
 * A computer that dials in, as one process knows it: its connection, if it has one here, and the calls that have no outcome
 * yet. They stay while the connection is lost, and are sent again on the next one.
 */
export class Machine {
  readonly key: MachineKey;
  isClosed = false;
  readonly #context: MachineContext;
  readonly #calls = new Map<string, MachineCall>();
  /** The stored ones that are being killed. */
  readonly #abandoned = new Set<string>();
  /** The epoch of the newest run of each agent here. */
  readonly #epochs = new Map<string, number>();
  #connection: MachineConnection | undefined;
  #latestEpoch = 0;
  #changed = Promise.withResolvers<void>();
  #wait: Promise<void> | undefined;

  constructor(context: MachineContext, key: MachineKey) {
    this.#context = context;
    this.key = key;
  }

  get connection(): MachineConnection | undefined {
    return this.#connection;
  }

  /** The epoch of the latest connection here. */
  get latestEpoch(): number {
    return this.#latestEpoch;
  }

  /** The newest connection has the computer. */
  attach(connection: MachineConnection): void {
    const { outgoing, epoch, abandoned } = connection;
    const before = this.#connection;
    if (before !== undefined && before.epoch > epoch) {
      outgoing.end(goodbyeFrame("superseded"));
      return;
    }
    if (before !== undefined) this.#drop(before, goodbyeFrame("superseded"));
    this.#connection = connection;
    this.#latestEpoch = epoch;
    for (const call of this.#calls.values()) {
      if (hasForgotten(connection, call)) this.#settle(call, { case: "unknown", value: true });
      else outgoing.send(call.frame(epoch));
    }
    this.#kill(abandoned);
    this.#wake();
  }

  detach(connection: MachineConnection, farewell?: Uint8Array): void {
    if (this.#connection === connection) this.#connection = undefined;
    this.#drop(connection, farewell);
    if (this.#connection === undefined) {
      this.#wake();
      if (this.#calls.size > 0) this.#lost().catch(() => undefined);
    }
  }

  /** Throws {@link StaleEpochError} if a newer run has the agent's computer. */
  claim(agentId: string, epoch: number): void {
    if (epoch < (this.#epochs.get(agentId) ?? 0)) throw new StaleEpochError(agentId, epoch);
    this.#epochs.set(agentId, epoch);
  }

  async execute(
    { agentId, agentName }: { agentId: string; agentName: string },
    call: ComputerCall,
    output: (chunk: OutputChunk) => void,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    signal.throwIfAborted();
    const pending = this.#pending(agentId, agentName, call);
    pending.readers.add(output);
    const left = Promise.withResolvers<never>();
    const leave = () => {
      // A process that has lost the run leaves its call to the next one.
      const isLost = signal.reason instanceof ClaimStopped && signal.reason.stop === "lost";
      if (!isLost) this.#abort(pending);
      left.reject(signal.reason);
    };
    signal.addEventListener("abort", leave);
    try {
      return await Promise.race([pending.outcome, left.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
      pending.readers.delete(output);
    }
  }

  /**
   * Resolves when nothing of the call is left, or the computer has been away for too long: then it is killed on its return. A
   * computer that is there and does not say that it has killed it is not waited for longer.
   */
  async abort(agentId: string, callId: string, epoch: number): Promise<void> {
    const call = { id: callId, name: "", args: {}, epoch };
    const pending = this.#calls.get(idOf(agentId, callId)) ?? new MachineCall(agentId, "", call);
    this.#calls.set(idOf(agentId, callId), pending);
    this.#abort(pending);
    const ended = new AbortController();
    const late = setTimeout(this.#context.timings.waitMs, undefined, { signal: ended.signal, ref: false });
    await Promise.race([pending.outcome, late]).catch(() => undefined);
    ended.abort();
    late.catch(() => undefined);
    const isUnanswered = this.#calls.get(idOf(agentId, callId)) === pending && this.#connection !== undefined;
    if (isUnanswered) this.#settle(pending, { case: "unknown", value: true });
  }

  async abortAll(agentId: string): Promise<void> {
    const calls = [...this.#calls.values()].filter((call) => call.agentId === agentId);
    await Promise.all(calls.map(({ call }) => this.abort(agentId, call.id, call.epoch)));
  }

  /** The connection, as soon as there is one. Rejects as a call does. */
  async connected(signal: AbortSignal): Promise<MachineConnection> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#connection !== undefined) return this.#connection;
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      const abort = () => reject(signal.reason);
      signal.addEventListener("abort", abort);
      await Promise.race([this.#lost(), aborted]).finally(() => signal.removeEventListener("abort", abort));
    }
  }

  output({ key, stream, text, atMs }: Output): void {
    if (key === undefined || text === "" || (stream !== "stdout" && stream !== "stderr")) return;
    const pending = this.#calls.get(idOf(key.agentId, key.callId));
    pending?.output({ stream, text: text.toWellFormed(), atMs });
  }

  /** An outcome that is not expected is acknowledged as well, or it would arrive with each connection. */
  outcome({ key, outcome }: Outcome): void {
    if (key === undefined || outcome.case === undefined) return;
    const { agentId, callId } = key;
    this.#connection?.outgoing.send(encodeFrame({ case: "ack", value: { key: { agentId, callId } } }));
    const pending = this.#calls.get(idOf(agentId, callId));
    if (pending !== undefined) this.#settle(pending, outcome);
    if (this.#abandoned.delete(idOf(agentId, callId))) this.#forget({ agentId, callId });
  }

  /** The computer connects to another process, and runs that wait for it continue there. */
  close(): void {
    this.isClosed = true;
    if (this.#connection !== undefined) this.detach(this.#connection, goodbyeFrame("stopping"));
    void this.#giveUp(new ComputerElsewhereError());
  }

  #pending(agentId: string, agentName: string, call: ComputerCall): MachineCall {
    this.claim(agentId, call.epoch);
    const id = idOf(agentId, call.id);
    const known = this.#calls.get(id);
    if (known !== undefined && known.call.epoch === call.epoch) return known;
    const pending = new MachineCall(agentId, agentName, call);
    this.#calls.set(id, pending);
    if (known !== undefined) pending.sentOn = known.sentOn;
    known?.fail(new StaleEpochError(agentId, known.call.epoch));
    this.#send(pending);
    return pending;
  }

  #send(call: MachineCall): void {
    const connection = this.#connection;
    if (connection === undefined) this.#lost().catch(() => undefined);
    else if (call.sentOn === 0 && hasForgotten(connection, call))
      this.#settle(call, { case: "unknown", value: true });
    else connection.outgoing.send(call.frame(connection.epoch));
  }

  #abort(call: MachineCall): void {
    if (call.isAborting) return;
    call.isAborting = true;
    this.#send(call);
  }

  #settle(call: MachineCall, outcome: Outcome["outcome"]): void {
    this.#calls.delete(idOf(call.agentId, call.call.id));
    call.settle(outcome);
  }

  #drop({ outgoing, files }: MachineConnection, farewell?: Uint8Array): void {
    outgoing.end(farewell);
    files.close();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  /** Waits until the computer connects here. Rejects, and all calls with it, if it connects elsewhere or stays away. */
  #lost(): Promise<void> {
    this.#wait ??= this.#waitForConnection().finally(() => {
      this.#wait = undefined;
    });
    return this.#wait;
  }

  async #waitForConnection(): Promise<void> {
    const { timings, nowMs } = this.#context;
    const sinceMs = nowMs();
    while (this.#connection === undefined) {
      const problem = await this.#findProblem(nowMs() - sinceMs > timings.waitMs);
      if (this.#connection !== undefined) return;
      if (problem !== undefined) {
        await this.#giveUp(problem);
        throw problem;
      }
      await Promise.race([this.#changed.promise, setTimeout(timings.lookEveryMs, undefined, { ref: false })]);
    }
  }

  async #findProblem(isOver: boolean): Promise<Error | undefined> {
    const { store, log } = this.#context;
    const away = new ComputerUnreachableError("The connection to the computer was lost.");
    try {
      const found = await store.find(this.key);
      if (found === null) return new ComputerUnreachableError("The computer no longer exists.");
      if (isElsewhere(this.#context, found)) return new ComputerElsewhereError();
    } catch (error) {
      log.warn({ err: error, ...this.key }, "it could not be read where a computer is connected");
    }
    return isOver ? away : undefined;
  }

  /** The computer may return, here or to another process, and still execute the calls: it is told then to kill them. */
  async #giveUp(problem: Error): Promise<void> {
    const calls = [...this.#calls.values()].map(({ agentId, call }) => ({ agentId, callId: call.id }));
    for (const call of this.#calls.values()) call.fail(problem);
    this.#calls.clear();
    if (problem instanceof ComputerElsewhereError || calls.length === 0) return;
    try {
      await this.#context.store.abandon(this.key, calls);
    } catch (error) {
      this.#context.log.warn(
        { err: error, ...this.key },
        "calls of a computer were given up and may still run",
      );
    }
    this.#kill(calls);
  }

  #kill(calls: readonly CallId[]): void {
    if (this.#connection === undefined) return;
    for (const key of calls) {
      this.#abandoned.add(idOf(key.agentId, key.callId));
      this.#connection.outgoing.send(encodeFrame({ case: "abort", value: { key } }));
    }
  }

  #forget(call: CallId): void {
    this.#context.store.forget(this.key, call).catch((error: unknown) => {
      this.#context.log.warn(
        { err: error, ...this.key },
        "a killed call is still stored, and is killed again",
      );
    });
  }
}

/** Another folder or machine, or an older state of it: it does not know whether the call has begun. */
function hasForgotten(
  { epochBefore, forgotAt }: MachineConnection,
  { sentOn, call }: Pick<MachineCall, "sentOn" | "call">,
): boolean {
  if (sentOn > 0) return sentOn > epochBefore;
  return call.sentSince !== undefined && call.sentSince < forgotAt;
}

function idOf(agentId: string, callId: string): string {
  return JSON.stringify([agentId, callId]);
}
