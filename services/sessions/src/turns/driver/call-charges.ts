import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { frameOf, type ModelCall } from "@muster/engine";
import { priceFactorOf } from "@muster/models";
import type { StreamEvent, UsedTokens } from "@muster/proto/sessions";
import { Reason, readRpcError } from "@muster/rpc";
import type { Logger } from "@muster/service";
import { addDecimals, isAtLeast } from "@muster/service/money";
import { isStoreUnavailable } from "@muster/store";
import type { Flight } from "../../usage/spending-guard.ts";
import type { DriveOrder } from "./drive-order.ts";
import { onceThereIsSpace } from "./once-there-is-space.ts";
import type { StopCause } from "./stop-cause.ts";
import type { CallMetrics } from "./turn-metrics.ts";

/** Counts the usage of an execution's model calls, in tokens and in money, and records the charges. */
export class CallCharges {
  readonly tokens = new TokenCount();
  readonly #order: Pick<
    DriveOrder,
    "machine" | "meter" | "sessionMeter" | "modelCalls" | "ledger" | "maxUsd"
  >;
  readonly #log: Logger;
  readonly #stop: (cause: StopCause) => void;

  /** `stop`: ends the execution, because a limit is reached or nothing can be recorded. */
  constructor(
    order: Pick<DriveOrder, "machine" | "meter" | "sessionMeter" | "modelCalls" | "ledger" | "maxUsd">,
    log: Logger,
    stop: (cause: StopCause) => void,
  ) {
    this.#order = order;
    this.#log = log;
    this.#stop = stop;
  }

  /** A promise if the charge is stored at once. */
  add(
    { modelId, speed, summary }: ModelCall,
    usage: LanguageModelV4Usage,
    workerId: string | undefined,
    { measured, flight }: { measured: CallMetrics | undefined; flight: Flight | undefined },
  ): Promise<void> | undefined {
    this.tokens.add(usage);
    const { meter, sessionMeter, modelCalls, ledger } = this.#order;
    const priceFactor = priceFactorOf(modelId, { speed });
    const fees = meter.add(modelId, usage, { byok: modelCalls.usesProjectKey(modelId), priceFactor });
    measured?.used(usage, fees);
    if (!ledger?.isOfWorkforce) sessionMeter?.add(modelId, usage, fees);
    if (ledger === undefined) return undefined;
    const place = this.#placeOf(summary, workerId);
    // Before anything of the step is stored, so that a session never shows more than its records.
    const recorded = ledger.record({ ...place, modelId, usage, fees }, flight);
    if (recorded === true) return undefined;
    let pending: Promise<boolean> | undefined = recorded;
    return this.#orStoreDown(async () => {
      const attempt = pending ?? ledger.record({ ...place, modelId, usage, fees }, flight);
      pending = undefined;
      if ((await attempt) && ledger.isOfWorkforce) sessionMeter?.add(modelId, usage, fees);
    });
  }

  /** A call ends before its provider has reported the usage. */
  async addCut(
    call: ModelCall,
    workerId: string | undefined,
    { outputBytes, flight }: { outputBytes: number; flight: Flight | undefined },
  ): Promise<void> {
    const { ledger, modelCalls } = this.#order;
    try {
      const byok = modelCalls.usesProjectKey(call.modelId);
      await ledger?.recordCut(call, this.#placeOf(undefined, workerId), { outputBytes, byok }, flight);
    } catch (error) {
      this.#log.error({ err: error }, "the usage of a call that was cut could not be stored");
    }
  }

  #placeOf(summary: ModelCall["summary"], workerId: string | undefined) {
    const { modelSteps, open } = frameOf(this.#order.machine.frame, workerId);
    const repair = open?.repair?.step === modelSteps ? ("repair" as const) : undefined;
    const extra = summary === undefined ? repair : (`summary${summary}` as const);
    const place = { step: modelSteps, ...(workerId !== undefined && { workerId }) };
    return { ...place, isBackup: open?.onBackup === true, extra };
  }

  /** Before a call: stops the execution if a limit is reached. Undefined: no limit counts the call. */
  async admit(call: ModelCall): Promise<Flight | undefined> {
    const { ledger, maxUsd, meter } = this.#order;
    const { providerFee, bandwidthFee } = meter.fees;
    if (maxUsd !== undefined && isAtLeast(addDecimals(providerFee, bandwidthFee), maxUsd)) {
      this.#stop("spending-limit");
      return undefined;
    }
    let flight: Flight | undefined;
    if (ledger === undefined) return undefined;
    await this.#orStoreDown(async () => {
      const outcome = await ledger.admit(call);
      if (outcome === undefined) return;
      if ("reached" in outcome) this.#stop(outcome.reached);
      else flight = outcome;
    });
    return flight;
  }

  async #orStoreDown(run: () => Promise<void>): Promise<void> {
    try {
      await onceThereIsSpace(run);
    } catch (error) {
      const isAway = isStoreUnavailable(error) || readRpcError(error).reason === Reason.UNAVAILABLE;
      if (!isAway) throw error;
      this.#log.error({ err: error }, "the usage of a turn could not be stored or read");
      this.#stop("store-down");
    }
  }
}

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
