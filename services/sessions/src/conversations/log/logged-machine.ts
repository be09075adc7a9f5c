import {
  type Compaction,
  type Conversation,
  type Effect,
  type Input,
  type Machine,
  type ModelCall,
  modelFailureEvent,
  type PendingApproval,
  type PendingToolCall,
  type RunningWorker,
  type StoredMessage,
  type StreamEvent,
  type ToolCallPart,
} from "@muster/engine";
import type { StreamErrorType } from "@muster/wire/error-codes";
import { type ExecutionLog, errorEntry, noteWorkerOutput } from "./execution-log.ts";
import {
  endedCallsOf,
  isAdded,
  LoggedStep,
  messagesOfTurn,
  outcomeOf,
  toolCallEntry,
  toolResultEntry,
  type Where,
  whereIn,
  workersOf,
} from "./logged-step.ts";
import { Excerpts } from "./shorten.ts";

/**
 * A machine whose work is recorded. The entries follow from inputs, effects and conversation alone, so the engine knows
 * nothing of the log. For a delta, which is on the hot path, it only reads the types of part and effects.
 */
export class LoggedMachine implements Machine {
  readonly #machine: Machine;
  readonly #log: ExecutionLog;
  /** Ids of the turn's messages that are recorded or that a model writes. */
  readonly #knownMessages: Set<string>;
  /** The model calls in flight, by worker. */
  readonly #steps = new Map<string | undefined, LoggedStep>();
  /** Ids of the turn's calls whose results a model has been sent: every later prompt contains them again. */
  readonly #sentResults: Set<string>;

  constructor(machine: Machine, log: ExecutionLog) {
    this.#machine = machine;
    this.#log = log;
    const messages = messagesOfTurn(machine);
    this.#knownMessages = new Set(messages.map(({ id }) => id));
    this.#sentResults = new Set(messages.flatMap(endedCallsOf));
    for (const workerId of [undefined, ...workersOf(machine)]) {
      const place = this.#placeOf(workerId);
      if (place?.frame.phase === "model")
        this.#steps.set(workerId, new LoggedStep(log, place, whereIn(place)));
    }
  }

  get conversation(): Conversation {
    return this.#machine.conversation;
  }

  get frame() {
    return this.#machine.frame;
  }

  get block() {
    return this.#machine.block;
  }

  worker(workerId: string): RunningWorker | undefined {
    return this.#machine.worker(workerId);
  }

  advance(input: Input): Effect[] {
    if (input.type === "model-part") return this.#advancePart(input);
    if (input.type === "repeat-calls") return this.#repeatCalls(input);
    const pending = this.frame.pendingToolCalls.map((call) => ({ call, where: this.#whereOf(call) }));
    if (input.type === "start" || input.type === "tool-results") this.#noteTrigger(input);
    if (input.type === "decisions") this.#noteDecisions(input);
    const ended = this.#callsEndedBy(input);
    const ending = this.#stepsEndedBy(input);
    for (const [, step] of ending) step.ending();
    const effects = this.#machine.advance(input);
    if (input.type === "tool-results") this.#noteResults(input, pending);
    for (const { part, where } of ended)
      if (part.status !== "running") this.#log.note(toolResultEntry(part, outcomeOf(part), where));
    for (const [workerId] of ending) this.#noteStepEnd(input, workerId);
    this.#noteEffects(effects);
    return effects;
  }

  /** The lost call is part of the log of the process that made it. */
  #repeatCalls(input: Input): Effect[] {
    const effects = this.#machine.advance(input);
    this.#steps.clear();
    const message = "The process that ran the turn has ended; another one continues it.";
    this.#noteHandled("internal_error", message, true, this.#where());
    this.#noteEffects(effects);
    return effects;
  }

  /** A failure that the turn survives. */
  #noteHandled(errorType: StreamErrorType, message: string, retryable: boolean, where: Where): void {
    const about = { errorType, message, source: "platform" as const, retryable };
    this.#log.note({ type: "error", ...about, isHandled: true, ...where });
  }

  #advancePart(input: Extract<Input, { type: "model-part" }>): Effect[] {
    this.#steps.get(input.workerId)?.take(input.part);
    const effects = this.#machine.advance(input);
    for (const { type } of effects) {
      if (type === "emit") continue;
      // The machine needs no more of this response: its step has ended.
      this.#noteStepEnd(input, input.workerId);
      this.#noteEffects(effects);
      break;
    }
    return effects;
  }

  #noteTrigger(input: Extract<Input, { type: "start" | "tool-results" }>): void {
    const { triggerName, triggerInput, workerId } = this.frame;
    const isContinuation = input.type === "tool-results";
    const excerpts = new Excerpts();
    this.#log.note({
      type: "trigger",
      ...(workerId !== undefined && { workerId }),
      triggerName,
      ...(!isContinuation && { input: excerpts.value(triggerInput) }),
      isContinuation,
      ...excerpts.mark,
    });
  }

  #noteResults(
    { outcomes }: Extract<Input, { type: "tool-results" }>,
    pending: ReadonlyArray<{ call: PendingToolCall; where: Where }>,
  ): void {
    const given = new Map(outcomes.map(({ toolCallId, outcome }) => [toolCallId, outcome]));
    for (const { call, where } of pending)
      this.#log.note(toolResultEntry(call, given.get(call.toolCallId), where));
  }

  /** The calls that services run, if the input may bring their outcomes. The input may end their workers, too. */
  #callsEndedBy(input: Input): Array<{ part: ToolCallPart; where: Where }> {
    if (input.type === "remote-outcome") return this.#callOf(input);
    if (input.type !== "decisions") return [];
    return this.#approvals().flatMap(({ approval }) => (approval.isOpen ? this.#callOf(approval) : []));
  }

  #callOf(call: { toolCallId: string; workerId?: string }): Array<{ part: ToolCallPart; where: Where }> {
    const part = messagesOfTurn(this.#placeOf(call.workerId) ?? this.#machine)
      .flatMap(({ parts }) => parts)
      .find((each) => each.type === "tool-call" && each.toolCallId === call.toolCallId);
    return part?.type === "tool-call" ? [{ part, where: this.#whereOf(call) }] : [];
  }

  /** A turn that is aborted ends all of them. */
  #stepsEndedBy(input: Input): Array<[string | undefined, LoggedStep]> {
    if (input.type === "abort") return [...this.#steps];
    if (input.type !== "model-done" && input.type !== "model-failed") return [];
    const step = this.#steps.get(input.workerId);
    return step === undefined ? [] : [[input.workerId, step]];
  }

  #noteStepEnd(input: Input, workerId: string | undefined): void {
    const step = this.#steps.get(workerId);
    if (step === undefined) return;
    this.#steps.delete(workerId);
    const isRetried = input.type === "model-failed" && this.#goesOn(workerId);
    if (input.type === "model-failed") {
      step.failed(isRetried);
      if (isRetried) this.#log.note({ ...errorEntry(modelFailureEvent(input.failure), true), ...step.where });
    } else step.ended(input.type === "abort" ? "partial" : "done");
  }

  /** After a failed call: another call, or a worker, makes up for it. */
  #goesOn(workerId: string | undefined): boolean {
    const place = this.#placeOf(workerId);
    return place !== undefined && place.frame.phase !== "over";
  }

  /** The last effects of a turn are recorded by the driver, which knows whether they happened. */
  #noteEffects(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === "emit") this.#noteEvent(effect.event);
      else if (effect.type === "note") this.#noteHidden(effect.event);
      else if (effect.type === "call-model") this.#noteCall(effect);
      else if (effect.type === "call-remote")
        this.#log.note(toolCallEntry(effect.call, "platform", this.#whereOf(effect)));
      else if (effect.type === "end" && effect.outcome === "paused") this.#noteCalls();
      else if (effect.type === "end" && effect.outcome === "asking") this.#noteRequests();
    }
  }

  #noteCall({ workerId, call }: Extract<Effect, { type: "call-model" }>): void {
    const place = this.#placeOf(workerId);
    if (place === undefined) return;
    const where = whereIn(place);
    this.#knowMessages();
    this.#noteBounded(call, place, where);
    if (call.warning !== undefined) this.#noteHandled("validation_error", call.warning, false, where);
    for (const compaction of call.compactions ?? []) this.#noteCompaction(call, compaction, place, where);
    const step = new LoggedStep(this.#log, place, where);
    this.#steps.set(workerId, step);
    step.called(call);
  }

  /** Workers of the turn start and end with a note, whatever users see of them. */
  #noteHidden(event: StreamEvent): void {
    if (event.type === "worker-result") noteWorkerOutput(this.#log, event);
    else this.#noteBlockOrStart(event);
  }

  #noteEvent(event: StreamEvent): void {
    const isOwn = event.type === "worker-start" && event.workerId === this.frame.workerId;
    if (event.type !== "worker-start" || isOwn) this.#noteBlockOrStart(event);
  }

  #noteBlockOrStart(event: StreamEvent): void {
    if (event.type === "worker-start") {
      const { type: _, workerId, workerSlug, input } = event;
      const excerpts = new Excerpts();
      this.#log.note({
        type: "worker-execution",
        workerId,
        workerSlug,
        ...(input !== undefined && { input: excerpts.value(input) }),
        ...excerpts.mark,
      });
      return;
    }
    if (event.type !== "block-start") return;
    const { blockId, blockName, blockType, thread, workerId } = event;
    const where = {
      ...(thread !== undefined && { thread }),
      blockName,
      ...(workerId !== undefined && { workerId }),
    };
    this.#log.note({ type: "block-operation", ...where, blockId, blockType });
    if (blockType === "start-thread") this.#log.note({ type: "thread-created", ...where });
    if (blockType === "add-message") this.#noteAddedMessage(where);
  }

  #noteBounded({ boundedOutputs = [] }: ModelCall, place: RunningWorker, where: Where): void {
    if (boundedOutputs.length === 0) return;
    const ended = new Set(messagesOfTurn(place).flatMap(endedCallsOf));
    for (const output of boundedOutputs) {
      const { toolCallId } = output;
      if (!ended.has(toolCallId) || this.#sentResults.has(toolCallId)) continue;
      this.#sentResults.add(toolCallId);
      this.#log.note({ type: "tool-output-bounded", ...where, ...output });
    }
  }

  #noteCompaction(
    { modelId }: ModelCall,
    { summary, ...compaction }: Compaction,
    { frame }: RunningWorker,
    where: Where,
  ): void {
    const excerpts = new Excerpts();
    this.#log.note({
      type: "compaction",
      ...where,
      ...{ model: modelId, step: frame.modelSteps },
      ...compaction,
      ...(summary !== undefined && { summary: excerpts.text(summary) }),
      ...excerpts.mark,
    });
  }

  /** The messages that add-message blocks have added since, in their order: one for each block. */
  #noteAddedMessage(where: Where): void {
    const added = this.#allMessages().find(
      (message) => !this.#knownMessages.has(message.id) && isAdded(message),
    );
    if (added === undefined) return;
    this.#knownMessages.add(added.id);
    const { id, role, parts, audience } = added;
    const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    const excerpts = new Excerpts();
    this.#log.note({
      type: "message",
      ...where,
      messageId: id,
      role,
      text: excerpts.text(text),
      isVisible: audience === "everyone",
      ...excerpts.mark,
    });
  }

  /** From now on a model may write to these. */
  #knowMessages(): void {
    for (const { id } of this.#allMessages()) this.#knownMessages.add(id);
  }

  /** The messages of the turn and its running workers. */
  #allMessages(): StoredMessage[] {
    return [undefined, ...workersOf(this.#machine)].flatMap((workerId) => {
      const place = this.#placeOf(workerId);
      return place === undefined ? [] : messagesOfTurn(place);
    });
  }

  #noteCalls(): void {
    for (const call of this.frame.pendingToolCalls)
      this.#log.note(toolCallEntry(call, "caller", this.#whereOf(call)));
  }

  #noteRequests(): void {
    for (const { approval, where } of this.#approvals())
      if (!approval.isOpen) this.#log.note({ ...approvalEntry(approval, where), status: "pending" });
  }

  #noteDecisions({ decisions }: Extract<Input, { type: "decisions" }>): void {
    for (const { approval, where } of this.#approvals()) {
      const { status, decidedBy, message, args } = decisions.get(approval.approvalId) ?? {
        status: "expired",
      };
      if (approval.isOpen || status === "answered") continue;
      const excerpts = new Excerpts();
      this.#log.note({
        ...approvalEntry(approval, where),
        status,
        ...(decidedBy !== undefined && { decidedBy }),
        ...(message !== undefined && { message }),
        ...(args !== undefined && { args: excerpts.value(args) }),
        ...excerpts.mark,
      });
    }
  }

  /** The calls of the turn and its workers that wait for decisions or answers. */
  #approvals(): Array<{ approval: PendingApproval; where: Where }> {
    return [undefined, ...workersOf(this.#machine)].flatMap((workerId) => {
      const place = this.#placeOf(workerId);
      return (place?.frame.pendingApprovals ?? []).map((approval) => ({
        approval,
        where: this.#whereOf(approval),
      }));
    });
  }

  #placeOf(workerId: string | undefined): RunningWorker | undefined {
    return workerId === undefined ? this.#machine : this.#machine.worker(workerId);
  }

  #where(): Where {
    return whereIn(this.#machine);
  }

  /** The worker of the call, or the turn itself. */
  #whereOf({ workerId }: Pick<PendingToolCall, "workerId">): Where {
    const worker = workerId === undefined ? undefined : this.#machine.worker(workerId);
    return whereIn(worker ?? this.#machine);
  }
}

function approvalEntry({ approvalId, toolCallId, toolName }: PendingApproval, where: Where) {
  return { type: "approval" as const, ...where, approvalId, toolCallId, toolName };
}
