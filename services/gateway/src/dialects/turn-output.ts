import { timeOfId } from "@muster/service";
import type { StreamError } from "@muster/wire/error-codes";
import type { EventOf } from "@muster/wire/events";
import type { RelayedEvent } from "../streams/frames.ts";

export interface Writing {
  kind: "text" | "reasoning";
  id: string;
  text: string;
}

export interface Call {
  kind: "call";
  toolCallId: string;
  name: string;
  /** The arguments, as JSON. */
  text: string;
}

export interface Question {
  kind: "question";
  approvalId: string;
  name: string;
  /** The arguments, as JSON. */
  text: string;
}

/** Something that a turn has written for its caller. */
export type Part = Writing | Call | Question;

/** More steps and blocks than a retracted step can be back. */
const maxMarks = 256;

/**
 * The output of one turn, from its events: texts of the main conversation, the calls that the caller executes, and those
 * that users decide. Workers, named threads and independent blocks are not part of it. Subclasses write its frames.
 */
export abstract class TurnOutput {
  readonly parts: Part[] = [];
  executionId = "";
  finish: EventOf<"finish"> | undefined;
  tokens: EventOf<"usage">["tokens"] | undefined;
  readonly #open = new Map<string, Writing>();
  /** The running block, if nothing of it remains in the conversation. */
  #aside: string | undefined;
  /** The latest block was cancelled. */
  #isCut = false;
  /** The state when a step or a block began or a block ended. The latest is last. */
  readonly #marks = new Map<string, { length: number; aside: string | undefined }>();

  protected abstract begun(start: EventOf<"start">): string;
  protected abstract continued(part: Writing, delta: string): string;
  protected abstract asked(parts: readonly (Call | Question)[]): string;
  protected abstract retracted(parts: readonly Part[]): string;
  protected abstract used(tokens: EventOf<"usage">["tokens"]): string;
  protected abstract failed(error: StreamError): string;

  protected opened(_part: Writing): string {
    return "";
  }

  protected closed(_part: Writing): string {
    return "";
  }

  protected finished(_finish: EventOf<"finish">): string {
    return "";
  }

  frames(events: readonly RelayedEvent[]): string {
    let text = "";
    for (const event of events) text += this.frame(event);
    return text;
  }

  /** Empty: the event means nothing for the caller. Deltas, nearly all events, cost little more than their JSON. */
  protected frame({ type, json }: RelayedEvent): string {
    switch (type) {
      case "text-delta":
      case "reasoning-delta":
        return this.#continue(JSON.parse(json));
      case "text-start":
      case "reasoning-start":
        return this.#begin(type === "text-start" ? "text" : "reasoning", JSON.parse(json));
      case "text-end":
      case "reasoning-end":
        return this.#close(JSON.parse(json));
      case "block-start":
        return this.#startBlock(JSON.parse(json));
      case "block-end":
        return this.#endBlock(JSON.parse(json));
      case "step-start": {
        const { step, workerId }: EventOf<"step-start"> = JSON.parse(json);
        return this.#mark(nameOf(step, workerId));
      }
      case "step-discard":
        return this.#discard(JSON.parse(json));
      case "tool-request": {
        const { toolCalls }: EventOf<"tool-request"> = JSON.parse(json);
        return this.#add(
          toolCalls.map(({ toolCallId, ...call }) => ({ kind: "call", toolCallId, ...called(call) })),
        );
      }
      case "approval-request": {
        const { approvals }: EventOf<"approval-request"> = JSON.parse(json);
        return this.#add(
          approvals.map(({ approvalId, ...call }) => ({ kind: "question", approvalId, ...called(call) })),
        );
      }
      case "start":
        return this.#start(JSON.parse(json));
      case "finish":
        return this.#finish(JSON.parse(json));
      case "usage":
        return this.#use(JSON.parse(json));
      case "error":
        return this.failed(JSON.parse(json));
      default:
        return "";
    }
  }

  /** When the turn began, in seconds since 1970. */
  get createdAt(): number {
    return Math.floor((timeOfId(this.executionId) ?? 0) / 1_000);
  }

  /** It was cancelled while it wrote. */
  get isCut(): boolean {
    return this.#isCut && this.finish?.finishReason === "other";
  }

  /** The part is being written, or was when the turn was cancelled, whose end closes it. */
  isPartial(part: Part): boolean {
    const open: Part[] = [...this.#open.values()];
    return open.includes(part) || (this.isCut && part === this.parts.at(-1));
  }

  /** The texts so far, joined. */
  textOf(kind: Writing["kind"]): string {
    return this.parts.flatMap((part) => (part.kind === kind ? part.text : [])).join("");
  }

  /** A turn that results or decisions continue began where its first part did. */
  #start(start: EventOf<"start">): string {
    if (this.executionId !== "") return "";
    this.executionId = start.executionId;
    return this.begun(start);
  }

  #finish(finish: EventOf<"finish">): string {
    this.finish = finish;
    return this.finished(finish);
  }

  #use({ tokens }: EventOf<"usage">): string {
    this.tokens = tokens;
    return this.used(tokens);
  }

  #begin(kind: Writing["kind"], { id, thread, workerId }: EventOf<"text-start" | "reasoning-start">): string {
    if (thread !== undefined || workerId !== undefined || this.#aside !== undefined) return "";
    const part: Writing = { kind, id, text: "" };
    this.parts.push(part);
    this.#open.set(id, part);
    return this.opened(part);
  }

  #continue({ id, delta }: EventOf<"text-delta" | "reasoning-delta">): string {
    const part = this.#open.get(id);
    if (part === undefined) return "";
    part.text += delta;
    return this.continued(part, delta);
  }

  #close({ id }: EventOf<"text-end" | "reasoning-end">): string {
    const part = this.#open.get(id);
    this.#open.delete(id);
    return part === undefined ? "" : this.closed(part);
  }

  #add(parts: (Call | Question)[]): string {
    this.parts.push(...parts);
    return this.asked(parts);
  }

  #startBlock({ blockId, independent, workerId }: EventOf<"block-start">): string {
    this.#mark(nameOf(blockId, workerId));
    if (independent) this.#aside = blockId;
    return "";
  }

  #endBlock(event: EventOf<"block-end">): string {
    const { blockId, workerId, status } = event;
    const part = this.#aside === undefined ? writtenBy(event) : undefined;
    if (part !== undefined) this.parts.push(part);
    if (workerId === undefined) this.#isCut = status === "cancelled";
    this.#mark(nameOf(endOf(blockId), workerId));
    if (this.#aside === blockId) this.#aside = undefined;
    if (part === undefined) return "";
    return this.opened(part) + this.continued(part, part.text) + this.closed(part);
  }

  #mark(name: string): string {
    this.#marks.delete(name);
    this.#marks.set(name, { length: this.parts.length, aside: this.#aside });
    const [oldest] = this.#marks.keys();
    if (this.#marks.size > maxMarks && oldest !== undefined) this.#marks.delete(oldest);
    return "";
  }

  #discard({ step, blockId, workerId, waiting }: EventOf<"step-discard">): string {
    const wanted = waiting ? [step, endOf(blockId)] : [blockId ?? step];
    const names = wanted.map((name) => nameOf(name, workerId));
    const prefix = nameOf("", workerId);
    const ofLane = [...this.#marks.keys()].filter((name) => name.startsWith(prefix));
    const found = ofLane.find((name) => names.includes(name)) ?? (waiting ? undefined : ofLane.at(-1));
    const mark = this.#marks.get(found ?? "");
    if (found === undefined || mark === undefined) return "";
    const later = [...this.#marks.keys()];
    for (const name of later.slice(later.indexOf(found) + 1)) this.#marks.delete(name);
    this.#open.clear();
    this.#aside = mark.aside;
    return this.retracted(this.parts.splice(mark.length));
  }
}

/** The turn itself and each of its workers number their steps. */
function nameOf(name: string | number, workerId = ""): string {
  return `${workerId} ${name}`;
}

function endOf(blockId = ""): string {
  return `end ${blockId}`;
}

/** The text of a message of the agent that the block has added. Its files have no place in a response. */
function writtenBy({ message, thread, workerId }: EventOf<"block-end">): Writing | undefined {
  if (message?.role !== "assistant" || thread !== undefined || workerId !== undefined) return undefined;
  const texts = message.parts.flatMap((part) => (part.type === "text" ? part.text : []));
  return texts.length === 0 ? undefined : { kind: "text", id: message.id, text: texts.join("\n\n") };
}

function called({ toolName, args }: { toolName: string; args?: unknown }) {
  return { name: toolName, text: JSON.stringify(args ?? {}) };
}
