import { parseJson } from "@muster/language";
import type { Outcome } from "@muster/proto/computer-frames";
import type { CallOutcome, ComputerCall, OutputChunk } from "../computer.ts";
import { StaleEpochError } from "../errors.ts";
import { encodeFrame } from "./frames.ts";

const maxSentence = 10_000;
const maxEpoch = 2n ** 40n;

/** A call that was sent to a computer, or waits to be sent, and has no outcome yet. */
export class MachineCall {
  readonly agentId: string;
  readonly call: ComputerCall;
  readonly readers = new Set<(chunk: OutputChunk) => void>();
  /** It is killed as soon as the computer can be reached, and not executed if it has not begun. */
  isAborting = false;
  /** The epoch of the latest connection on which it was sent: earlier ones may not have delivered it. 0 if it was not. */
  sentOn = 0;
  readonly #agentName: string;
  readonly #outcome = Promise.withResolvers<CallOutcome>();

  constructor(agentId: string, agentName: string, call: ComputerCall) {
    this.agentId = agentId;
    this.#agentName = agentName;
    this.call = call;
    // An outcome that arrives after its readers have left is not an error.
    this.#outcome.promise.catch(() => undefined);
  }

  /** Rejects with {@link StaleEpochError}, or the error of {@link fail}. */
  get outcome(): Promise<CallOutcome> {
    return this.#outcome.promise;
  }

  /** `epoch`: of the connection on which it is sent. */
  frame(epoch: number): Uint8Array {
    const { id: callId, name, args, epoch: runEpoch } = this.call;
    const key = { agentId: this.agentId, callId };
    if (this.isAborting) return encodeFrame({ case: "abort", value: { key } });
    this.sentOn = epoch;
    const value = {
      ...{ key, name, argsJson: JSON.stringify(args), epoch: BigInt(runEpoch) },
      agentName: this.#agentName,
    };
    return encodeFrame({ case: "call", value });
  }

  output(chunk: OutputChunk): void {
    for (const read of this.readers) read(chunk);
  }

  settle(outcome: Outcome["outcome"]): void {
    this.readers.clear();
    if (outcome.case === "staleEpoch")
      this.fail(new StaleEpochError(this.agentId, this.call.epoch, readEpoch(outcome.value)));
    else this.#outcome.resolve(readOutcome(outcome));
  }

  fail(error: Error): void {
    this.#outcome.reject(error);
  }
}

/** One that no installation reaches is not from a computer that works. */
function readEpoch(value: bigint): number | undefined {
  return value <= maxEpoch ? Number(value) : undefined;
}

function readOutcome(outcome: Outcome["outcome"]): CallOutcome {
  switch (outcome.case) {
    case "resultJson": {
      const result = parseJson(outcome.value);
      if (result.ok) return { result: result.value };
      return { error: `The call was executed, but its result ${result.problem}.` };
    }
    case "error":
      return { error: outcome.value.slice(0, maxSentence).toWellFormed() };
    default:
      return { unknown: true };
  }
}
