import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import {
  type Machine,
  type ModelCall,
  mainThread,
  type PendingToolCall,
  type RunningWorker,
  type StoredMessage,
  type StoredPart,
  type ToolCallPart,
  type ToolOutcome,
} from "@muster/engine";
import type { NewEntry } from "@muster/wire/log-entries";
import type { ExecutionLog } from "./execution-log.ts";
import { Excerpts, maxValueLength, shorten, shortenMessages } from "./shorten.ts";

type Stats = Extract<NewEntry, { type: "step-stats" }>;
type Outcome = Extract<NewEntry, { type: "llm-response" }>["outcome"];

const maxPromptLength = 2 * maxValueLength;

/** One model call, from its request to its end. */
export class LoggedStep {
  readonly where: Where;
  readonly #log: ExecutionLog;
  readonly #message: StoredMessage | undefined;
  readonly #firstPart: number;
  readonly #identity: { model: string; step: number };
  readonly #isBackup: boolean;
  readonly #startedMs: number;
  #firstPartMs: number | undefined;
  #finish: Extract<LanguageModelV4StreamPart, { type: "finish" }> | undefined;
  /** The parts that the model has written, before its end changes the conversation. */
  #parts: StoredPart[] | undefined;

  /** The machine has just prepared the call; its model writes to the last message. */
  constructor(log: ExecutionLog, { conversation, frame }: RunningWorker, where: Where) {
    this.#log = log;
    this.where = where;
    this.#message = conversation.messages.at(-1);
    this.#firstPart = this.#message?.parts.length ?? 0;
    this.#identity = { model: frame.open?.modelId ?? "unknown", step: frame.modelSteps };
    this.#isBackup = frame.open?.onBackup ?? false;
    this.#startedMs = this.#nowMs();
  }

  called({ options, thinking, cache, speed, hosted }: ModelCall): void {
    const { prompt, tools, ...settings } = options;
    this.#log.note({
      type: "model-request",
      ...this.where,
      ...this.#identity,
      isBackup: this.#isBackup,
      request: {
        prompt: shortenMessages(prompt, maxPromptLength),
        ...(tools !== undefined && { tools: shorten(tools) }),
        ...(thinking !== undefined && { thinking }),
        ...(cache !== undefined && { cache }),
        ...(speed !== undefined && { speed }),
        ...(hosted !== undefined && { hosted: shorten({ ...hosted }) }),
        ...(Object.keys(settings).length > 0 && { settings: shorten(settings) }),
      },
    });
  }

  /** Runs for every part. */
  take(part: LanguageModelV4StreamPart): void {
    this.#firstPartMs ??= this.#nowMs() - this.#startedMs;
    if (part.type === "finish") this.#finish = part;
  }

  /** Before the machine learns that the call has ended. */
  ending(): void {
    this.#parts = this.#written();
  }

  ended(outcome: Outcome): void {
    this.#noteOutput(outcome);
    this.#noteStats(outcome === "partial" ? "aborted" : this.#finishReason());
  }

  failed(isRetried: boolean): void {
    this.#noteOutput(isRetried ? "discarded" : "partial");
    this.#noteStats("failed");
  }

  #written(): StoredPart[] {
    const parts = this.#message?.parts.slice(this.#firstPart) ?? [];
    const end = parts.findIndex(({ type }) => type === "step-start");
    return end < 0 ? parts : parts.slice(0, end);
  }

  #noteOutput(outcome: Outcome): void {
    const parts = this.#parts ?? this.#written();
    const about = { ...this.where, ...this.#identity };
    for (const part of parts) {
      if (part.type === "text" || part.type === "object" || part.type === "reasoning") {
        if (part.text === "") continue;
        const type = part.type === "reasoning" ? "reasoning" : "llm-response";
        const excerpts = new Excerpts();
        this.#log.note({ type, ...about, text: excerpts.text(part.text), outcome, ...excerpts.mark });
      }
    }
    const calls = parts.filter(isModelsCall);
    if (calls.length === 0) return;
    const excerpts = new Excerpts();
    const toolCalls = calls.map(({ toolCallId, toolName, args }) => ({
      toolCallId,
      toolName,
      args: excerpts.value(args, maxValueLength / calls.length),
    }));
    this.#log.note({ type: "llm-tool-request", ...about, toolCalls, outcome, ...excerpts.mark });
    if (outcome === "done") for (const call of calls) this.#noteOwnOutcome(call);
  }

  #noteOwnOutcome(call: ToolCallPart): void {
    const outcome = outcomeOf(call);
    if (outcome === undefined) return;
    if (outcome.type === "result") {
      const executor = call.hosted === undefined ? "platform" : "provider";
      this.#log.note(toolCallEntry(call, executor, this.where));
    }
    this.#log.note(toolResultEntry(call, outcome, this.where));
  }

  /** The reason as the provider reports it. */
  #finishReason(): Stats["finishReason"] {
    const reason = this.#finish?.finishReason.unified ?? "other";
    return reason === "interrupted" ? "other" : reason;
  }

  #noteStats(finishReason: Stats["finishReason"]): void {
    const { catalog } = this.#log.dependencies;
    const usage = this.#finish && usageOf(this.#finish.usage);
    const cost = usage && catalog.costOf(this.#identity.model, usage);
    this.#log.note({
      type: "step-stats",
      ...this.where,
      ...this.#identity,
      isBackup: this.#isBackup,
      finishReason,
      latencyMs: this.#nowMs() - this.#startedMs,
      ...(this.#firstPartMs !== undefined && { firstPartMs: this.#firstPartMs }),
      ...(usage !== undefined && { tokens: usage }),
      ...(cost !== undefined && { cost }),
      priceVersion: catalog.priceVersion,
    });
  }

  #nowMs(): number {
    return this.#log.dependencies.clock.now();
  }
}

function isModelsCall(part: StoredPart): part is ToolCallPart {
  return part.type === "tool-call" && part.source === "llm";
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): NonNullable<Stats["tokens"]> {
  const [input, output] = [countOf(inputTokens.total) ?? 0, countOf(outputTokens.total) ?? 0];
  const cacheReadTokens = countOf(inputTokens.cacheRead);
  const cacheWriteTokens = countOf(inputTokens.cacheWrite);
  const reasoningTokens = countOf(outputTokens.reasoning);
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output,
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}

/** Providers count wrongly at times. */
function countOf(tokens: number | undefined): number | undefined {
  return tokens !== undefined && Number.isInteger(tokens) && tokens >= 0 ? tokens : undefined;
}

/** The fields of an entry that say where something happened. Absent: on the main thread, outside of blocks, in the turn itself. */
export interface Where {
  thread?: string;
  blockName?: string;
  workerId?: string;
}

export function whereIn({ block, frame }: RunningWorker): Where {
  return {
    ...(block !== undefined && block.thread !== mainThread && { thread: block.thread }),
    ...(block !== undefined && { blockName: block.name }),
    ...(frame.workerId !== undefined && { workerId: frame.workerId }),
  };
}

export function workersOf({ frame: { workers = [] } }: Pick<Machine, "frame">): string[] {
  return workers.flatMap(({ frame }) => frame.workerId ?? []);
}

/** A message of a model gets its first text in a later input, so none can be confused with it. */
export function isAdded({ role, status, parts }: StoredMessage): boolean {
  return role !== "assistant" || (status === "done" && parts.length === 1 && parts[0]?.type === "text");
}

/** They are at the end of the conversation. */
export function messagesOfTurn({
  conversation,
  frame,
}: Pick<Machine, "conversation" | "frame">): StoredMessage[] {
  const { messages } = conversation;
  let first = messages.length;
  while (first > 0 && messages[first - 1]?.executionId === frame.executionId) first -= 1;
  return messages.slice(first);
}

export function endedCallsOf({ parts }: StoredMessage): string[] {
  return parts.flatMap((part) =>
    part.type === "tool-call" && (part.status === "done" || part.status === "error") ? part.toolCallId : [],
  );
}

type Call = Pick<PendingToolCall, "toolCallId" | "toolName" | "args" | "source">;

export function toolCallEntry(
  { toolCallId, toolName, args, source }: Call,
  executor: "caller" | "platform" | "provider",
  where: Where,
): NewEntry {
  const excerpts = new Excerpts();
  const about = { ...where, toolCallId, toolName, args: excerpts.value(args), source, executor };
  return { type: "tool-call", ...about, ...excerpts.mark };
}

/** Without an outcome, the caller has sent no result. */
export function toolResultEntry(
  { toolCallId, toolName }: Pick<Call, "toolCallId" | "toolName">,
  outcome: ToolOutcome["outcome"] | undefined,
  where: Where,
): NewEntry {
  const entry = { type: "tool-result" as const, ...where, toolCallId, toolName };
  if (outcome === undefined) return { ...entry, status: "cancelled" };
  const excerpts = new Excerpts();
  return outcome.type === "error"
    ? { ...entry, status: "error", error: excerpts.text(outcome.error), ...excerpts.mark }
    : { ...entry, status: "done", result: excerpts.value(outcome.result), ...excerpts.mark };
}

/** The outcome of a call that needed no caller: a tool of the platform or a service ran it, or it could not be made. */
export function outcomeOf({
  status,
  error,
  result,
  reference,
}: ToolCallPart): ToolOutcome["outcome"] | undefined {
  if (status === "error") return { type: "error", error: error ?? "The tool failed." };
  if (status !== "done") return undefined;
  return { type: "result", result: reference === undefined ? (result ?? null) : { reference } };
}
