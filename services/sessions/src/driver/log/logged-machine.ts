import type { PendingToolCall } from "../../engine/boundary/frame.ts";
import type { Compaction, Effect, Input, Machine, ModelCall } from "../../engine/boundary/machine.ts";
import type { Conversation, StoredMessage } from "../../engine/conversation/conversation.ts";
import { mainThread } from "../../engine/conversation/messages.ts";
import type { StreamEvent } from "../../engine/shown/events.ts";
import { modelFailureEvent } from "../../engine/shown/failure-event.ts";
import { type ExecutionLog, errorEntry } from "./execution-log.ts";
import { LoggedStep } from "./logged-step.ts";
import { shorten, shortenText } from "./shorten.ts";
import { toolCallEntry, toolResultEntry } from "./tool-entries.ts";

type Where = { thread?: string; blockName?: string; workerId?: string };

/**
 * A machine whose work is recorded. The entries follow from inputs, effects and conversation alone, so the engine knows
 * nothing of the log. For a delta, which is on the hot path, it only looks at the types of part and effects.
 */
export class LoggedMachine implements Machine {
  readonly #machine: Machine;
  readonly #log: ExecutionLog;
  /** Ids of the turn's messages that are recorded or that a model writes. */
  readonly #knownMessages: Set<string>;
  #step: LoggedStep | undefined;
  /** Ids of the turn's calls whose results a model has been sent: every later prompt contains them again. */
  readonly #sentResults: Set<string>;

  constructor(machine: Machine, log: ExecutionLog) {
    this.#machine = machine;
    this.#log = log;
    const messages = messagesOfTurn(machine);
    this.#knownMessages = new Set(messages.map(({ id }) => id));
    this.#sentResults = new Set(messages.flatMap(endedCallsOf));
    if (machine.frame.phase === "model") this.#step = new LoggedStep(log, machine, this.#where());
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

  advance(input: Input): Effect[] {
    if (input.type === "model-part") return this.#advancePart(input);
    if (input.type === "redo-step") return this.#redo(input);
    const pending = [...this.frame.pendingToolCalls];
    const where = this.#where();
    if (input.type === "start" || input.type === "tool-results") this.#noteTrigger(input);
    this.#step?.ending();
    const effects = this.#machine.advance(input);
    if (input.type === "tool-results") this.#noteResults(input, pending, where);
    this.#noteStepEnd(input, effects);
    this.#noteEffects(effects);
    return effects;
  }

  /** The lost call is part of the log of the process that made it. */
  #redo(input: Input): Effect[] {
    const effects = this.#machine.advance(input);
    this.#step = undefined;
    const message = "The process that ran the turn has ended; another one continues it.";
    this.#log.note({
      ...{ type: "error", errorType: "internal_error", message, source: "platform" },
      ...{ retryable: true, isHandled: true },
      ...this.#where(),
    });
    this.#noteEffects(effects);
    return effects;
  }

  #advancePart(input: Extract<Input, { type: "model-part" }>): Effect[] {
    this.#step?.take(input.part);
    const effects = this.#machine.advance(input);
    for (const { type } of effects) {
      if (type === "emit") continue;
      // The machine needs no more of this response: its step has ended.
      this.#noteStepEnd(input, effects);
      this.#noteEffects(effects);
      break;
    }
    return effects;
  }

  #noteTrigger(input: Extract<Input, { type: "start" | "tool-results" }>): void {
    const { triggerName, triggerInput, workerId } = this.frame;
    const isContinuation = input.type === "tool-results";
    this.#log.note({
      type: "trigger",
      ...(workerId !== undefined && { workerId }),
      triggerName,
      ...(!isContinuation && { input: shorten(triggerInput) }),
      isContinuation,
    });
  }

  #noteResults(
    { outcomes }: Extract<Input, { type: "tool-results" }>,
    pending: readonly PendingToolCall[],
    where: Where,
  ): void {
    const given = new Map(outcomes.map(({ toolCallId, outcome }) => [toolCallId, outcome]));
    for (const call of pending) this.#log.note(toolResultEntry(call, given.get(call.toolCallId), where));
  }

  #noteStepEnd(input: Input, effects: readonly Effect[]): void {
    const step = this.#step;
    if (step === undefined) return;
    this.#step = undefined;
    const isRetried = input.type === "model-failed" && effects.at(-1)?.type === "call-model";
    if (input.type === "model-failed") {
      step.failed(isRetried);
      if (isRetried) this.#log.note({ ...errorEntry(modelFailureEvent(input.failure), true), ...step.where });
    } else step.ended(input.type === "abort" ? "partial" : "done");
  }

  /** The last effects of a turn are recorded by the driver, which knows whether they came true. */
  #noteEffects(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === "emit") this.#noteEvent(effect.event);
      else if (effect.type === "call-model") {
        this.#knowMessages();
        this.#noteBounded(effect.call);
        for (const compaction of effect.call.compactions ?? []) this.#noteCompaction(effect.call, compaction);
        this.#step = new LoggedStep(this.#log, this.#machine, this.#where());
        this.#step.called(effect.call);
      } else if (effect.type === "end" && effect.outcome === "paused") this.#noteCalls();
    }
  }

  #noteEvent(event: StreamEvent): void {
    if (event.type === "worker-start") {
      const { type: _, workerId, workerSlug, input } = event;
      this.#log.note({
        type: "worker-execution",
        workerId,
        workerSlug,
        ...(input !== undefined && { input: shorten(input) }),
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

  #noteBounded({ boundedOutputs = [] }: ModelCall): void {
    if (boundedOutputs.length === 0) return;
    const ended = new Set(messagesOfTurn(this.#machine).flatMap(endedCallsOf));
    for (const output of boundedOutputs) {
      const { toolCallId } = output;
      if (!ended.has(toolCallId) || this.#sentResults.has(toolCallId)) continue;
      this.#sentResults.add(toolCallId);
      this.#log.note({ type: "tool-output-bounded", ...this.#where(), ...output });
    }
  }

  #noteCompaction({ modelId }: ModelCall, { summary, ...compaction }: Compaction): void {
    this.#log.note({
      type: "compaction",
      ...this.#where(),
      ...{ model: modelId, step: this.frame.modelSteps },
      ...compaction,
      ...(summary !== undefined && { summary: shortenText(summary) }),
    });
  }

  /** The messages that add-message blocks have added since, in their order: one for each block. */
  #noteAddedMessage(where: Where): void {
    const added = messagesOfTurn(this.#machine).find(
      (message) => !this.#knownMessages.has(message.id) && isAdded(message),
    );
    if (added === undefined) return;
    this.#knownMessages.add(added.id);
    const { id, role, parts, audience } = added;
    const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    this.#log.note({
      type: "message",
      ...where,
      messageId: id,
      role,
      text: shortenText(text),
      isVisible: audience === "everyone",
    });
  }

  /** From now on a model may write to these. */
  #knowMessages(): void {
    for (const { id } of messagesOfTurn(this.#machine)) this.#knownMessages.add(id);
  }

  #noteCalls(): void {
    const where = this.#where();
    for (const call of this.frame.pendingToolCalls) this.#log.note(toolCallEntry(call, "caller", where));
  }

  #where(): Where {
    const { block, frame } = this.#machine;
    return {
      ...(block !== undefined && block.thread !== mainThread && { thread: block.thread }),
      ...(block !== undefined && { blockName: block.name }),
      ...(frame.workerId !== undefined && { workerId: frame.workerId }),
    };
  }
}

/** A message of a model gets its first text in a later input, so none can be confused with it. */
function isAdded({ role, status, parts }: StoredMessage): boolean {
  return role !== "assistant" || (status === "done" && parts.length === 1 && parts[0]?.type === "text");
}

/** They are at the end of the conversation. */
function messagesOfTurn({ conversation, frame }: Pick<Machine, "conversation" | "frame">): StoredMessage[] {
  const { messages } = conversation;
  let first = messages.length;
  while (first > 0 && messages[first - 1]?.executionId === frame.executionId) first -= 1;
  return messages.slice(first);
}

function endedCallsOf({ parts }: StoredMessage): string[] {
  return parts.flatMap((part) =>
    part.type === "tool-call" && (part.status === "done" || part.status === "error") ? part.toolCallId : [],
  );
}
