/** Bounds on what a provider may send in one response. */
export interface ResponseBounds {
  /** One event of a stream, and so each of its lines. */
  maxEventBytes: number;
  /** A whole response. */
  maxResponseBytes: number;
  /** A provider that sends faster is read more slowly. */
  maxBytesPerSecond: number;
}

// The largest honest events repeat a whole reply and the request's tools.
export const defaultResponseBounds: ResponseBounds = {
  maxEventBytes: 4 * 1024 * 1024,
  maxResponseBytes: 256 * 1024 * 1024,
  maxBytesPerSecond: 8 * 1024 * 1024,
};

/** The rest of a longer error body is not read: the status is enough to classify the failure. */
export const maxErrorBodyBytes = 64 * 1024;

/** A response exceeds a bound. */
export class ResponseTooLarge extends Error {
  readonly code = "ERR_RESPONSE_TOO_LARGE";
}
