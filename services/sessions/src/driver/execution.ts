import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { StreamError } from "@muster/error-codes";
import { turnAfter } from "@muster/large-data";
import { ModelFailure, priceFactorOf } from "@muster/models";
import type { Logger } from "@muster/service";
import { isStoreUnavailable } from "@muster/store";
import type { Effect, Input, Machine, ModelCall } from "../engine/boundary/machine.ts";
import { failureEvents } from "../engine/machine/turn-end.ts";
import type { Held } from "../store/moves.ts";
import { type CheckpointDependencies, Checkpoints } from "./checkpoints.ts";
import { usageEvent } from "./cost/usage-event.ts";
import { EarlySave } from "./early-save.ts";
import { withResultsAsText } from "./large-prompt.ts";
import type { LaunchOrder } from "./launch-order.ts";
import { logFieldsOf } from "./model-calls.ts";
import { sizeOfPart } from "./part-size.ts";
import type { Persistence } from "./persistence.ts";
import { errorAfter, internalError, mayStillWrite, type StopCause } from "./stop-cause.ts";
import type { EventLog } from "./stream/event-log.ts";
import { EventQueue } from "./stream/event-queue.ts";
import { type EncodedEvent, encoded, Outlet } from "./stream/outlet.ts";
import type { ChargedCall, RunLedger } from "./usage/run-ledger.ts";
import { TokenCount } from "./used-tokens.ts";

type End = Extract<Effect, { type: "end" }>;
type Step = Extract<Effect, { type: "call-model" | "end" }>;

const abort: Input = { type: "abort" };
const modelDone: Input = { type: "model-done" };

/**
 * One turn on this instance: carries out the machine's effects and feeds the outcomes back until the machine ends.
 * Owns the turn's lock and releases it before the last events leave.
 */
export class Execution {
  readonly persistence: Persistence;
  readonly held: Held;
  readonly events: EventQueue;
  readonly tokens = new TokenCount();
  /** Its lines contain the ids of the request and the session. */
  readonly log: Logger;
  leaseUntilMs: number;
  readonly #order: LaunchOrder;
  readonly #checkpoints: Checkpoints;
  readonly #earlySave: EarlySave;
  readonly #outlet: Outlet;
  readonly #stopping = new AbortController();
  readonly #free = Promise.withResolvers<void>();
  #cause: StopCause | undefined;
  #isLost = false;
  /** A model call has ended. */
  #hasProgress = false;
  /** From models, in all steps, because a worker's steps are not stored one by one. */
  #receivedBytes = 0;

  constructor({ clock, log }: CheckpointDependencies, order: LaunchOrder) {
    this.#order = order;
    this.events = new EventQueue(undefined, order.eventLog);
    this.log = log.child({ requestId: order.requestId, ...order.held });
    this.#checkpoints = new Checkpoints({ clock, log: this.log }, order);
    this.#earlySave = new EarlySave(order.earlySaveMs, () => this.#saveEarly());
    this.#outlet = new Outlet(this.events, order.maxStateBytes, () => this.stop("too-large"));
    this.persistence = order.persistence;
    this.held = order.held;
    this.leaseUntilMs = order.leaseUntilMs;
  }

  /** To be read once all events are. */
  get machine(): Pick<Machine, "conversation" | "frame"> {
    return this.#order.machine;
  }

  /** Another process has the turn, or will have it: what is sent last is not its end. */
  get isLost(): boolean {
    return this.#isLost;
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
    this.#stopping.abort(cause);
    this.events.unblock();
  }

  #lose(): void {
    this.#isLost = true;
    this.#order.eventLog?.abandon();
  }

  /** Runs to the end. `effects`: the effects of the machine's first input. Never rejects. */
  async run(effects: Effect[]): Promise<void> {
    try {
      if (this.persistence.keeps === "conversation") this.#earlySave.start();
      this.#order.history?.archive();
      let step = await this.#perform(effects);
      while (step.type === "call-model") step = await this.#callModel(step.call);
      await this.#settle(step);
    } catch (error) {
      this.log.error({ err: error }, "an execution failed unexpectedly");
      this.#closeAll();
      await this.#earlySave.end();
      await this.#checkpoints.release();
      const last = failureEvents(this.#order.machine.frame, internalError);
      await this.#order.executionLog?.ended(last);
      this.#outlet.emitAll(last);
    } finally {
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

  async #perform(effects: Effect[]): Promise<Step> {
    for (const effect of effects) {
      if (effect.type === "save") await this.#save(effect.messageId);
      else if (effect.type === "emit") {
        await turnAfter(this.#outlet.emit(effect.event));
        if (this.#order.eventLog?.isFull) await this.#whenRecorded(this.#order.eventLog);
      } else return effect;
    }
    throw new Error("The machine neither called a model nor ended");
  }

  async #callModel(call: ModelCall): Promise<Step> {
    const { machine, modelCalls, ledger } = this.#order;
    if (ledger !== undefined) await this.#checkLimits(ledger);
    if (this.#cause !== undefined) return this.#perform(machine.advance(abort));
    let last = modelDone;
    try {
      const ready = this.#checkpoints.isLarge ? await withResultsAsText(call) : call;
      for await (const part of await modelCalls.start(ready, this.#stopping.signal)) {
        // An endless response would fill the memory long before it is stored.
        this.#receivedBytes += sizeOfPart(part);
        if (this.#receivedBytes > this.#order.maxStateBytes) this.stop("too-large");
        if (this.#cause !== undefined) break;
        if (part.type === "finish") {
          const recorded = this.#count(call, part.usage);
          if (recorded !== undefined) await recorded;
          if (this.#cause !== undefined) break;
        }
        const effects = machine.advance({ type: "model-part", part });
        // The machine may need no more of this response.
        if (!this.#hasEmitted(effects)) {
          this.#hasProgress = true;
          return await this.#perform(effects);
        }
        if (this.events.isFull) await this.events.whenWritable();
        if (this.#order.eventLog?.isFull) await this.#whenRecorded(this.#order.eventLog);
      }
    } catch (error) {
      if (error instanceof ModelFailure) {
        this.log.warn(logFieldsOf(error), "a model call failed");
        last = { type: "model-failed", failure: error };
      } else if (this.#cause === undefined) throw error;
    }
    this.#hasProgress = true;
    return this.#perform(machine.advance(this.#cause === undefined ? last : abort));
  }

  async #whenRecorded(log: EventLog): Promise<void> {
    while (log.isFull && this.#cause === undefined) {
      await log.whenWritten();
      if (log.isAbandoned) this.stop("lost");
    }
  }

  /** A promise only for runs that are charged. */
  #count({ modelId, speed, summary }: ModelCall, usage: LanguageModelV4Usage): Promise<void> | undefined {
    this.tokens.add(usage);
    const { meter, sessionMeter, modelCalls, ledger } = this.#order;
    const priceFactor = priceFactorOf(modelId, { speed });
    const fees = meter.add(modelId, usage, { byok: modelCalls.usesProjectKey(modelId), priceFactor });
    if (ledger !== undefined) return this.#record(ledger, { modelId, usage, fees }, summary);
    sessionMeter?.add(modelId, usage, fees);
    return undefined;
  }

  /** Before anything of the step is stored, so that a session never shows more than its records. */
  async #record(
    ledger: RunLedger,
    made: Pick<ChargedCall, "modelId" | "usage" | "fees">,
    summary: ModelCall["summary"],
  ): Promise<void> {
    const { modelSteps, open } = this.#order.machine.frame;
    const { modelId, usage, fees } = made;
    const repair = open?.repair?.step === modelSteps ? ("repair" as const) : undefined;
    const extra = summary === undefined ? repair : (`summary${summary}` as const);
    const call = { step: modelSteps, isBackup: open?.onBackup === true, extra, ...made };
    await this.#orStoreDown(async () => {
      if (await ledger.record(call)) this.#order.sessionMeter?.add(modelId, usage, fees);
    });
  }

  async #checkLimits(ledger: RunLedger): Promise<void> {
    await this.#orStoreDown(async () => {
      const reached = await ledger.reached();
      if (reached !== undefined) this.stop(reached);
    });
  }

  async #orStoreDown(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      this.log.error({ err: error }, "the usage of a run could not be stored or read");
      this.stop("store-down");
    }
  }

  /** False if there is an effect other than `emit`; nothing is emitted then. Runs for every delta. */
  #hasEmitted(effects: Effect[]): boolean {
    for (const effect of effects) if (effect.type !== "emit") return false;
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
    );
    if (error !== undefined && error === errorAfter("lost", this.persistence.keeps)) this.#isLost = true;
    this.#free.resolve();
    if (stored) this.#outlet.emitPersisted(messageId);
    this.#outlet.emitEncoded(lastEvents(error));
  }

  /** The last events, unless the turn fails. */
  #endOf({ events }: End): EncodedEvent[] {
    const { meter, machine, reportsUsage } = this.#order;
    const last = events.map(encoded);
    if (reportsUsage && events.at(-1)?.type === "finish")
      last.push(encoded(usageEvent(machine.frame, meter.fees)));
    return last;
  }
}
