import { Code, type ConnectError } from "@connectrpc/connect";
import type { CallContext } from "./call-context.ts";
import { abortError, type Handling } from "./handling.ts";

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
