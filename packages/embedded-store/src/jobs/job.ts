import type { Doc } from "../bson/value.ts";
import { freesSpace } from "../commands/dispatch.ts";
import type { Steps } from "../steps.ts";
import type { Connection } from "../wire/connection.ts";
import { type Envelope, encodeReply, parseBody } from "../wire/messages.ts";

export interface Request {
  /** Kept to repeat the request if the transaction that it shares is lost. */
  readonly message: Buffer;
  readonly connection: Connection;
  readonly envelope: Envelope;
  /** How often it was repeated since it last committed anything. */
  readonly attempt: number;
}

/** Writes in a commit of a command that makes room on a full disk, by attempt. */
export const writesPerCommitOf = [Number.POSITIVE_INFINITY, 32, 1] as const;

/** A command, or internal maintenance. */
export class Job {
  readonly steps: Steps<Doc | undefined>;
  /** Undefined for maintenance. */
  readonly request: Request | undefined;
  /** If not, it loses nothing when the transaction is undone. */
  hasWritten = false;
  /** A part of its writes is on disk already. */
  hasCommitted = false;
  /** The result that it and earlier attempts have committed, as the command yielded it. */
  committed: Doc | undefined;
  /** Its result so far, when it paused. */
  #progress: Doc | undefined;
  #isStopped = false;
  #holdsConnection = false;

  constructor(steps: Steps<Doc | undefined>, request?: Request, committed?: Doc) {
    this.steps = steps;
    this.request = request;
    this.committed = committed;
  }

  // No client waits for the reply of a write concern 0, so the connection may be gone.
  get isAbandoned(): boolean {
    const { request } = this;
    return request?.connection.isClosed === true && !request.envelope.silent;
  }

  /** Whether it can start again after all its writes have been undone. */
  get isRepeatable(): boolean {
    return this.request?.attempt === 0 && !this.hasCommitted;
  }

  /** Each of its slices needs a commit of its own, because the disk is full. */
  get isDivided(): boolean {
    return (this.request?.attempt ?? 0) > 0;
  }

  /** It makes room on a full disk, and smaller commits than the one that failed are possible. */
  get isDivisible(): boolean {
    const { request } = this;
    if (request === undefined || !freesSpace(parseBody(request.message, request.envelope))) return false;
    return this.hasCommitted || request.attempt + 1 < writesPerCommitOf.length;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** `progress`: from which a repetition could continue. */
  pause(progress: Doc | undefined): void {
    this.#progress = progress;
    this.holdConnection();
  }

  noteCommit(): void {
    this.hasCommitted = true;
    this.committed = this.#progress;
  }

  /** The next requests of its connection wait until it has ended. */
  holdConnection(): void {
    if (!this.request) return;
    this.request.connection.isBusy = true;
    this.#holdsConnection = true;
  }

  /** Returns whether requests may wait now. */
  releaseConnection(): boolean {
    if (!this.request || !this.#holdsConnection) return false;
    this.#holdsConnection = false;
    this.request.connection.isBusy = false;
    return true;
  }

  stop(): void {
    this.#isStopped = true;
    this.steps.return(undefined);
  }

  reply(reply: Doc | undefined): void {
    if (!this.request || !reply || this.request.envelope.silent) return;
    this.request.connection.send(encodeReply(this.request.envelope, reply));
  }
}
