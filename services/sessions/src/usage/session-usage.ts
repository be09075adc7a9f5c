import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Fees } from "../store/session-document.ts";
import { addFees, noFees } from "./fees.ts";
import { type ShownCost, shownCost } from "./shown-cost.ts";

interface Tokens {
  inputTokens: number;
  outputTokens: number;
}

interface StoredUsage {
  /** By model id. */
  models: Record<string, Tokens>;
  fees: Fees;
}

interface ShownTokens extends Tokens {
  totalTokens: number;
}

/** The usage of a session as its readers see it. */
export interface SessionUsage {
  cost: ShownCost;
  tokens: ShownTokens;
  /** By model id. */
  models: Record<string, ShownTokens>;
}

/**
 * Adds up what all turns of a session have used. The turn's own writes store it, so it counts every model call once,
 * whatever becomes of the turn afterwards.
 */
export class SessionMeter {
  #stored: string | undefined;
  readonly #models: Map<string, Tokens>;
  #fees: Fees;

  /** `stored`: the usage in the session's document. */
  constructor(stored: string | undefined) {
    const { models, fees } = parse(stored);
    this.#stored = stored;
    this.#models = new Map(Object.entries(models));
    this.#fees = fees;
  }

  /** `fees`: of the call. */
  add(modelId: string, { inputTokens, outputTokens }: LanguageModelV4Usage, fees: Fees): void {
    this.addTokens(modelId, { input: inputTokens.total, output: outputTokens.total }, fees);
  }

  addTokens(
    modelId: string,
    { input, output }: { input: number | undefined; output: number | undefined },
    fees: Fees,
  ): void {
    const before = this.#models.get(modelId);
    this.#models.set(modelId, {
      inputTokens: plus(before?.inputTokens, input),
      outputTokens: plus(before?.outputTokens, output),
    });
    this.#fees = addFees(this.#fees, fees);
    this.#stored = undefined;
  }

  /** For the session's document; undefined if nothing has ever been used. */
  get text(): string | undefined {
    if (this.#models.size === 0) return undefined;
    this.#stored ??= JSON.stringify({ models: Object.fromEntries(this.#models), fees: this.#fees });
    return this.#stored;
  }
}

/** From a session's document. */
export function sessionUsage(stored: string | undefined): SessionUsage {
  const { models, fees } = parse(stored);
  const tokens: Tokens = { inputTokens: 0, outputTokens: 0 };
  for (const { inputTokens, outputTokens } of Object.values(models)) {
    tokens.inputTokens += inputTokens;
    tokens.outputTokens += outputTokens;
  }
  const byModel = Object.entries(models).map(([id, used]): [string, ShownTokens] => [id, withTotal(used)]);
  return { cost: shownCost(fees), tokens: withTotal(tokens), models: Object.fromEntries(byModel) };
}

function parse(stored: string | undefined): StoredUsage {
  if (stored === undefined) return { models: {}, fees: noFees };
  const { models, fees }: StoredUsage = JSON.parse(stored);
  // Earlier releases knew only the platform's keys.
  return { models, fees: { byok: false, ...fees } };
}

function withTotal({ inputTokens, outputTokens }: Tokens): ShownTokens {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

/** Providers count wrongly at times. */
function plus(sum = 0, count = 0): number {
  return Number.isSafeInteger(count) && count > 0 ? sum + count : sum;
}
