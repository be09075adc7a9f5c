import type { StartedSession, TurnResult } from "@muster/proto/sessions";
import { codeOfErrorType, publicCodes, streamErrorTypes } from "@muster/wire/error-codes";
import { internalProblem } from "../edge/errors/from-rpc.ts";
import { HttpProblem } from "../edge/errors/http-problem.ts";
import type { Batch } from "./event-stream.ts";

/** A message of a call that also returns the text of the turn. */
export interface TurnBatch extends Batch {
  result?: TurnResult | undefined;
  /** Set in the first message, if the call creates the session. */
  session?: StartedSession | undefined;
}

const keptTypes = ["start", "tool-request", "finish", "usage", "error"] as const;
type KeptType = (typeof keptTypes)[number];

/** Collects the response of a turn as a single JSON document. Keeps one event of a type, and no deltas. */
export class TurnCollector {
  readonly #events = new Map<KeptType, string>();
  #sessionId: string | undefined;
  #replayed: string | undefined;
  #result: TurnResult | undefined;

  /** `sessionId`: absent if a message names it. */
  constructor(sessionId?: string) {
    this.#sessionId = sessionId;
  }

  observe({ events, result, session }: TurnBatch): void {
    this.#sessionId ??= session?.sessionId;
    if (session?.eventsGone) this.#replayed = replayedJson(session);
    for (const { type, json } of events) {
      const kept = keptTypes.find((known) => known === type);
      if (kept !== undefined) this.#events.set(kept, json);
    }
    this.#result = result ?? this.#result;
  }

  /** Set if the turn failed. */
  get problem(): HttpProblem | undefined {
    const error = this.#events.get("error");
    return error === undefined ? undefined : problemFromStreamError(error);
  }

  /** The JSON in pieces, because a message can be large; undefined if the turn has not ended. */
  document(): string[] | undefined {
    if (this.#replayed !== undefined) return [this.#replayed];
    const outcome = this.outcome();
    if (outcome === undefined) return undefined;
    const { text, messageJson, ...head } = outcome;
    return [
      JSON.stringify(head).slice(0, -1),
      `,"text":${JSON.stringify(text)},"message":`,
      messageJson,
      "}",
    ];
  }

  /** The fields of the document. `messageJson`: the assistant message, or `null`. */
  outcome() {
    const result = this.#result;
    if (result === undefined || !this.#events.has("finish")) return undefined;
    const { cost, tokens } = this.#fields("usage");
    // The first request with an idempotency key may have asked for a stream without it.
    const usage = this.#events.has("usage") ? { usage: { cost, tokens } } : {};
    const { finishReason, approvals, openCalls } = this.#fields("finish");
    return {
      sessionId: this.#sessionId,
      executionId: this.#fields("start").executionId,
      finishReason,
      toolCalls: this.#fields("tool-request").toolCalls ?? [],
      ...(approvals !== undefined && { approvals }),
      ...(openCalls !== undefined && { openCalls }),
      ...usage,
      text: result.text,
      messageJson: result.messageJson,
    };
  }

  #fields(type: KeptType): Record<string, unknown> {
    const event: unknown = JSON.parse(this.#events.get(type) ?? "{}");
    return typeof event === "object" && event !== null ? { ...event } : {};
  }
}

/** The response to a repeated start whose events are no longer kept. */
export function replayedJson({ sessionId, executionId }: StartedSession): string {
  return JSON.stringify({ sessionId, executionId, replayed: true });
}

/** The response for the JSON of an `error` event. */
function problemFromStreamError(json: string): HttpProblem {
  const event: unknown = JSON.parse(json);
  if (typeof event !== "object" || event === null) {
    return internalProblem(new Error("an error event is not an object"));
  }
  const fields: Record<string, unknown> = { ...event };
  const type = streamErrorTypes.find((known) => known === fields.errorType) ?? "unknown_error";
  const code = publicCodes.find((known) => known === fields.code) ?? codeOfErrorType[type];
  return new HttpProblem(code, String(fields.message), {
    ...(typeof fields.retryAfter === "number" && { retryAfterMs: fields.retryAfter * 1_000 }),
    // For the log. The event's own message can repeat the conversation.
    cause: new Error(`the turn ended with an error event of the type ${type}`),
  });
}
