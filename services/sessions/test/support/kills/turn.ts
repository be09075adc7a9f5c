import assert from "node:assert/strict";
import type { CallOptions, Client } from "@connectrpc/connect";
import type { StreamEvent as SentEvent, SessionsService } from "@muster/proto/sessions";
import { Reason, readRpcError } from "@muster/rpc";
import type { StreamEvent } from "@muster/wire/events";
import { checkEvent } from "@muster/wire/events/check";
import { asStreamEvent } from "../folding.ts";
import { result, say } from "../harness.ts";

type SessionsClient = Client<typeof SessionsService>;

interface Seen {
  sequence: number;
  event: StreamEvent;
}

/** One turn as its client sees it: it executes the tools that are requested, and continues streams that break. */
export class Turn {
  readonly #sessionId: string;
  readonly #text: string;
  readonly #as: () => CallOptions;
  /** The responses to its trigger and to its results. */
  readonly #responses: Seen[][] = [];
  /** The latest results. */
  #sent: object | undefined;
  readonly #executed: Array<{ toolCallId: string; toolName: string }> = [];

  constructor(sessionId: string, text: string, as: () => CallOptions) {
    this.#sessionId = sessionId;
    this.#text = text;
    this.#as = as;
  }

  get streams(): StreamEvent[][] {
    return this.#responses.map((seen) => seen.map(({ event }) => event));
  }

  /** The names of the tools that the client has executed. */
  get executed(): string[] {
    const ids = this.#executed.map(({ toolCallId }) => toolCallId);
    assert.equal(new Set(ids).size, ids.length, "A tool was executed twice");
    return this.#executed.map(({ toolName }) => toolName).toSorted();
  }

  /** The client knows the execution and can continue its stream. */
  get isKnown(): boolean {
    return this.#responses[0]?.[0] !== undefined;
  }

  get #last(): Seen[] {
    return this.#responses.at(-1) ?? [];
  }

  get #executionId(): string {
    const start = this.#responses[0]?.[0]?.event;
    assert.ok(start?.type === "start");
    return start.executionId;
  }

  /** Calls `onEvent` after each event. Throws what ends a stream early. */
  async run(client: SessionsClient, onEvent: () => Promise<void>): Promise<void> {
    await this.#respond(client, say(this.#sessionId, this.#text), onEvent);
    await this.#continue(client, onEvent);
  }

  /** Continues the last stream, or sends results again that had no response; then continues the turn to its end. */
  async resume(
    client: SessionsClient,
    from: "cursor" | "start",
    onEvent: () => Promise<void>,
  ): Promise<void> {
    const executionId = this.#executionId;
    if (this.#last.length === 0 && (await this.#repeat(client, onEvent))) return;
    if (from === "start") this.#last.splice(0);
    const afterSequence = this.#last.at(-1)?.sequence ?? 0;
    const request = { sessionId: this.#sessionId, executionId, afterSequence };
    await this.#read(client.resumeExecution(request, this.#as()), onEvent);
    await this.#continue(client, onEvent);
  }

  /** False: the results have arrived, and their response can be read. */
  async #repeat(client: SessionsClient, onEvent: () => Promise<void>): Promise<boolean> {
    if (this.#sent === undefined) return false;
    try {
      await this.#read(client.trigger(this.#sent, this.#as()), onEvent);
    } catch (error) {
      if (readRpcError(error).reason !== Reason.UNKNOWN_TOOL_CALL) throw error;
      return false;
    }
    await this.#continue(client, onEvent);
    return true;
  }

  async #continue(client: SessionsClient, onEvent: () => Promise<void>): Promise<void> {
    for (let request = this.#results(); request !== undefined; request = this.#results()) {
      await this.#respond(client, request, onEvent);
    }
  }

  async #respond(client: SessionsClient, request: object, onEvent: () => Promise<void>): Promise<void> {
    this.#responses.push([]);
    await this.#read(client.trigger(request, this.#as()), onEvent);
  }

  /** Executes the tools of a stream that has ended with their request. */
  #results(): object | undefined {
    const events = this.#last.map(({ event }) => event);
    if (events.at(-1)?.type !== "finish") return undefined;
    const calls = events.flatMap((event) => (event.type === "tool-request" ? event.toolCalls : []));
    if (calls.length === 0) return undefined;
    this.#executed.push(...calls);
    const toolResults = calls.map(({ toolCallId }) => result(toolCallId, { found: 7 }));
    this.#sent = { sessionId: this.#sessionId, executionId: this.#executionId, toolResults };
    return this.#sent;
  }

  async #read(stream: AsyncIterable<{ events: SentEvent[] }>, onEvent: () => Promise<void>): Promise<void> {
    const seen = this.#last;
    for await (const { events } of stream) {
      for (const { sequence, json } of events) {
        assert.ok(sequence > (seen.at(-1)?.sequence ?? 0), `Event ${sequence} came twice`);
        const event = JSON.parse(json);
        checkEvent(event);
        seen.push({ sequence, event: asStreamEvent(event) });
      }
      for (const _ of events) await onEvent();
    }
  }
}
