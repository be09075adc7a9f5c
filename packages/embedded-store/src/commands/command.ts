import type { Doc } from "../bson/value.ts";
import type { Store } from "../store.ts";
import type { CommandArguments } from "./arguments.ts";

/** One command of the protocol. */
export interface Command {
  /** The first field of the request. */
  readonly name: string;
  /**
   * Fields it understands; any other is refused, so that no option is ever silently ignored. "any" is for
   * the greeting alone: there a driver describes itself, in ways that newer drivers add to.
   */
  readonly fields: readonly string[] | "any";
  /** A resend with the same (lsid, txnNumber) gets the first reply again. */
  readonly retryable?: boolean;
  /** Runs to its end and returns the reply without `ok`. Throws StoreError. */
  readonly run: (store: Store, args: CommandArguments) => Doc;
}
