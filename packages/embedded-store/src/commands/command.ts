import type { Doc } from "../bson/value.ts";
import type { Pace } from "../pace.ts";
import type { MemoryShare } from "../query/memory.ts";
import type { Steps } from "../steps.ts";
import type { ReplyImage } from "../storage/resend.ts";
import type { Store } from "../store.ts";
import type { CommandArguments } from "./arguments.ts";

/** A reply that contains a document, with the data to rebuild it for a resend. */
export class ReplyWithImage {
  readonly reply: Doc;
  readonly image: ReplyImage | undefined;

  constructor(reply: Doc, image: ReplyImage | undefined) {
    this.reply = reply;
    this.image = image;
  }
}

export type CommandResult = Doc | ReplyWithImage;

/** The run of one command. */
export interface Work {
  /** The identity of the client's connection, to which the memory of cursors belongs. */
  readonly client: object | undefined;
  readonly memory: MemoryShare;
  readonly pace: Pace;
  /** A retryable write: each pause must log its progress. */
  readonly isRetryable: boolean;
  /** The progress of an earlier, interrupted run of the same write. */
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
  /** Resending it with the same (lsid, txnNumber) returns the first reply. */
  readonly retryable?: boolean;
  /** The command frees disk space, so that it must work on a full disk. */
  readonly freesSpace?: (args: CommandArguments) => boolean;
  /** Returns the reply without `ok`, or work in slices that returns it. Throws StoreError. */
  readonly run: (store: Store, args: CommandArguments, work: Work) => CommandResult | Steps<CommandResult>;
}
