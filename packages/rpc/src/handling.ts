import { randomUUID } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Metrics } from "@muster/metrics";
import type { Logger } from "@muster/service";
import type { CallContext } from "./call-context.ts";
import { callerKey, requestIdKey, requestIdOf } from "./caller.ts";
import { Reason, readRpcError } from "./errors.ts";
import type { PrincipalVerifier } from "./principal.ts";

/** The checks that every call passes, whatever its transport. */
export interface Handling {
  readonly verifier: PrincipalVerifier;
  readonly log: Logger;
  /** Absent: calls are not counted. */
  readonly metrics?: Metrics | undefined;
}

const plainId = /^[\w.:-]{1,128}$/;

/** Stores the caller and the request id in the context for handlers. Throws PRINCIPAL_REFUSED or PRINCIPAL_EXPIRED. */
export function admit(
  handling: Handling,
  context: CallContext,
  principal: string | undefined,
  requestId: string | undefined,
): void {
  // The text comes from a client and is logged, so it must look like an id.
  context.values.set(
    requestIdKey,
    requestId !== undefined && plainId.test(requestId) ? requestId : `req_${randomUUID()}`,
  );
  if (principal !== undefined) context.values.set(callerKey, handling.verifier.verify(principal));
}

/**
 * The error that is sent for anything a handler threw. An unexpected error is logged and
 * leaves as a fixed sentence.
 */
export function answerFor(handling: Handling, context: CallContext, thrown: unknown): ConnectError {
  if (context.abortReason !== undefined) {
    if (!isEcho(thrown)) logThrown(handling, context, thrown, "a handler failed after its call was aborted");
    return abortError(context.abortReason);
  }
  if (thrown instanceof ConnectError) {
    if (thrown.cause !== undefined) logThrown(handling, context, thrown, "a call was refused");
    return thrown;
  }
  logThrown(handling, context, thrown, "a handler failed unexpectedly");
  return new ConnectError("The call failed unexpectedly.", Code.Internal);
}

/** Handlers end an aborted call by throwing the signal's reason, or the error of an aborted operation. */
function isEcho(thrown: unknown): boolean {
  return thrown instanceof ConnectError || (thrown instanceof Error && thrown.name === "AbortError");
}

function logThrown(handling: Handling, context: CallContext, thrown: unknown, message: string): void {
  const place = { requestId: requestIdOf(context), method: context.path };
  const { reason, message: remedy } = readRpcError(thrown);
  // Each write is refused while the disk is full, so the cause is logged once, where the disk is watched.
  if (reason === Reason.STORAGE_FULL)
    handling.log.warn({ ...place, code: "STORAGE_FULL" }, `${message}: ${remedy}`);
  else if (thrown instanceof ConnectError) handling.log.warn({ err: thrown, ...place }, message);
  else handling.log.error({ err: thrown, ...place }, message);
}

/** An aborted signal's reason as an error for the other side. */
export function abortError(reason: unknown): ConnectError {
  return ConnectError.from(reason, Code.Canceled);
}

export function deadlineError(): ConnectError {
  return new ConnectError("the operation timed out", Code.DeadlineExceeded);
}

export function canceledError(): ConnectError {
  return new ConnectError("This operation was aborted", Code.Canceled);
}

export function tooLargeError(what: string, bytes: number, maxBytes: number): ConnectError {
  return new ConnectError(
    `The ${what} has ${bytes} bytes; at most ${maxBytes} are allowed.`,
    Code.ResourceExhausted,
  );
}

/** When the call began, for `countCall`; nothing is measured without metrics. */
export function callStartMs({ metrics }: Handling): number {
  return metrics === undefined ? 0 : performance.now();
}

/** Counts a served call that has ended. `error`: the error with which its handler ended. */
export function countCall(
  { metrics }: Handling,
  context: CallContext,
  startMs: number,
  error: ConnectError | undefined,
): void {
  if (metrics === undefined) return;
  const service = context.service.typeName;
  const method = context.method.name;
  metrics.count("muster_rpc_requests_total", { service, method, code: codeOf(context, error) });
  if (context.method.methodKind !== "unary") return;
  const durationS = (performance.now() - startMs) / 1e3;
  metrics.observe("muster_rpc_request_duration_seconds", { service, method }, durationS);
}

/** The caller of an aborted call has received the reason, whatever its handler did afterwards. */
function codeOf(context: CallContext, error: ConnectError | undefined): string {
  const { abortReason } = context;
  const sent = abortReason === undefined ? error : abortError(abortReason);
  return sent === undefined ? "OK" : nameOf(sent.code);
}

/** gRPC's name of a code, such as `NOT_FOUND`. */
function nameOf(code: Code): string {
  return Code[code].replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}
