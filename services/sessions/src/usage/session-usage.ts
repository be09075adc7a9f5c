import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Catalog } from "@muster/catalog";
import type { Frame } from "@muster/engine";
import { addDecimals } from "@muster/service/money";
import type { EventOf } from "@muster/wire/events";
import type { Fees } from "../store/session-document.ts";

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
interface SessionUsage {
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

interface CallTerms {
  /** The call used a key of the project. */
  byok: boolean;
  /** The provider's charges, in list prices. Default 1. */
  priceFactor?: number;
}

/**
 * Adds up the cost of an execution's model calls, call by call, because some prices depend on the size of a call
 * and because prices change. A model that is not in the catalog costs nothing.
 */
export class CostMeter {
  readonly #catalog: Pick<Catalog, "costOf">;
  #fees: Fees;

  /** `fees`: the execution's fees so far. */
  constructor(catalog: Pick<Catalog, "costOf">, fees: Fees = noFees) {
    this.#catalog = catalog;
    this.#fees = fees;
  }

  get fees(): Fees {
    return this.#fees;
  }

  /** Returns the cost of the call. */
  add(
    modelId: string,
    { inputTokens, outputTokens }: LanguageModelV4Usage,
    { byok, priceFactor = 1 }: CallTerms,
  ): Fees {
    const cost = this.#catalog.costOf(modelId, {
      inputTokens: inputTokens.total ?? 0,
      outputTokens: outputTokens.total ?? 0,
      cacheReadTokens: inputTokens.cacheRead,
      cacheWriteTokens: inputTokens.cacheWrite,
      reasoningTokens: outputTokens.reasoning,
      priceFactor,
    });
    const { providerFee, bandwidthFee } = cost ?? noFees;
    const fees = { providerFee, bandwidthFee, byok };
    this.#fees = addFees(this.#fees, fees);
    return fees;
  }
}

const noFees: Fees = { providerFee: "0", bandwidthFee: "0" };

/** The sum is of the project's own keys only if both parts are. Before the first call, neither is known. */
function addFees(a: Fees, b: Fees): Fees {
  const isOwn = a.byok === undefined ? b.byok : a.byok && b.byok;
  return {
    ...(isOwn !== undefined && { byok: isOwn }),
    providerFee: addDecimals(a.providerFee, b.providerFee),
    bandwidthFee: addDecimals(a.bandwidthFee, b.bandwidthFee),
  };
}

type ShownCost = EventOf<"usage">["cost"];

/** Fees are US dollars, as numbers because clients parse numbers; they are added up as exact decimals before that. */
function shownCost({ providerFee, bandwidthFee, byok = false }: Fees): ShownCost {
  return {
    currency: "USD",
    providerFee: Number(providerFee),
    bandwidthFee: Number(bandwidthFee),
    totalFee: Number(addDecimals(providerFee, bandwidthFee)),
    byok,
  };
}

/** The execution's usage so far, earlier requests included. Follows `finish`. */
export type UsageEvent = EventOf<"usage">;

export function usageEvent({ usage }: Frame, fees: Fees): UsageEvent {
  const tokens = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  for (const { inputTokens, outputTokens } of Object.values(usage)) {
    tokens.inputTokens += inputTokens;
    tokens.outputTokens += outputTokens;
    tokens.totalTokens += inputTokens + outputTokens;
  }
  return { type: "usage", cost: shownCost(fees), tokens };
}
