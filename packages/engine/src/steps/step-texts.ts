import type { NextMessageBlock } from "@muster/language";
import type { ObjectPart, ReasoningPart, StoredMessage, TextPart } from "../conversation/conversation.ts";
import { cutShort, shownId } from "../conversation/messages.ts";
import type { Show } from "../shown/call-events.ts";
import type { InnerEvent, Whereabouts } from "../shown/events.ts";
import { nextItemId, type Turn, whereabouts } from "../turn/turn.ts";
import { LoopGuard } from "./loop-guard.ts";
import { completeObject } from "./object-answer.ts";

type Kind = "text" | "reasoning";
type Metadata = TextPart["providerMetadata"];

interface OpenText {
  /** The id in our stream; providers reuse theirs. */
  readonly id: string;
  readonly part: TextPart | ReasoningPart | ObjectPart;
  readonly guard?: LoopGuard | undefined;
  /** A reader has seen its start. Texts without a word are never shown. */
  isShown: boolean;
  /** Appended since the text was last flattened. */
  looseCharacters: number;
}

const prefixes = { text: "txt", reasoning: "rsn" } as const;

/** The texts, objects and reasonings of one model step, while the model is writing them. */
export class StepTexts {
  readonly #output: StepOutput;
  readonly #where: Whereabouts | undefined;
  /** By the provider's id. */
  readonly #open = { text: new Map<string, OpenText>(), reasoning: new Map<string, OpenText>() };
  #isLooping = false;
  #hasForgotten = false;

  constructor(output: StepOutput) {
    this.#output = output;
    this.#where = whereabouts(output.turn, output.block.thread);
  }

  get isLooping(): boolean {
    return this.#isLooping;
  }

  /** A text or reasoning ended without a word and was removed. */
  get hasForgotten(): boolean {
    return this.#hasForgotten;
  }

  start(kind: Kind, providerId: string, metadata: Metadata): void {
    noteMetadata(this.#begin(kind, providerId), metadata);
  }

  append(kind: Kind, providerId: string, delta: string, metadata: Metadata): void {
    const open = this.#open[kind].get(providerId) ?? this.#begin(kind, providerId);
    noteMetadata(open, metadata);
    const { guard } = open;
    if (guard === undefined) this.#write(kind, open, delta);
    else {
      this.#write(kind, open, guard.take(delta));
      if (guard.isLooping) this.#isLooping = true;
    }
  }

  end(kind: Kind, providerId: string, metadata: Metadata, how?: "cut"): void {
    const open = this.#open[kind].get(providerId);
    if (open === undefined) return;
    this.#open[kind].delete(providerId);
    noteMetadata(open, metadata);
    const { part, guard } = open;
    if (guard !== undefined) this.#write(kind, open, guard.release());
    if (part.type === "object") completeObject(part, this.#output.block.responseType?.schema);
    else part.status = "done";
    if (how === "cut") cutShort(part, part.status);
    if (open.isShown) this.#showEnd(kind, open);
    // Data that the provider expects back, such as encrypted reasoning, is kept even without a word.
    else if (part.providerMetadata === undefined) this.#forget(part);
  }

  close(): void {
    for (const kind of ["text", "reasoning"] as const) {
      for (const id of this.#open[kind].keys()) this.end(kind, id, undefined, "cut");
    }
  }

  #write(kind: Kind, open: OpenText, delta: string): void {
    if (delta === "") return;
    const { id, part } = open;
    if (!open.isShown) {
      this.#moveToEnd(part);
      this.#showStart(kind, open);
    }
    part.text += delta;
    open.looseCharacters += delta.length;
    if (open.looseCharacters > 2_048 + part.text.length / 8) flatten(open);
    const { shown, turn } = this.#output;
    if (!shown) return;
    const type = kind === "text" ? "text-delta" : "reasoning-delta";
    const where = this.#where;
    const event: InnerEvent = { type, id, delta };
    turn.effects.push({ type: "emit", event: where === undefined ? event : { ...event, ...where } });
  }

  #begin(kind: Kind, providerId: string): OpenText {
    const { turn, message, guarded } = this.#output;
    if (this.#open[kind].has(providerId)) this.end(kind, providerId, undefined);
    const id = nextItemId(turn, prefixes[kind]);
    const part = kind === "text" ? this.#beginText(id) : beginReasoning();
    const guard = guarded ? new LoopGuard() : undefined;
    const open = { id, part, guard, isShown: false, looseCharacters: 0 };
    message.parts.push(part);
    if (part.type === "object") this.#showStart(kind, open);
    this.#open[kind].set(providerId, open);
    return open;
  }

  #showStart(kind: Kind, open: OpenText): void {
    const responseType = kind === "text" ? this.#output.block.responseType?.name : undefined;
    open.isShown = true;
    if (kind === "reasoning") this.#output.show({ type: "reasoning-start", id: open.id });
    else this.#output.show({ type: "text-start", id: open.id, ...(responseType && { responseType }) });
  }

  #showEnd(kind: Kind, { id, part }: OpenText): void {
    if (kind === "reasoning") this.#output.show({ type: "reasoning-end", id });
    else this.#output.show({ type: "text-end", id, ...(part.status === "error" && { invalid: true }) });
  }

  /** Users see parts in the order in which their first words arrive, live and later. */
  #moveToEnd(part: OpenText["part"]): void {
    const { parts } = this.#output.message;
    if (parts.at(-1) === part) return;
    parts.splice(parts.lastIndexOf(part), 1);
    parts.push(part);
  }

  #forget(part: OpenText["part"]): void {
    const { parts } = this.#output.message;
    const at = parts.lastIndexOf(part);
    if (at >= 0) parts.splice(at, 1);
    this.#hasForgotten = true;
  }

  #beginText(id: string): TextPart | ObjectPart {
    const { block, message } = this.#output;
    const typeName = block.responseType?.name;
    if (typeName === undefined) return { type: "text", text: "", status: "streaming" };
    // Item ids are unique within an execution; object ids are stored and must also differ between turns.
    return { type: "object", id: `${shownId(message)}_${id}`, typeName, text: "", status: "streaming" };
  }
}

/**
 * V8 keeps an appended text as a tree of its pieces, which takes ten times the memory of a text made from tokens, until
 * it is searched.
 */
function flatten(open: OpenText): void {
  anywhere.test(open.part.text);
  open.looseCharacters = 0;
}

const anywhere = /^/;

function beginReasoning(): ReasoningPart {
  return { type: "reasoning", text: "", status: "streaming" };
}

function noteMetadata({ part }: OpenText, metadata: Metadata): void {
  if (metadata !== undefined) part.providerMetadata = metadata;
}

/** The destination of a step's output, and its readers. */
export interface StepOutput {
  readonly turn: Turn;
  readonly block: NextMessageBlock;
  /** Receives the step's parts. */
  readonly message: StoredMessage;
  /** Whether users may see the output. */
  readonly shown: boolean;
  /** Whether the loop guard is on. */
  readonly guarded: boolean;
  /** Adds an event to the stream if users may see it. */
  readonly show: Show;
}
