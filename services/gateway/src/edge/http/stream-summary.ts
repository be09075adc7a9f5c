import type { UsedTokens } from "@muster/proto/sessions";

interface End {
  /** The finish reason of the turn, or `error`. */
  outcome: string;
  errorType?: string;
  code?: string;
}

/** The report of the access line on a stream. A delta costs two comparisons. */
export class StreamSummary {
  #firstDeltaAtMs: number | undefined;
  #tokens: UsedTokens | undefined;
  #end: End | undefined;
  #isCut = false;

  observe({ type, json }: { type: string; json: string }): void {
    if (this.#firstDeltaAtMs === undefined && type.endsWith("-delta")) {
      this.#firstDeltaAtMs = performance.now();
    } else if (type === "finish")
      this.#end = { outcome: textOf(json, "finishReason").finishReason ?? "other" };
    else if (type === "error") this.failed(textOf(json, "errorType", "code"));
  }

  used(tokens: UsedTokens | undefined): void {
    if (tokens !== undefined) this.#tokens = tokens;
  }

  /** The stream ends with an `error` event. */
  failed({ errorType, code }: Pick<End, "errorType" | "code">): void {
    this.#end = { outcome: "error", ...(errorType && { errorType }), ...(code && { code }) };
  }

  /** The gateway closes the connection without sending the rest. */
  cut(): void {
    this.#isCut = true;
  }

  /** When the first text, reasoning or tool input was sent, as `performance.now()`. */
  get firstDeltaAtMs(): number | undefined {
    return this.#firstDeltaAtMs;
  }

  /** `isSent`: whether the last frame was sent. */
  outcome(isSent: boolean): string {
    const lost = this.#isCut ? "cut" : "client left";
    return isSent ? (this.#end?.outcome ?? lost) : lost;
  }

  /** Fields of the access line. `startedMs`: when the request began; `isSent`: whether the last frame was sent. */
  fields(startedMs: number, isSent: boolean): Record<string, string | number> {
    const firstDelta = this.#firstDeltaAtMs;
    return {
      ...this.#end,
      outcome: this.outcome(isSent),
      ...(firstDelta !== undefined && { firstDeltaMs: Math.round((firstDelta - startedMs) * 10) / 10 }),
      ...(this.#tokens && { inputTokens: this.#tokens.input, outputTokens: this.#tokens.output }),
    };
  }
}

/** The fields of an event whose values are strings. */
function textOf<Field extends string>(json: string, ...fields: Field[]): { [field in Field]?: string } {
  const event: unknown = JSON.parse(json);
  const found: { [field in Field]?: string } = {};
  if (typeof event !== "object" || event === null) return found;
  for (const field of fields) {
    const value: unknown = Reflect.get(event, field);
    if (typeof value === "string") found[field] = value;
  }
  return found;
}
