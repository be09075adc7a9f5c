import type { JSONObject, LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { usageOf as chatUsageOf, noUsage } from "./chat-streams.ts";
import {
  type Fields,
  givenNumber,
  givenText,
  notOurs,
  numberOf,
  type OwnStreams,
  objectOf,
  ownStreams,
  type PartReader,
  textOf,
} from "./own-streams.ts";

type Part = LanguageModelV4StreamPart;

/** Streams of OpenAI's responses. */
export function responsesStreams(fetch: typeof globalThis.fetch): OwnStreams {
  return ownStreams(fetch, { createReader: (parts) => new ResponsesReader(parts) });
}

/** An output item that has begun and not ended. */
interface Item {
  type: unknown;
  /** Later events of the item may name another one. */
  id: string;
  callId: string;
  /** The events that the package needs to know it. */
  events: Fields[];
  phase: string | undefined;
  encrypted: string | null;
  /** The summaries of reasoning that have not ended, and whether one may end. */
  summaries: Map<number, "active" | "can-conclude">;
}

class ResponsesReader implements PartReader {
  readonly #parts: Part[];
  readonly #items = new Map<unknown, Item>();
  /** Events that say something about the whole response. */
  readonly #whole: Fields[] = [];
  #hasOutput = false;
  #hasCall = false;
  #hasRefusal = false;
  #usage = noUsage;
  #finishReason: LanguageModelV4FinishReason = { unified: "interrupted", raw: undefined };

  constructor(parts: Part[]) {
    this.#parts = parts;
  }

  read(data: unknown): void {
    const event = objectOf(data);
    const type = givenText(event.type);
    if (type === "response.output_text.delta") this.#append(event);
    else if (type === "response.function_call_arguments.delta") this.#appendInput(event);
    else if (type === "response.reasoning_summary_text.delta") this.#appendSummary(event);
    else if (type === "response.output_item.added") this.#begin(event, objectOf(event.item));
    else if (type === "response.output_item.done") this.#close(event, objectOf(event.item));
    else if (type === "response.reasoning_summary_part.added") this.#beginSummary(event);
    else if (type === "response.reasoning_summary_part.done") this.#endSummary(event);
    else if (type === "response.created") this.#identify(event, objectOf(event.response));
    else if (type === "response.completed" || type === "response.incomplete")
      this.#complete(event, objectOf(event.response));
    else if (type === "response.refusal.delta" || type === "response.refusal.done") this.#refuse(event);
    else if (endsOurs.has(type)) throw notOurs(event);
    else if (type !== "response.function_call_arguments.done") return;
    this.#hasOutput ||= type !== "response.created";
  }

  end(): void {
    this.#parts.push({ type: "finish", finishReason: this.#finishReason, usage: this.#usage });
  }

  context(): unknown[] {
    const open = [...this.#items.values()].flatMap(({ events }) => events);
    // An error is another one before the first output. A delta of no call is an output without parts.
    const output = {
      type: "response.function_call_arguments.delta",
      item_id: "",
      output_index: -1,
      delta: "",
    };
    return [...this.#whole, ...open, ...(this.#hasOutput ? [output] : [])];
  }

  #identify(event: Fields, { id, created_at, model }: Fields): void {
    const timestamp = new Date(givenNumber(created_at) * 1000);
    this.#parts.push({ type: "response-metadata", id: givenText(id), timestamp, modelId: givenText(model) });
    this.#whole.push(event);
  }

  #idOf({ item_id, output_index }: Fields): string {
    const item = this.#items.get(numberOf(output_index));
    const id = givenText(item_id);
    return item === undefined || item.type === "function_call" ? id : item.id;
  }

  #reasoningOf(event: Fields): Item | undefined {
    const id = this.#idOf(event);
    return [...this.#items.values()].find((item) => item.type === "reasoning" && item.id === id);
  }

  #append(event: Fields): void {
    this.#parts.push({ type: "text-delta", id: this.#idOf(event), delta: givenText(event.delta) });
  }

  #appendInput({ output_index, delta: given }: Fields): void {
    const item = this.#items.get(givenNumber(output_index));
    const delta = givenText(given);
    if (item?.type === "function_call")
      this.#parts.push({ type: "tool-input-delta", id: item.callId, delta });
  }

  #appendSummary(event: Fields): void {
    const itemId = this.#idOf(event);
    const id = `${itemId}:${givenNumber(event.summary_index)}`;
    this.#parts.push({ type: "reasoning-delta", id, delta: givenText(event.delta), ...metadata({ itemId }) });
  }

  #refuse(event: Fields): void {
    if (event.type === "response.refusal.delta") this.#append(event);
    if (!this.#hasRefusal) this.#whole.push({ type: "response.refusal.done", item_id: "", refusal: "" });
    this.#hasRefusal = true;
  }

  #begin(
    event: Fields,
    { type, id: itemId, call_id, name, phase, encrypted_content, ...rest }: Fields,
  ): void {
    const index = givenNumber(event.output_index);
    const isCall = type === "function_call";
    const id = givenText(itemId);
    if (this.#items.has(index) || (isCall && isSpecial(name, rest))) throw notOurs(event);
    const item: Item = {
      ...{ type, id, callId: isCall ? givenText(call_id) : "", events: [event] },
      ...{ phase: textOf(phase), encrypted: textOf(encrypted_content) ?? null },
      summaries: new Map([[0, "active"]]),
    };
    if (isCall) this.#parts.push({ type: "tool-input-start", id: item.callId, toolName: givenText(name) });
    else if (type === "message")
      this.#parts.push({ type: "text-start", id, ...textMetadata(id, item.phase) });
    else if (type === "reasoning") this.#startSummary(item, 0);
    else throw notOurs(event);
    this.#items.set(index, item);
  }

  #startSummary({ id, encrypted }: Item, index: number): void {
    const about = metadata({ itemId: id, reasoningEncryptedContent: encrypted });
    this.#parts.push({ type: "reasoning-start", id: `${id}:${index}`, ...about });
  }

  #beginSummary(event: Fields): void {
    const index = givenNumber(event.summary_index);
    const item = index > 0 ? this.#reasoningOf(event) : undefined;
    if (item === undefined) return;
    item.events.push(event);
    item.summaries.set(index, "active");
    for (const [open, state] of inOrder(item.summaries)) {
      if (state === "active") continue;
      this.#parts.push({ type: "reasoning-end", id: `${item.id}:${open}`, ...metadata({ itemId: item.id }) });
      item.summaries.delete(open);
    }
    this.#startSummary(item, index);
  }

  /** It ends with the next one or with the item, whose end has the data to send back. */
  #endSummary(event: Fields): void {
    const item = this.#reasoningOf(event);
    item?.summaries.set(givenNumber(event.summary_index), "can-conclude");
    item?.events.push(event);
  }

  #close(event: Fields, item: Fields): void {
    const index = givenNumber(event.output_index);
    const open = this.#items.get(index);
    if (open === undefined || open.type !== item.type) throw notOurs(event);
    const { id } = open;
    if (open.type === "function_call") this.#call(event, item);
    else if (open.type === "message")
      this.#parts.push({ type: "text-end", id, ...textMetadata(id, textOf(item.phase) ?? open.phase) });
    else {
      const about = metadata({
        itemId: id,
        reasoningEncryptedContent: textOf(item.encrypted_content) ?? null,
      });
      for (const [summary] of inOrder(open.summaries))
        this.#parts.push({ type: "reasoning-end", id: `${id}:${summary}`, ...about });
    }
    this.#items.delete(index);
  }

  #call(event: Fields, { id, call_id, name, arguments: args, ...rest }: Fields): void {
    if (isSpecial(name, rest)) throw notOurs(event);
    const [toolCallId, itemId] = [givenText(call_id), givenText(id)];
    const call = { toolCallId, toolName: givenText(name), input: givenText(args) };
    this.#parts.push({ type: "tool-input-end", id: toolCallId });
    this.#parts.push({ type: "tool-call", ...call, ...metadata({ itemId }) });
    // The package must know that there was a call, but not its arguments.
    const known = { type: "function_call", id, call_id, name, arguments: "", status: "completed" };
    if (!this.#hasCall)
      for (const type of ["response.output_item.added", "response.output_item.done"])
        this.#whole.push({ type, output_index: event.output_index, item: known });
    this.#hasCall = true;
  }

  #complete({ type }: Fields, { incomplete_details, usage }: Fields): void {
    const reason = textOf(objectOf(incomplete_details ?? {}).reason);
    if (usage) this.#usage = usageOf(objectOf(usage));
    const known = { max_output_tokens: "length", content_filter: "content-filter" } as const;
    const whole = this.#hasRefusal ? "content-filter" : "stop";
    const other = this.#hasCall ? "tool-calls" : reason === undefined ? whole : "other";
    const isKnown = reason === "max_output_tokens" || reason === "content_filter";
    this.#finishReason = { unified: isKnown ? known[reason] : other, raw: reason };
    this.#whole.push({ type, response: { incomplete_details, usage } });
  }
}

/** Failures and citations. The rest that the package reads belongs to items that are not ours. */
const endsOurs = new Set(["error", "response.failed", "response.output_text.annotation.added"]);

/** A call of several calls, or one that something else than the model has made. */
function isSpecial(name: unknown, { async, namespace, caller }: Fields): boolean {
  return name === "parallel" || (async ?? namespace ?? caller ?? undefined) !== undefined;
}

function metadata(openai: JSONObject) {
  return { providerMetadata: { openai } };
}

function textMetadata(itemId: string, phase: string | undefined) {
  return metadata({ itemId, ...(phase !== undefined && { phase }) });
}

function inOrder<T>(summaries: ReadonlyMap<number, T>): Array<[number, T]> {
  return [...summaries].sort(([a], [b]) => a - b);
}

function usageOf({ input_tokens, input_tokens_details, output_tokens, output_tokens_details }: Fields) {
  const prompt = { prompt_tokens: input_tokens, prompt_tokens_details: input_tokens_details };
  const completion = { completion_tokens: output_tokens, completion_tokens_details: output_tokens_details };
  return chatUsageOf({ ...prompt, ...completion }, true);
}
