import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { monthOf, reachedLimit } from "@muster/rpc";
import type { Clock } from "@muster/service";
import type { Fees, SpendingLimit } from "../store/session-document.ts";
import { type ExtraCall, type RecordedTokens, usageId } from "../store/usage-document.ts";
import type { UsageLedger } from "./usage-ledger.ts";

/** A run of a workforce agent. */
export interface ChargedRun {
  projectId: string;
  workforceAgentId: string;
  sessionId: string;
  executionId: string;
  limits: readonly SpendingLimit[];
}

/** Dollars, or tokens. */
export type LimitReached = "spending-limit" | "usage-limit";

/** A model call that has ended. */
export interface ChargedCall {
  /** Numbers the steps of the turn or of its worker, from 1. */
  step: number;
  /** Whose step it is. Absent: of the turn itself. */
  workerId?: string;
  isBackup: boolean;
  /** Undefined: the step itself. */
  extra?: ExtraCall | undefined;
  modelId: string;
  usage: LanguageModelV4Usage;
  fees: Fees;
}

interface Dependencies {
  ledger: Pick<UsageLedger, "add" | "sum">;
  clock: Clock;
  priceVersion: string;
}

/** Records the model calls of one run, and checks its limits. */
export class RunLedger {
  readonly #deps: Dependencies;
  readonly #run: ChargedRun;

  constructor(deps: Dependencies, run: ChargedRun) {
    this.#deps = deps;
    this.#run = run;
  }

  /** The first limit that this month's use has reached; undefined if a model may be called. */
  async reached(): Promise<LimitReached | undefined> {
    const { projectId, workforceAgentId, limits } = this.#run;
    const month = monthOf(this.#deps.clock.now());
    for (const { scope, ...limit } of limits) {
      const whose = { projectId, month, ...(scope === "agent" && { workforceAgentId }) };
      const reached = await reachedLimit(limit, () => this.#deps.ledger.sum(whose));
      if (reached !== undefined) return reached;
    }
    return undefined;
  }

  /** False: a process that has died has recorded this call, and its usage counts. */
  record({ step, workerId, isBackup, extra, modelId, usage, fees }: ChargedCall): Promise<boolean> {
    const { ledger, clock, priceVersion } = this.#deps;
    const { limits: _, ...run } = this.#run;
    const { providerFee, bandwidthFee, byok = false } = fees;
    const nowMs = clock.now();
    return ledger.add({
      _id: usageId({ ...run, step, workerId, isBackup, extra }),
      ...run,
      step,
      month: monthOf(nowMs),
      at: new Date(nowMs),
      modelId,
      tokens: tokensOf(usage),
      priceVersion,
      ...{ providerFee, bandwidthFee, byok },
      pending: true,
    });
  }
}

function tokensOf({ inputTokens, outputTokens }: LanguageModelV4Usage): RecordedTokens {
  return {
    input: count(inputTokens.total),
    output: count(outputTokens.total),
    cacheRead: count(inputTokens.cacheRead),
    cacheWrite: count(inputTokens.cacheWrite),
    reasoning: count(outputTokens.reasoning),
  };
}

/** Providers count wrongly at times. */
function count(tokens = 0): number {
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
}
