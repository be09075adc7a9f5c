import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { StreamEvent, UsedTokens } from "@muster/proto/sessions";

const maxCount = 2 ** 32 - 1;

/** Adds up the tokens of an execution's model calls, as the providers count them. */
export class TokenCount {
  #input = 0;
  #output = 0;
  /** A call that was interrupted, or whose provider does not count, has used an unknown number and not none. */
  #isKnown = false;

  add({ inputTokens, outputTokens }: LanguageModelV4Usage): void {
    this.#isKnown ||= inputTokens.total !== undefined || outputTokens.total !== undefined;
    this.#input = plus(this.#input, inputTokens.total);
    this.#output = plus(this.#output, outputTokens.total);
  }

  /** The field of a message with these events: set only once the models have finished, if a provider has counted. */
  fieldFor(events: readonly StreamEvent[]): { usedTokens?: UsedTokens } {
    if (!this.#isKnown || !lastTypes.has(events.at(-1)?.type ?? "")) return {};
    return {
      usedTokens: { $typeName: "muster.sessions.v1.UsedTokens", input: this.#input, output: this.#output },
    };
  }
}

/** Types that an execution's last event can have. */
const lastTypes: ReadonlySet<string> = new Set(["finish", "error", "usage"]);

/** Providers count wrongly at times: whatever they report, the sum can be sent. */
function plus(sum: number, count = 0): number {
  return Number.isInteger(count) && count > 0 ? Math.min(maxCount, sum + count) : sum;
}
