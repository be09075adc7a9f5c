import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { NextMessageBlock } from "@muster/protocol";
import type { ObjectPart, ReasoningPart, StoredMessage, TextPart } from "../conversation.ts";
import { showsContent } from "../display.ts";
import type { FinishReason, InnerEvent, Whereabouts } from "../events.ts";
import { cutShort } from "../settle.ts";
import { configOf } from "../threads.ts";
import { emit, nextItemId, type Turn, whereabouts } from "../turn.ts";
import { toFinishReason } from "./finish-reason.ts";
import { LoopGuard } from "./loop-guard.ts";
import { completeObject } from "./object-answer.ts";
import { StepCalls } from "./step-calls.ts";
import { countUsage } from "./usage.ts";

type Part = LanguageModelV4StreamPart;
type Metadata = TextPart["providerMetadata"];

interface OpenText {
  readonly kind: "text" | "reasoning";
  /** The id in our stream; providers repeat theirs. */
  readonly id: string;
  readonly part: TextPart | ReasoningPart | ObjectPart;
  readonly guard?: LoopGuard | undefined;
}

/**
 * One call of the model, from its first part to its end. Parts go straight into the conversation; what a person
 * may see goes into the stream. Deltas are the hot path: one look-up, one append, one event.
 */
export class ModelStep {
  readonly calls: StepCalls;
  finishReason: FinishReason = "other";
  /** The model repeats itself without end: nothing more of this step is wanted. */
  isLooping = false;
  readonly #turn: Turn;
  readonly #block: NextMessageBlock;
  readonly #message: StoredMessage;
  readonly #firstPart: number;
  readonly #shown: boolean;
  readonly #where: Whereabouts | undefined;
  readonly #isGuarded: boolean;
  readonly #texts = new Map<string, OpenText>();
  readonly #reasonings = new Map<string, OpenText>();
  #streamed = false;

  constructor(turn: Turn, block: NextMessageBlock, message: StoredMessage) {
    this.#turn = turn;
    this.#block = block;
    this.#message = message;
    this.#firstPart = message.parts.length;
    this.#shown = showsContent(block.display);
    this.#where = whereabouts(turn, block.thread);
    this.#isGuarded = configOf(turn, block.thread)?.loopGuard === true;
    const guarded = this.#isGuarded;
    this.calls = new StepCalls({ turn, block, message, guarded, show: (event) => this.#show(event) });
  }

  take(part: Part): void {
    switch (part.type) {
      case "text-delta":
        this.#append(this.#texts.get(part.id) ?? this.#openText(part.id), part.delta, part.providerMetadata);
        break;
      case "reasoning-delta":
        this.#append(
          this.#reasonings.get(part.id) ?? this.#openReasoning(part.id),
          part.delta,
          part.providerMetadata,
        );
        break;
      case "tool-input-delta":
        this.calls.inputDelta(part.id, part.delta);
        if (this.calls.isLooping) this.isLooping = true;
        break;
      case "finish":
        this.finishReason = toFinishReason(part.finishReason.unified);
        countUsage(this.#turn.frame, part.usage);
        break;
      default:
        this.#takeBoundary(part);
    }
  }

  /** The rarer parts. Pings, metadata, raw chunks, files and what providers do for themselves leave no trace. */
  #takeBoundary(part: Part): void {
    switch (part.type) {
      case "text-start":
        noteMetadata(this.#openText(part.id), part.providerMetadata);
        break;
      case "text-end":
        this.#end(this.#texts, part.id, part.providerMetadata);
        break;
      case "reasoning-start":
        noteMetadata(this.#openReasoning(part.id), part.providerMetadata);
        break;
      case "reasoning-end":
        this.#end(this.#reasonings, part.id, part.providerMetadata);
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
    }
  }

  /** Closes what the model left open, because its stream is over or will not go on. */
  close(): void {
    for (const id of this.#texts.keys()) this.#end(this.#texts, id, undefined, "cut");
    for (const id of this.#reasonings.keys()) this.#end(this.#reasonings, id, undefined, "cut");
    this.calls.close();
  }

  /** Takes the whole step back. True when something of it had been streamed. */
  discard(): boolean {
    this.close();
    this.#turn.frame.retiredCallIds.push(...this.calls.ids());
    this.#message.parts.length = this.#firstPart;
    return this.#streamed;
  }

  #append(open: OpenText, delta: string, metadata: Metadata): void {
    noteMetadata(open, metadata);
    const { guard } = open;
    if (guard === undefined) this.#write(open, delta);
    else {
      this.#write(open, guard.take(delta));
      if (guard.isLooping) this.isLooping = true;
    }
  }

  #write(open: OpenText, delta: string): void {
    if (delta === "") return;
    open.part.text += delta;
    if (!this.#shown) return;
    this.#streamed = true;
    const type = open.kind === "text" ? "text-delta" : "reasoning-delta";
    const where = this.#where;
    const event: InnerEvent = { type, id: open.id, delta };
    this.#turn.effects.push({ type: "emit", event: where === undefined ? event : { ...event, ...where } });
  }

  #openText(providerId: string): OpenText {
    if (this.#texts.has(providerId)) this.#end(this.#texts, providerId, undefined);
    const id = nextItemId(this.#turn, "txt");
    const { responseType } = this.#block;
    const part: TextPart | ObjectPart =
      responseType === undefined
        ? { type: "text", text: "", status: "streaming" }
        : {
            type: "object",
            id: this.#objectId(id),
            typeName: responseType.name,
            text: "",
            status: "streaming",
          };
    this.#show({ type: "text-start", id, ...(responseType && { responseType: responseType.name }) });
    return this.#open(this.#texts, providerId, { kind: "text", id, part, guard: this.#guard() });
  }

  #openReasoning(providerId: string): OpenText {
    if (this.#reasonings.has(providerId)) this.#end(this.#reasonings, providerId, undefined);
    const id = nextItemId(this.#turn, "rsn");
    this.#show({ type: "reasoning-start", id });
    const part: ReasoningPart = { type: "reasoning", text: "", status: "streaming" };
    return this.#open(this.#reasonings, providerId, { kind: "reasoning", id, part, guard: this.#guard() });
  }

  #guard(): LoopGuard | undefined {
    return this.#isGuarded ? new LoopGuard() : undefined;
  }

  #open(among: Map<string, OpenText>, providerId: string, open: OpenText): OpenText {
    this.#message.parts.push(open.part);
    among.set(providerId, open);
    return open;
  }

  #end(among: Map<string, OpenText>, providerId: string, metadata: Metadata, how?: "cut"): void {
    const open = among.get(providerId);
    if (open === undefined) return;
    among.delete(providerId);
    noteMetadata(open, metadata);
    const { part, guard } = open;
    if (guard !== undefined) this.#write(open, guard.release());
    if (part.type === "object") completeObject(part, this.#block.responseType?.schema);
    else part.status = "done";
    if (how === "cut") cutShort(part, part.status);
    this.#show({ type: open.kind === "text" ? "text-end" : "reasoning-end", id: open.id });
  }

  /** Ids of items count within an execution; those of objects are stored and must differ between turns too. */
  #objectId(itemId: string): string {
    return `${this.#message.id}_${itemId}`;
  }

  #addSource(source: Extract<Part, { type: "source" }>): void {
    const id = nextItemId(this.#turn, "src");
    const { sourceType, title } = source;
    const where = source.sourceType === "url" ? { url: source.url } : {};
    const document =
      source.sourceType === "document"
        ? { mediaType: source.mediaType, ...(source.filename !== undefined && { filename: source.filename }) }
        : {};
    const known = {
      type: "source" as const,
      sourceType,
      id,
      ...where,
      ...(title !== undefined && { title }),
    };
    this.#message.parts.push(known);
    this.#show({ ...known, ...document });
  }

  #show(event: InnerEvent): void {
    if (!this.#shown) return;
    this.#streamed = true;
    emit(this.#turn, event, this.#block.thread);
  }
}

function noteMetadata({ part }: OpenText, metadata: Metadata): void {
  if (metadata !== undefined) part.providerMetadata = metadata;
}
