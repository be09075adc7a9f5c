import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { NextMessageBlock } from "@muster/language";
import type { ModelUsage } from "../boundary/frame.ts";
import type { SourcePart, StoredMessage } from "../conversation/conversation.ts";
import { isWebUrl } from "../conversation/messages.ts";
import type { Show } from "../shown/call-events.ts";
import { showsContent } from "../shown/display.ts";
import type { FinishReason } from "../shown/events.ts";
import { configOf } from "../turn/scope.ts";
import { emit, nextItemId, type StepInFlight, type Turn } from "../turn/turn.ts";
import { learnSize } from "./prompt-size.ts";
import { StepCalls } from "./step-calls.ts";
import { type StepOutput, StepTexts } from "./step-texts.ts";

type Part = LanguageModelV4StreamPart;
/** The rarer parts. */
type BoundaryPart = Exclude<Part, { type: "text-delta" | "reasoning-delta" | "tool-input-delta" | "finish" }>;

/** In our stream `tool-calls` means "paused, send results", so the model's own `tool-calls` is not passed on. */
const finishReasons: Readonly<Record<LanguageModelV4FinishReason["unified"], FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content-filter",
  error: "error",
  "tool-calls": "other",
  interrupted: "other",
  other: "other",
};

/**
 * One model call, from its first part to its end. Parts go straight into the conversation; parts that users may see
 * also go into the stream. Deltas are the hot path: one look-up, one append, one event.
 */
export class ModelStep implements StepInFlight {
  readonly calls: StepCalls;
  finishReason: FinishReason = "other";
  readonly #texts: StepTexts;
  readonly #turn: Turn;
  readonly #message: StoredMessage;
  readonly #firstPart: number;
  readonly #output: StepOutput;
  #streamed = false;
  #isPaused = false;

  constructor(turn: Turn, block: NextMessageBlock, message: StoredMessage) {
    this.#turn = turn;
    this.#message = message;
    this.#firstPart = message.parts.length;
    const shown = showsContent(block.display) && !turn.isSilent;
    const guarded = configOf(turn, block.thread)?.loopGuard === true;
    const show: Show = (event) => {
      if (!shown) return;
      this.#streamed = true;
      emit(turn, event, block.thread);
    };
    this.#output = { turn, block, message, shown, guarded, show };
    this.#texts = new StepTexts(this.#output);
    this.calls = new StepCalls(this.#output);
  }

  get isLooping(): boolean {
    return this.#texts.isLooping || this.calls.isLooping;
  }

  /** Anthropic has paused a long turn with its own tools, and continues it when it is called again. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  take(part: Part): void {
    switch (part.type) {
      case "text-delta":
        this.#texts.append("text", part.id, part.delta, part.providerMetadata);
        break;
      case "reasoning-delta":
        this.#texts.append("reasoning", part.id, part.delta, part.providerMetadata);
        break;
      case "tool-input-delta":
        this.calls.inputDelta(part.id, part.delta);
        break;
      case "finish":
        this.#finish(part);
        break;
      default:
        this.#takeBoundary(part);
    }
  }

  #finish({ finishReason, usage }: Extract<Part, { type: "finish" }>): void {
    const { estimatedTokens } = this.#turn;
    this.finishReason = finishReasons[finishReason.unified];
    this.#isPaused = finishReason.raw === "pause_turn";
    countUsage(this.#turn, usage);
    if (estimatedTokens !== undefined)
      learnSize(this.#turn, this.#output.block.thread, estimatedTokens, usage);
  }

  #takeBoundary(part: BoundaryPart): void {
    switch (part.type) {
      case "text-start":
        this.#texts.start("text", part.id, part.providerMetadata);
        break;
      case "text-end":
        this.#texts.end("text", part.id, part.providerMetadata);
        break;
      case "reasoning-start":
        this.#texts.start("reasoning", part.id, part.providerMetadata);
        break;
      case "reasoning-end":
        this.#texts.end("reasoning", part.id, part.providerMetadata);
        break;
      case "tool-input-start":
        this.calls.inputStart(part);
        break;
      case "tool-input-end":
        this.calls.inputEnd(part.id);
        break;
      case "tool-call":
        this.calls.complete(part);
        break;
      case "source":
        this.#addSource(part);
        break;
      case "tool-result":
        this.calls.result(part);
        break;
      case "tool-approval-request":
      case "file":
      case "reasoning-file":
      case "custom":
      case "stream-start":
      case "response-metadata":
      case "ping":
      case "raw":
      case "error":
        // Files and metadata leave no trace in a conversation.
        break;
      default:
        part satisfies never;
    }
  }

  close(): void {
    this.#texts.close();
    this.calls.close();
    this.calls.endHosted();
    this.#keepMessage();
  }

  stop(): void {
    this.close();
    this.calls.cancel();
  }

  discard(): boolean {
    this.close();
    this.calls.retractWorkers();
    this.#turn.frame.retiredCallIds.push(...this.calls.ids());
    this.#message.parts.length = this.#firstPart;
    return this.#streamed;
  }

  /**
   * A message without parts would be removed at the end of its turn, but clients know its id and may roll back to it.
   * An empty text is never shown.
   */
  #keepMessage(): void {
    const { parts } = this.#message;
    if (parts.length > 0 || !this.#texts.hasForgotten) return;
    parts.push({ type: "text", text: "", status: "done" });
  }

  #addSource(source: Extract<Part, { type: "source" }>): void {
    if (source.sourceType === "url" && !isWebUrl(source.url)) return;
    const { sourceType, title } = source;
    const part: SourcePart = {
      type: "source",
      sourceType,
      id: nextItemId(this.#turn, "src"),
      ...(source.sourceType === "url" && { url: source.url }),
      ...(title !== undefined && { title }),
    };
    this.#message.parts.push(part);
    this.#output.show({ ...part, sourceType, ...documentOf(source) });
  }
}

function documentOf(source: Extract<Part, { type: "source" }>) {
  if (source.sourceType !== "document") return {};
  const { mediaType, filename } = source;
  return { mediaType, ...(filename !== undefined && { filename }) };
}

/** Adds the tokens of a step to those of its model so far, in the turn and all of its workers. */
export function countUsage({ frame, tree }: Turn, step: LanguageModelV4Usage): void {
  const { modelId } = frame.open ?? {};
  const { usage } = tree.root.frame;
  if (modelId !== undefined) usage[modelId] = sum(usage[modelId], step);
}

function sum(
  before: ModelUsage | undefined,
  { inputTokens, outputTokens }: LanguageModelV4Usage,
): ModelUsage {
  const reasoningTokens = add(before?.reasoningTokens, outputTokens.reasoning);
  const cacheReadTokens = add(before?.cacheReadTokens, inputTokens.cacheRead);
  return {
    inputTokens: add(before?.inputTokens, inputTokens.total) ?? 0,
    outputTokens: add(before?.outputTokens, outputTokens.total) ?? 0,
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
  };
}

/** A number that a provider does not report is not counted. */
function add(before: number | undefined, tokens: number | undefined): number | undefined {
  if (tokens === undefined || !Number.isFinite(tokens)) return before;
  return (before ?? 0) + tokens;
}
