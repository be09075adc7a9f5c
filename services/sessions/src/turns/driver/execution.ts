import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { type Effect, failureEvents, type Input, type Machine } from "@muster/engine";
import { largeFrom, turnAfter, turnIfSpent } from "@muster/large-data";
import { ModelFailure } from "@muster/models";
import type { Logger } from "@muster/service";
import type { StreamError } from "@muster/wire/error-codes";
import type { Held } from "../../store/moves.ts";
import { usageEvent } from "../../usage/session-usage.ts";
import type { Flight } from "../../usage/spending-guard.ts";
import { sizeOfOutcome } from "../remote/remote-calls.ts";
import { type EncodedEvent, EventQueue, encoded, Outlet } from "../stream/event-queue.ts";
import type { TurnLog } from "../stream/turn-log.ts";
import { CallCharges, type TokenCount } from "./call-charges.ts";
import { type CheckpointDependencies, Checkpoints, EarlySave } from "./checkpoints.ts";
import type { DriveOrder } from "./drive-order.ts";
import { logFieldsOf } from "./log-fields.ts";
import { readied, sizeOfPart } from "./model-calls.ts";
import type { Persistence } from "./once-there-is-space.ts";
import { errorAfter, internalError, mayStillWrite, type StopCause } from "./stop-cause.ts";
import type { CallMetrics, FinishReason } from "./turn-metrics.ts";

type End = Extract<Effect, { type: "end" }>;
const abort: Input = { type: "abort" };

/**
 * One turn on this instance: carries out the machine's effects and feeds the outcomes back until the machine ends.
 * Owns the turn's lock and releases it before the last events leave.
 */
export class Execution {
  readonly persistence: Persistence;
  readonly held: Held;
  readonly events: EventQueue;
  /** Its lines contain the ids of the request and the session. */
  readonly log: Logger;
  /** By the monotonic clock. */
  leaseUntilMs: number;
  readonly #order: DriveOrder;
  readonly #checkpoints: Checkpoints;
  readonly #earlySave: EarlySave;
  readonly #outlet: Outlet;
  readonly #charges: CallCharges;
  /** The model calls in flight, by worker. */
  readonly #inFlight = new Map<string | undefined, AbortController>();
  readonly #remoteInFlight = new Set<AbortController>();
  /** Undefined: the turn has not ended, but was handed over. */
  readonly #end = Promise.withResolvers<End | undefined>();
  #hasEnded = false;
  /** Until the effects of the latest input are carried out. */
  #busy: Promise<void> | undefined;
  readonly #free = Promise.withResolvers<void>();
  #cause: StopCause | undefined;
  #isLost = false;
  #isHandedOver = false;
  /** A model call has ended. */
  #hasProgress = false;
  #outcome: FinishReason = "error";
  /** From models and remote tools, in all steps, because a worker's steps are not stored one by one. */
  #receivedBytes = 0;

  constructor({ clock, log }: CheckpointDependencies, order: DriveOrder) {
    this.#order = order;
    this.events = new EventQueue(undefined, order.eventLog);
    this.log = log.child({ requestId: order.requestId, ...order.held });
    this.#checkpoints = new Checkpoints({ clock, log: this.log }, order);
    this.#earlySave = new EarlySave(
      order.earlySaveMs,
      () => this.#saveEarly(),
      () => this.#busy !== undefined,
    );
    this.#outlet = new Outlet(this.events, order.maxStateBytes, () => this.stop("too-large"));
    this.#charges = new CallCharges(order, this.log, (cause) => this.stop(cause));
    // `run` may not wait for it yet.
    this.#end.promise.catch(() => {});
    this.persistence = order.persistence;
    this.held = order.held;
    this.leaseUntilMs = clock.monotonicMs() + order.leaseUntilMs - clock.now();
  }

  get tokens(): TokenCount {
    return this.#charges.tokens;
  }

  /** To be read once all events are. */
  get machine(): Pick<Machine, "conversation" | "frame"> {
    return this.#order.machine;
  }

  /** Another process has the turn, or will have it: the last event here is not its end. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Another process continues the turn behind the last event that was sent. */
  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** Its last state is being stored, or was. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Resolves when this instance no longer holds the session. */
  get freed(): Promise<void> {
    return this.#free.promise;
  }

  /** Ends it as soon as possible: the model call is aborted, the output so far is kept. The first cause counts. */
  stop(cause: StopCause): void {
    this.#cause ??= cause;
    // Readers of the same turn must not take this end for the turn's.
    if (cause === "lost") this.#lose();
    this.#abortCalls();
    this.events.unblock();
  }

  /**
   * Ends it because the service stops. If another process can continue the turn, it stays open there, with everything that
   * was sent; otherwise it ends with an error. Never rejects.
   */
  async leave(): Promise<void> {
    if (this.persistence.handOver === undefined) return this.stop("stopping");
    while (this.#busy !== undefined) await this.#busy;
    if (this.#hasEnded || this.#cause !== undefined) return;
    // Until the turn is stored, the machine may take no input: nothing may be sent that is not stored.
    const done = Promise.withResolvers<void>();
    this.#busy = done.promise;
    try {
      await this.#earlySave.end();
      await this.#handOver();
    } catch (error) {
      this.log.error({ err: error }, "a turn could not be handed over");
      this.stop("stopping");
    } finally {
      this.#busy = undefined;
      done.resolve();
    }
  }

  async #handOver(): Promise<void> {
    if (this.#cause !== undefined) return;
    const outcome = await this.#checkpoints.handOver(this.#hasProgress);
    if (outcome !== "written") return this.stop(mayStillWrite(outcome) ? "stopping" : outcome);
    this.#isHandedOver = true;
    this.#hasEnded = true;
    this.stop("lost");
    this.events.end();
    this.#end.resolve(undefined);
  }

  #lose(): void {
    this.#isLost = true;
    this.#order.eventLog?.lose();
  }

  /** Runs to the end. `effects`: the effects of the machine's first input. Never rejects. */
  async run(effects: Effect[]): Promise<void> {
    try {
      if (this.persistence.keeps === "conversation") this.#earlySave.start();
      this.#order.history?.archive();
      await this.#perform(effects);
      const end = await this.#end.promise;
      if (end !== undefined) await this.#settle(end);
      else await this.#order.executionLog?.ended();
    } catch (error) {
      this.log.error({ err: error }, "an execution failed unexpectedly");
      // Effects that are still being carried out must not call a model that nothing would stop.
      this.#hasEnded = true;
      this.#abortCalls();
      this.#closeAll();
      await this.#earlySave.end();
      await this.#checkpoints.release();
      const last = failureEvents(this.#order.machine.frame, internalError);
      await this.#order.executionLog?.ended(last);
      this.#outlet.emitAll(last);
    } finally {
      this.#order.metrics?.turnEnded(this.#isHandedOver ? "handed-over" : (this.#cause ?? this.#outcome));
      this.#free.resolve();
      this.#order.modelCalls.end();
      this.events.end();
    }
  }

  /** Ends everything that was started in the stream, if the machine can still do so. */
  #closeAll(): void {
    try {
      for (const effect of this.#order.machine.advance(abort)) {
        if (effect.type === "emit") this.#outlet.emit(effect.event);
      }
    } catch (error) {
      this.log.error({ err: error }, "a machine could not be closed");
    }
  }

  /** Carries out effects, one list after the other: the state that is stored contains exactly what was sent. */
  async #perform(effects: Effect[]): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#busy = done.promise;
    try {
      for (const effect of effects) await this.#carryOut(effect);
    } finally {
      this.#busy = undefined;
      done.resolve();
    }
  }

  async #carryOut(effect: Effect): Promise<void> {
    const { eventLog } = this.#order;
    switch (effect.type) {
      case "emit":
        await turnAfter(this.#outlet.emit(effect.event));
        if (eventLog?.isFull) await this.#whenRecorded(eventLog);
        return;
      case "note":
        return;
      case "save":
        return this.#save(effect.messageId);
      case "call-model":
        if (!this.#hasEnded) this.#callModel(effect).catch(this.#end.reject);
        return;
      case "call-remote":
        if (!this.#hasEnded) this.#callRemote(effect).catch(this.#end.reject);
        return;
      case "drop-call":
        this.#inFlight.get(effect.workerId)?.abort();
        return;
      case "end":
        this.#hasEnded = true;
        this.#abortCalls();
        this.#end.resolve(effect);
        return;
      default:
        effect satisfies never;
    }
  }

  #abortCalls(): void {
    for (const call of [...this.#inFlight.values(), ...this.#remoteInFlight]) call.abort(this.#cause);
  }

  /** A turn that is stopped waits for no service. */
  async #callRemote({ call, workerId }: Extract<Effect, { type: "call-remote" }>): Promise<void> {
    const { machine, remoteCalls } = this.#order;
    const { toolCallId } = call;
    // The state before the call may not have been stored.
    if (this.#cause !== undefined) return this.#abortTurn();
    const inFlight = new AbortController();
    this.#remoteInFlight.add(inFlight);
    const outcome = await remoteCalls?.call(call, this.#order, inFlight.signal);
    this.#remoteInFlight.delete(inFlight);
    // Without a save after each result, many would fill the memory as an endless response would.
    if (outcome !== undefined && this.persistence.keeps === "pauses")
      this.#receivedBytes += sizeOfOutcome(outcome);
    if (this.#receivedBytes > this.#order.maxStateBytes) this.stop("too-large");
    while (this.#mustWait) await this.#waitABit();
    if (this.#cause !== undefined) return this.#abortTurn();
    if (this.#hasEnded || outcome === undefined) return;
    this.#hasProgress = true;
    const from = workerId === undefined ? {} : { workerId };
    await this.#perform(machine.advance({ type: "remote-outcome", ...from, toolCallId, outcome }));
  }

  /** The turn and its workers call their models at the same time, and their parts take turns. */
  async #callModel({ call, workerId }: Extract<Effect, { type: "call-model" }>): Promise<void> {
    const { machine, modelCalls, metrics } = this.#order;
    let measured: CallMetrics | undefined;
    let flight: Flight | undefined;
    let outputBytes = 0;
    let state: "unsent" | "sent" | "counted" = "unsent";
    const inFlight = new AbortController();
    this.#inFlight.set(workerId, inFlight);
    const from = workerId === undefined ? {} : { workerId };
    let last: Input = { type: "model-done", ...from };
    try {
      await turnIfSpent();
      flight = await this.#charges.admit(call);
      if (this.#cause !== undefined) return await this.#abortTurn();
      const ready = await readied(call, this.#checkpoints.isLarge);
      measured = metrics?.call(call.modelId);
      const parts = await modelCalls.start(ready, inFlight.signal);
      state = "sent";
      for await (const part of parts) {
        if (measured !== undefined && !measured.hasBegun) measured.part(part.type);
        // An endless response would fill the memory long before it is stored.
        const bytes = sizeOfPart(part);
        this.#receivedBytes += bytes;
        outputBytes += bytes;
        if (this.#receivedBytes > this.#order.maxStateBytes) this.stop("too-large");
        if (this.#cause !== undefined) break;
        if (part.type === "finish") {
          state = "counted";
          const recorded = this.#charges.add(call, part.usage, workerId, { measured, flight });
          if (recorded !== undefined) await recorded;
        }
        if (part.type === "finish") await this.#turnAfterResponse();
        while (this.#mustWait) await this.#waitABit();
        if (this.#cause !== undefined) break;
        if (inFlight.signal.aborted) return;
        const effects = machine.advance(partInput(part, workerId));
        if (this.#hasEmitted(effects)) continue;
        // The machine needs no more of this response.
        this.#hasProgress = true;
        await this.#perform(effects);
        return;
      }
    } catch (error) {
      if (!inFlight.signal.aborted) measured?.failed(error);
      // A provider that has refused the call charges nothing.
      if (outputBytes === 0 && !inFlight.signal.aborted) state = "unsent";
      if (error instanceof ModelFailure) {
        if (inFlight.signal.aborted && this.#cause === undefined) return;
        this.log.warn(logFieldsOf(error), "a model call failed");
        last = { type: "model-failed", ...from, failure: error };
      } else if (this.#cause === undefined) {
        if (inFlight.signal.aborted) return;
        throw error;
      }
    } finally {
      measured?.ended();
      if (state === "sent") await this.#charges.addCut(call, workerId, { outputBytes, flight });
      flight?.end();
      if (this.#inFlight.get(workerId) === inFlight) this.#inFlight.delete(workerId);
    }
    while (this.#mustWait) await this.#waitABit();
    if (this.#cause !== undefined) return this.#abortTurn();
    if (this.#hasEnded || inFlight.signal.aborted) return;
    this.#hasProgress = true;
    await this.#perform(machine.advance(last));
  }

  /** The first of the model calls in flight ends the turn. */
  async #abortTurn(): Promise<void> {
    const { turnEnds } = this.#order;
    const size = this.#receivedBytes;
    // One that waits for space must not make others wait for it.
    if (size < largeFrom || this.persistence.waitsForSpace) return this.#endAborted();
    await turnEnds.run(this.held.projectId, () => this.#endAborted().then(() => this.freed), { size });
  }

  async #endAborted(): Promise<void> {
    await this.#turnAfterResponse();
    while (this.#busy !== undefined) await this.#busy;
    if (this.#hasEnded) return;
    this.#hasProgress = true;
    this.#hasEnded = true;
    await this.#perform(this.#order.machine.advance(abort));
  }

  /**
   * Whether the machine may not take an input now. A call that has waited must ask again, because another one may have
   * used the moment: no `await` may separate the answer from the input. A turn that is to be stopped waits for no
   * reader.
   */
  get #mustWait(): boolean {
    if (this.#busy !== undefined) return true;
    return this.#cause === undefined && (this.events.isFull || this.#order.eventLog?.isFull === true);
  }

  async #waitABit(): Promise<void> {
    const { eventLog } = this.#order;
    if (this.#busy !== undefined) await this.#busy;
    else if (this.events.isFull) await this.events.whenWritable();
    else if (eventLog?.isFull) await this.#whenRecorded(eventLog);
  }

  /** The next step passes over a response as a whole, and many turns may end in one moment, as when their readers are cut. */
  #turnAfterResponse(): Promise<void> | undefined {
    return turnIfSpent() ?? turnAfter(this.#receivedBytes);
  }

  async #whenRecorded(log: TurnLog): Promise<void> {
    while (log.isFull && this.#cause === undefined) {
      await log.whenWritten();
      if (log.isLost) this.stop("lost");
    }
  }

  /** False if there is an effect that takes time; nothing is emitted then. Runs for every delta. */
  #hasEmitted(effects: Effect[]): boolean {
    for (const { type } of effects) if (type !== "emit" && type !== "note") return false;
    for (const effect of effects) if (effect.type === "emit") this.#outlet.emit(effect.event);
    return true;
  }

  /** Runs in parallel with the model call. A failure is ignored, because it may pass before the turn ends. */
  async #saveEarly(): Promise<void> {
    const { messageId } = this.#order.machine.frame;
    const sequence = this.events.nextSequence - 1;
    try {
      const outcome = await this.#checkpoints.save(false);
      if (outcome === "written") this.#outlet.emitPersisted(messageId, sequence);
      else if (!mayStillWrite(outcome)) this.stop(outcome);
    } catch (error) {
      this.log.error({ err: error }, "a long first step could not be stored");
    }
  }

  async #save(messageId: string): Promise<void> {
    await this.#earlySave.end();
    await this.#turnAfterResponse();
    if (this.#cause !== undefined || this.persistence.keeps === "pauses") return;
    const outcome = await this.#checkpoints.save(this.#hasProgress);
    if (outcome === "written") this.#outlet.emitPersisted(messageId);
    else this.stop(outcome);
  }

  /**
   * Frees the session before the last events leave, so that their reader can continue at once. Output is sent only
   * after completion is stored, so a superseded run never sends any.
   */
  async #settle(end: End): Promise<void> {
    await this.#earlySave.end();
    await this.#turnAfterResponse();
    const complete = this.#endOf(end);
    if (!this.#outlet.holds(complete)) this.stop("too-large");
    this.#order.executionLog?.ending(end.events, this.#cause);
    const { messageId } = end;
    const lastEvents = (failure: StreamError | undefined) =>
      failure === undefined ? complete : failureEvents(this.#order.machine.frame, failure).map(encoded);
    const { stored, error } = await this.#checkpoints.end(end, this.#cause, (failure) =>
      this.#outlet.encodedEnd(messageId, lastEvents(failure)),
    );
    await this.#order.executionLog?.ended(
      error === undefined ? [] : failureEvents(this.#order.machine.frame, error),
      { waits: error !== undefined || !stored || this.persistence.keeps === "pauses" },
    );
    if (error === undefined) this.#outcome = finishReasonOf(end);
    if (error !== undefined && error === errorAfter("lost", this.persistence.keeps)) this.#isLost = true;
    this.#free.resolve();
    if (stored) this.#outlet.emitPersisted(messageId);
    this.#outlet.emitEncoded(lastEvents(error));
    // Its followers find it in the store, where it waits.
    if (stored && end.outcome === "asking" && this.persistence.continuesDecided) this.#order.eventLog?.lose();
  }

  /** The last events, unless the turn fails. */
  #endOf({ events, outcome }: End): EncodedEvent[] {
    const { meter, machine, reportsUsage } = this.#order;
    const last = events.map(encoded);
    const isPause = outcome === "paused" || outcome === "asking";
    const isReported = isPause ? reportsUsage === "with-pauses" : reportsUsage !== false;
    if (isReported && events.at(-1)?.type === "finish")
      last.push(encoded(usageEvent(machine.frame, meter.fees)));
    return last;
  }
}

function finishReasonOf({ events }: End): FinishReason {
  const finish = events.findLast((event) => event.type === "finish");
  return finish?.finishReason ?? "error";
}

/** Runs for every part. */
function partInput(part: LanguageModelV4StreamPart, workerId: string | undefined): Input {
  return workerId === undefined ? { type: "model-part", part } : { type: "model-part", workerId, part };
}
