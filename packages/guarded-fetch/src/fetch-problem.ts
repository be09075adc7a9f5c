/** Why nothing was fetched. `refused`: the URL, or one that it redirects to, is not allowed. `failed`: the server is at fault. */
const kinds = {
  /** Not an absolute URL. */
  "invalid-url": "refused",
  /** Another scheme than https. */
  "not-https": "refused",
  /** A user name or a password in the URL. */
  "credentials-in-url": "refused",
  /** A port of a well-known service other than https. */
  port: "refused",
  /** The address, or one to which the name resolves, is not public. */
  "private-address": "refused",
  /** `mayVisit` refused it. */
  "not-allowed": "refused",
  /** A method or header that the caller may not set. */
  "invalid-request": "refused",
  "unknown-host": "failed",
  /** No connection, no valid certificate, or the connection broke. */
  unreachable: "failed",
  "too-many-redirects": "failed",
  /** Not HTTP, too long a header, a redirect to nowhere, or an encoding that was not asked for. */
  "bad-response": "failed",
  "too-large": "failed",
  "too-slow": "failed",
} as const;

export type FetchProblemReason = keyof typeof kinds;

/** The message is one sentence for the user who named the URL; `cause` may name internal addresses and is for logs only. */
export class FetchProblem extends Error {
  override readonly name = "FetchProblem";
  readonly reason: FetchProblemReason;

  constructor(reason: FetchProblemReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  /** True if the URL is not allowed, false if its server did not answer properly. */
  get isRefusal(): boolean {
    return kinds[this.reason] === "refused";
  }
}
