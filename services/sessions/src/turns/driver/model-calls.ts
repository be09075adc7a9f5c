import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { ModelCall } from "@muster/engine";
import { isLarge, nextTurn, type Pause } from "@muster/large-data";
import {
  cacheModes,
  demoSummary,
  type FailedProvider,
  fileSupportOf,
  ModelFailure,
  type Models,
  type ProjectKeys,
  providerSettings,
  type ResolvedModel,
  streamModel,
  thinkingLevels,
} from "@muster/models";
import { Reason, readRpcError } from "@muster/rpc";
import { keptText } from "../../store/state-text.ts";
import type { CallFiles } from "../files/call-files.ts";

type Files = Pick<CallFiles, "problemOf" | "deliver" | "end">;

/**
 * Makes the model calls of one turn. Looks up each model and the project's keys once, however many steps the turn has and however
 * many of its workers need them at the same time: a turn ends with the keys with which it began.
 */
export class ModelCalls {
  readonly #models: Pick<Models, "resolve" | "limits">;
  readonly #askForKeys: () => Promise<ProjectKeys>;
  readonly #resolved = new Map<string, ResolvedModel>();
  readonly #resolving = new Map<string, Promise<ResolvedModel>>();
  readonly #openFiles: () => Files;
  readonly #onUnused: (modelId: string) => void;
  #files: Files | undefined;
  #keys: Promise<ProjectKeys> | undefined;
  #early: EarlyCall | undefined;

  /**
   * `askForKeys`: the project's own keys for model providers. `openFiles`: puts files into the calls. `onUnused`: is told of a
   * call that was made early and in vain.
   */
  constructor(
    models: Pick<Models, "resolve" | "limits">,
    askForKeys: () => Promise<ProjectKeys>,
    openFiles: () => Files,
    onUnused: (modelId: string) => void = () => {},
  ) {
    this.#models = models;
    this.#askForKeys = askForKeys;
    this.#openFiles = openFiles;
    this.#onUnused = onUnused;
  }

  /** Explains in a sentence why the model cannot be called; undefined if it can. */
  async problemOf(modelId: string): Promise<string | undefined> {
    const resolved = await this.#resolve(modelId);
    return resolved.ok ? undefined : resolved.problem;
  }

  /** Explains in a sentence why the model cannot be sent the files of the call; undefined if it can. */
  async fileProblemOf(call: ModelCall): Promise<string | undefined> {
    const resolved = call.files === undefined ? undefined : await this.#resolve(call.modelId);
    if (resolved?.ok !== true) return undefined;
    this.#files ??= this.#openFiles();
    return this.#files.problemOf(call, fileSupportOf(resolved.model));
  }

  /** Whether the model, which was looked up, is called with the project's own key. */
  usesProjectKey(modelId: string): boolean {
    const resolved = this.#resolved.get(modelId);
    return resolved?.ok === true && resolved.usesProjectKey === true;
  }

  /**
   * Makes a call whose response the turn may not use yet, unless it has files or tools that the provider executes. The response
   * is read up to its first part; `start` with the same call continues it, `end` aborts it.
   */
  startEarly(call: ModelCall): void {
    const resolved = this.#resolved.get(call.modelId);
    if (resolved?.ok !== true || call.files !== undefined || call.hosted !== undefined) return;
    const controller = new AbortController();
    const parts = streamModel(resolved.model, optionsFor(call, controller.signal), this.#models.limits);
    const first = parts.next();
    // A failure is met by the turn, if it uses the call.
    first.catch(() => undefined);
    this.#early = { call, controller, first, parts };
  }

  /** The parts of the response; see `streamModel`. Throws a `ModelFailure` if no configured provider has the model. */
  async start(call: ModelCall, signal: AbortSignal): Promise<AsyncIterable<LanguageModelV4StreamPart>> {
    const early = this.#early;
    if (early?.call === call) {
      this.#early = undefined;
      return continued(early, signal);
    }
    const resolved = await this.#resolve(call.modelId).catch((error: unknown) => {
      throw keysUnknown(call.modelId, error);
    });
    if (!resolved.ok) throw notRunnable(call.modelId, resolved.problem);
    const { model } = resolved;
    if (call.files !== undefined) return this.#withFiles(call, model, signal);
    return streamModel(model, optionsFor(call, signal), this.#models.limits);
  }

  /** The turn makes no more calls. */
  end(): void {
    if (this.#early !== undefined) {
      const { call, controller, parts } = this.#early;
      this.#early = undefined;
      this.#onUnused(call.modelId);
      controller.abort();
      void parts.return();
    }
    this.#files?.end();
  }

  async *#withFiles(call: ModelCall, model: LanguageModelV4, signal: AbortSignal) {
    const target = { support: fileSupportOf(model), provider: providerIn(call.modelId) };
    this.#files ??= this.#openFiles();
    const { call: ready, free } = await this.#files.deliver(call, target, signal);
    try {
      yield* streamModel(model, optionsFor(ready, signal), this.#models.limits);
    } finally {
      free();
    }
  }

  /** Throws UNAVAILABLE if the project's keys cannot be read. */
  async #resolve(modelId: string): Promise<ResolvedModel> {
    const known = this.#resolved.get(modelId) ?? this.#resolving.get(modelId);
    if (known !== undefined) return known;
    const resolving = this.#lookUp(modelId).finally(() => this.#resolving.delete(modelId));
    this.#resolving.set(modelId, resolving);
    return resolving;
  }

  async #lookUp(modelId: string): Promise<ResolvedModel> {
    const keys = modelId.startsWith("demo/") ? undefined : await this.#projectKeys();
    const resolved = await this.#models.resolve(modelId, keys);
    this.#resolved.set(modelId, resolved);
    return resolved;
  }

  /** A question that fails is asked again by the next call that needs the keys. */
  #projectKeys(): Promise<ProjectKeys> {
    this.#keys ??= this.#askForKeys().catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }
}

interface EarlyCall {
  call: ModelCall;
  controller: AbortController;
  /** The first result of `parts`. */
  first: Promise<IteratorResult<LanguageModelV4StreamPart, void>>;
  parts: AsyncGenerator<LanguageModelV4StreamPart, void, undefined>;
}

function continued(
  { controller, first, parts }: EarlyCall,
  signal: AbortSignal,
): AsyncIterable<LanguageModelV4StreamPart> {
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  let unread: typeof first | undefined = first;
  const next = () => {
    const read = unread ?? parts.next();
    unread = undefined;
    return read;
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: () => parts.return() }) };
}

/** The call with its provider's settings. */
function optionsFor(call: ModelCall, abortSignal: AbortSignal): LanguageModelV4CallOptions {
  const { modelId, options, thinking, cache, speed, hosted } = call;
  const choice = {
    thinking: thinkingLevels.find((level) => level === thinking),
    cache: cacheModes.find((mode) => mode === cache),
    speed,
    hosted,
  };
  const { tools, ...settings } = providerSettings(modelId, choice);
  const allTools = tools && { tools: [...(options.tools ?? []), ...tools] };
  // The echo cannot read the instruction to write a summary.
  const hint = call.summary !== undefined && modelId.startsWith("demo/") ? demoSummary : {};
  return { ...options, ...hint, ...settings, ...allTools, abortSignal };
}

function notRunnable(modelId: string, problem: string): ModelFailure {
  return new ModelFailure({
    message: problem,
    errorType: "not_found_error",
    source: "platform",
    retryable: false,
    transient: false,
    provider: providerIn(modelId),
  });
}

/** The turn began with a model that needs no key, and now needs one. */
function keysUnknown(modelId: string, cause: unknown): unknown {
  if (readRpcError(cause).reason !== Reason.UNAVAILABLE) return cause;
  return new ModelFailure({
    message: "The project's keys for model providers could not be read; try again.",
    errorType: "provider_error",
    source: "platform",
    retryable: true,
    transient: false,
    provider: providerIn(modelId),
    cause,
  });
}

function providerIn(modelId: string): FailedProvider {
  const [name = "unknown", ...model] = modelId.split("/");
  return { name, model: model.join("/") };
}

/** So many messages are about as much work as a large text, for everyone who passes over them. */
const manyMessages = 500;

/**
 * The call as its provider package gets it. A large one waits until other work has run, because the machine has just built
 * it in one pass. `isLarge`: the conversation is, whatever its number of messages.
 */
export function readied(
  call: ModelCall,
  isLarge: boolean,
  pause: Pause = nextTurn,
): ModelCall | Promise<ModelCall> {
  const { length } = call.options.prompt;
  return isLarge || length >= manyMessages ? withResultsAsText(call, pause) : call;
}

/**
 * The call with large tool results as JSON text. Provider packages turn all results and then the request into JSON
 * without a break; of a text, only the second pass is left. Begins and ends with a pause.
 */
async function withResultsAsText(call: ModelCall, pause: Pause): Promise<ModelCall> {
  await pause();
  const prompt: LanguageModelV4Message[] = [];
  for (const message of call.options.prompt) {
    prompt.push(
      message.role === "tool" ? { ...message, content: await inText(message.content, pause) } : message,
    );
  }
  return { ...call, options: { ...call.options, prompt } };
}

async function inText(
  content: Extract<LanguageModelV4Message, { role: "tool" }>["content"],
  pause: Pause,
): Promise<typeof content> {
  const parts: typeof content = [];
  for (const part of content) {
    const large = part.type === "tool-result" ? asText(part) : undefined;
    parts.push(large ?? part);
    if (large !== undefined) await pause();
  }
  return parts;
}

/** Undefined if the result is small or no JSON. */
function asText(part: LanguageModelV4ToolResultPart): LanguageModelV4ToolResultPart | undefined {
  if (part.output.type !== "json") return undefined;
  const value = keptText(part.output.value) ?? JSON.stringify(part.output.value);
  return isLarge(value) ? { ...part, output: { type: "text", value } } : undefined;
}

/** The least that a stored part without text takes. */
const emptyPartBytes = 40;

/** The minimum number of bytes that a part adds to the conversation. */
export function sizeOfPart(part: LanguageModelV4StreamPart): number {
  switch (part.type) {
    case "text-delta":
    case "reasoning-delta":
    case "tool-input-delta":
      return Buffer.byteLength(part.delta);
    case "text-start":
    case "reasoning-start":
    case "tool-input-start":
    case "source":
      return emptyPartBytes;
    case "text-end":
    case "reasoning-end":
    case "tool-input-end":
    case "tool-call":
    case "tool-result":
    case "tool-approval-request":
    case "file":
    case "reasoning-file":
    case "custom":
    case "stream-start":
    case "response-metadata":
    case "finish":
    case "ping":
    case "raw":
    case "error":
      return 0;
    default:
      part satisfies never;
      return 0;
  }
}
