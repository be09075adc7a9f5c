import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { frameOf, type ModelCall } from "@muster/engine";
import { priceFactorOf } from "@muster/models";
import type { StreamEvent, UsedTokens } from "@muster/proto/sessions";
import type { Logger } from "@muster/service";
import { isStoreUnavailable } from "@muster/store";
import type { ChargedCall, RunLedger } from "../../usage/run-ledger.ts";
import type { DriveOrder } from "./drive-order.ts";
import { onceThereIsSpace } from "./once-there-is-space.ts";
import type { StopCause } from "./stop-cause.ts";
import type { CallMetrics } from "./turn-metrics.ts";

/** Counts the usage of an execution's model calls, in tokens and in money, and records the charges. */
export class CallCharges {
  readonly tokens = new TokenCount();
  readonly #order: Pick<DriveOrder, "machine" | "meter" | "sessionMeter" | "modelCalls" | "ledger">;
  readonly #log: Logger;
  readonly #stop: (cause: StopCause) => void;

  /** `stop`: ends the execution, because a limit is reached or nothing can be recorded. */
  constructor(
    order: Pick<DriveOrder, "machine" | "meter" | "sessionMeter" | "modelCalls" | "ledger">,
    log: Logger,
    stop: (cause: StopCause) => void,
  ) {
    this.#order = order;
    this.#log = log;
    this.#stop = stop;
  }

  /** A promise only for runs that are charged. */
  add(
    { modelId, speed, summary }: ModelCall,
    usage: LanguageModelV4Usage,
    workerId: string | undefined,
    measured: CallMetrics | undefined,
  ): Promise<void> | undefined {
    this.tokens.add(usage);
    const { meter, sessionMeter, modelCalls, ledger } = this.#order;
    const priceFactor = priceFactorOf(modelId, { speed });
    const fees = meter.add(modelId, usage, { byok: modelCalls.usesProjectKey(modelId), priceFactor });
    measured?.used(usage, fees);
    if (ledger !== undefined) return this.#record(ledger, { modelId, usage, fees }, { summary, workerId });
    sessionMeter?.add(modelId, usage, fees);
    return undefined;
  }

  /** Before anything of the step is stored, so that a session never shows more than its records. */
  async #record(
    ledger: RunLedger,
    made: Pick<ChargedCall, "modelId" | "usage" | "fees">,
    { summary, workerId }: { summary: ModelCall["summary"]; workerId: string | undefined },
  ): Promise<void> {
    const { modelSteps, open } = frameOf(this.#order.machine.frame, workerId);
    const { modelId, usage, fees } = made;
    const repair = open?.repair?.step === modelSteps ? ("repair" as const) : undefined;
    const extra = summary === undefined ? repair : (`summary${summary}` as const);
    const place = { step: modelSteps, ...(workerId !== undefined && { workerId }) };
    const call = { ...place, isBackup: open?.onBackup === true, extra, ...made };
    await this.#orStoreDown(async () => {
      if (await ledger.record(call)) this.#order.sessionMeter?.add(modelId, usage, fees);
    });
  }

  /** Before a call: stops the execution if a limit is reached. */
  async checkLimits(): Promise<void> {
    const { ledger } = this.#order;
    if (ledger === undefined) return;
    await this.#orStoreDown(async () => {
      const reached = await ledger.reached();
      if (reached !== undefined) this.#stop(reached);
    });
  }

  async #orStoreDown(run: () => Promise<void>): Promise<void> {
    try {
      await onceThereIsSpace(run);
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      this.#log.error({ err: error }, "the usage of a run could not be stored or read");
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
