import type { Doc } from "../bson/value.ts";
import type { Store } from "../open-store.ts";
import type { Pace } from "../pace.ts";
import type { MemoryShare } from "../query/memory.ts";
import type { Steps } from "../steps.ts";
import type { CommandArguments } from "./arguments.ts";

/** The run of one command. */
export interface Work {
  /** The identity of the client's connection, to which the memory of cursors belongs. */
  readonly client: object | undefined;
  readonly memory: MemoryShare;
  readonly pace: Pace;
  /** The changes of an earlier run of the same write, which a full disk interrupted. */
  readonly progress?: Doc;
}

/** One command of the protocol. */
export interface Command {
  /** The first field of the request. */
  readonly name: string;
  /**
   * Fields it understands; any other is refused, so that no option is silently ignored. "any" is for
   * the greeting only: drivers describe themselves there, and newer drivers add fields.
   */
  readonly fields: readonly string[] | "any";
  /** The command frees disk space, so that it must work on a full disk. */
  readonly freesSpace?: (args: CommandArguments) => boolean;
  /** Returns the reply without `ok`, or work in slices that returns it. Throws StoreError. */
  readonly run: (store: Store, args: CommandArguments, work: Work) => Doc | Steps<Doc>;
}
