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
  readonly isRepeated: boolean;
}

/** A command, or internal maintenance. */
export class Job {
  readonly steps: Steps<Doc | undefined>;
  /** Undefined for maintenance. */
  readonly request: Request | undefined;
  /** A part of its writes is on disk already. */
  hasCommitted = false;
  #holdsConnection = false;

  constructor(steps: Steps<Doc | undefined>, request?: Request) {
    this.steps = steps;
    this.request = request;
  }

  // Nobody waits for the reply of a write concern 0, so its client may be gone.
  get isAbandoned(): boolean {
    const { request } = this;
    return request?.connection.isClosed === true && !request.envelope.silent;
  }

  /** Whether it can start again after all its writes have been undone. */
  get isRepeatable(): boolean {
    return this.request !== undefined && !this.request.isRepeated && !this.hasCommitted;
  }

  /** It makes room on a full disk. */
  get freesSpace(): boolean {
    return this.request !== undefined && freesSpace(parseBody(this.request.message, this.request.envelope));
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
    this.steps.return(undefined);
  }

  reply(reply: Doc | undefined): void {
    if (!this.request || !reply || this.request.envelope.silent) return;
    this.request.connection.send(encodeReply(this.request.envelope, reply));
  }
}
