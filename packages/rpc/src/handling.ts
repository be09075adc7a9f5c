import { randomUUID } from "node:crypto";
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  isMessage,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createServiceImplSpec,
  type HandlerContext,
  type MethodImplSpec,
  type ServiceImpl,
} from "@connectrpc/connect";
import type { Metrics } from "@muster/metrics";
import type { Logger } from "@muster/service";
import { type CallContext, callerKey, requestIdKey, requestIdOf } from "./call-context.ts";
import { Reason, readRpcError, rpcError } from "./errors.ts";
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

/** The path of a method on the wire, `/package.Service/Method`. */
export function methodPath(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

/** Turns a handler's response into the message that its caller expects. A message stays the same object. */
export function outputOf<O extends DescMessage>(
  output: O,
  mounted: MountedMethod,
  answer: MessageInitShape<DescMessage>,
): MessageShape<O> {
  const message = create(mounted.method.output, answer);
  if (isMessage(message, output)) return message;
  throw new Error(`${methodPath(mounted.method)} did not return a ${output.typeName}`);
}

/** The handler of one method, in a file of its own. It returns the response, or its fields. */
export type RpcHandler<Context, Method extends DescMethod> = (
  context: Context,
  request: MessageShape<Method["input"]>,
  call: HandlerContext,
) => Promise<MessageInitShape<Method["output"]>>;

/**
 * Turns RPCs into handlers: passes them the context and reports UNAVAILABLE if a dependency does not respond, and
 * STORAGE_FULL if its disk is full. `outageOf` returns what to report if an error means that.
 */
export function bindTo<Context>(context: () => Context, outageOf: (error: unknown) => Outage | undefined) {
  return <Request, Response>(
    handler: (context: Context, request: Request, call: HandlerContext) => Promise<Response>,
  ) =>
    async (request: Request, call: HandlerContext): Promise<Response> => {
      const ready = context();
      try {
        return await handler(ready, request, call);
      } catch (error) {
        const problem = outageOf(error);
        throw problem === undefined ? error : outageError(problem, error);
      }
    };
}

/** Passes RPCs that stream the context. They report outages themselves. */
export function bindStreamsTo<Context>(context: () => Context) {
  return <Request, Response>(
    handler: (context: Context, request: Request, call: HandlerContext) => AsyncIterable<Response>,
  ) =>
    (request: Request, call: HandlerContext): AsyncIterable<Response> =>
      handler(context(), request, call);
}

/** The report on a dependency that does not work. */
export interface Outage {
  /** The sentence for callers. */
  readonly message: string;
  /** Its disk is full. */
  readonly isStorageFull?: boolean;
}

/** Space returns when an operator makes it. */
const fullRetryMs = 30_000;

/**
 * The error for a dependency that does not respond, or whose disk is full. All instances share their dependencies, so the call is not repeated
 * on another instance.
 */
export function outageError({ message, isStorageFull = false }: Outage, cause?: unknown) {
  if (isStorageFull) return rpcError(Reason.STORAGE_FULL, message, { retryAfterMs: fullRetryMs, cause });
  return rpcError(Reason.UNAVAILABLE, message, { retryAfterMs: 1_000, isFinal: true, cause });
}

/** The shapes of RPC that this package carries. */
export type MountedMethod = Exclude<MethodImplSpec, { kind: "client_streaming" }>;

/** A service with its implementation, ready for a server or the in-process transport. */
export interface Mounted {
  readonly service: DescService;
  readonly methods: ReadonlyMap<DescMethod, MountedMethod>;
}

/**
 * Ties a service to the implementation of all its methods: a new RPC does not compile until it has a handler.
 * Throws for services with client-streaming methods, which no transport here carries.
 */
export function mountService<T extends DescService>(service: T, impl: ServiceImpl<T>): Mounted {
  return mountPartial<T>(service, impl);
}

/**
 * Mounts a service with some methods deliberately missing; calls to those fail with UNIMPLEMENTED. For test
 * doubles and for services that are still being built.
 */
export function mountPartial<T extends DescService>(service: T, impl: Partial<ServiceImpl<T>>): Mounted {
  const spec = createServiceImplSpec(service, impl);
  const methods = new Map<DescMethod, MountedMethod>();
  for (const method of Object.values(spec.methods)) {
    if (method.kind === "client_streaming") {
      throw new Error(`${methodPath(method.method)} streams only requests, which is not supported`);
    }
    methods.set(method.method, method);
  }
  return { service, methods };
}
