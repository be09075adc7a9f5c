import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Catalog } from "@muster/catalog";
import type { ModelCall } from "@muster/engine";
import { priceFactorOf } from "@muster/models";
import { monthOf } from "@muster/rpc";
import type { Clock } from "@muster/service";
import type { Fees } from "../store/session-document.ts";
import { type ExtraCall, type RecordedTokens, type UsageRecord, usageId } from "../store/usage-document.ts";
import { estimateCall, estimateCut } from "./estimate-call.ts";
import { CostMeter } from "./session-usage.ts";
import type { ChargedTo, Flight, ReachedLimit, SpendingGuard } from "./spending-guard.ts";
import { sumsOf, type UsageLedger } from "./usage-ledger.ts";

/** A turn of a session, of a worker or of a workforce agent. */
export interface ChargedTurn extends ChargedTo {
  agentId: string;
  /** The execution itself for a worker. */
  sessionId: string;
  executionId: string;
  /** The epoch of the turn's lease. */
  epoch: number;
}

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
  ledger: Pick<UsageLedger, "add" | "addLater">;
  guard: Pick<SpendingGuard, "admit">;
  catalog: Pick<Catalog, "costOf" | "priceVersion">;
  clock: Clock;
}

/** Records the model calls of one turn, and checks the limits that count them. */
export class TurnLedger {
  readonly #deps: Dependencies;
  readonly #turn: ChargedTurn;

  constructor(deps: Dependencies, turn: ChargedTurn) {
    this.#deps = deps;
    this.#turn = turn;
  }

  /** The session's usage is the sum of its records. */
  get isOfWorkforce(): boolean {
    return this.#turn.workforceAgentId !== undefined;
  }

  /** See `SpendingGuard.admit`. */
  admit(call: ModelCall): Promise<ReachedLimit | Flight | undefined> {
    return this.#deps.guard.admit(this.#turn, () => {
      const tokens = estimateCall(call);
      return sumsOf({ ...this.#feesOf(call, tokens), tokens: tokensOf(tokens) });
    });
  }

  /**
   * False: a process that has died has recorded this call of a workforce agent, and its usage counts. A promise unless no limit
   * counts the call: then it can be lost.
   */
  record(call: ChargedCall, flight: Flight | undefined): Promise<boolean> | true {
    const record = this.#recordOf(call);
    if (flight === undefined && !this.isOfWorkforce) {
      this.#deps.ledger.addLater(record);
      return true;
    }
    return this.#deps.ledger.add(record).then((isNew) => {
      flight?.recorded(isNew ? sumsOf(record) : { totalFee: "0", tokens: 0 });
      return isNew;
    });
  }

  /** A call whose response was not read to its end is paid up to there, and perhaps made again. */
  recordCut(
    call: ModelCall,
    place: Pick<ChargedCall, "step" | "workerId" | "isBackup">,
    { outputBytes, byok }: { outputBytes: number; byok: boolean },
    flight: Flight | undefined,
  ): Promise<boolean> | true {
    const usage = estimateCut(call, outputBytes);
    const fees = { ...this.#feesOf(call, usage), byok };
    return this.record({ ...place, extra: "cut", modelId: call.modelId, usage, fees }, flight);
  }

  #feesOf({ modelId, speed }: ModelCall, usage: LanguageModelV4Usage): Fees {
    const terms = { byok: false, priceFactor: priceFactorOf(modelId, { speed }) };
    return new CostMeter(this.#deps.catalog).add(modelId, usage, terms);
  }

  #recordOf({ step, workerId, isBackup, extra, modelId, usage, fees }: ChargedCall): UsageRecord {
    const { clock, catalog } = this.#deps;
    const { limits: _, epoch, ...turn } = this.#turn;
    const { providerFee, bandwidthFee, byok = false } = fees;
    const nowMs = clock.now();
    const attempt = this.isOfWorkforce ? undefined : epoch;
    return {
      _id: usageId({ ...turn, epoch: attempt, step, workerId, isBackup, extra }),
      ...turn,
      step,
      month: monthOf(nowMs),
      at: new Date(nowMs),
      modelId,
      tokens: tokensOf(usage),
      priceVersion: catalog.priceVersion,
      ...{ providerFee, bandwidthFee, byok },
      ...(extra === "cut" && { isEstimated: true }),
      pending: true,
      ...(turn.subject !== undefined && { pendingSubject: true }),
    };
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
