import type { DescMethod, DescService } from "@bufbuild/protobuf";
import {
  type CallOptions,
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import { type Actor, actorHeader, actorText } from "./actor.ts";
import { forbidden, Reason, rpcError } from "./errors.ts";
import { type CallPrincipal, hasPermission, type Permission } from "./principal.ts";

/** For unary calls without a timeout of their own. Streams have no default. */
export const defaultUnaryTimeoutMs = 30_000;

// Above this, timers and grpc-js's arithmetic overflow into "at once".
const maxTimeoutMs = 2 ** 31 - 1;

/** Follows Connect: 0 or less switches the default off. */
export function effectiveTimeout(
  timeoutMs: number | undefined,
  fallback: number | undefined,
): number | undefined {
  if (timeoutMs === undefined) return fallback;
  if (timeoutMs <= 0 || timeoutMs > maxTimeoutMs) return undefined;
  return timeoutMs;
}

/** When a call that starts now must have ended, in milliseconds since 1970; Infinity without a timeout. */
export function deadlineAfter(timeoutMs: number | undefined): number {
  return timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
}

/** The origin of a call, created once per server or transport. */
export interface CallOrigin {
  readonly protocolName: string;
  readonly baseUrl: string;
}

/** The properties of an incoming call. */
interface IncomingCall {
  readonly method: DescMethod;
  readonly path: string;
  /** When the call must have ended, in milliseconds since 1970. Infinity means never. */
  readonly deadlineMs: number;
  header(): Headers;
}

// A constant, because aborting without a reason constructs an exception with a stack for every call.
const ended = new Error("The call has ended.");

/**
 * A handler's view of its call. Most handlers use few of these, so headers and the signal are created on first use.
 */
export class CallContext implements HandlerContext {
  readonly values: ContextValues = createContextValues();
  readonly requestMethod = "POST";
  readonly #origin: CallOrigin;
  readonly #call: IncomingCall;
  #state: "running" | "aborted" | "ended" = "running";
  #reason: unknown;
  #onAbort: ((reason: unknown) => void) | undefined;
  #controller: AbortController | undefined;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;

  constructor(origin: CallOrigin, call: IncomingCall) {
    this.#origin = origin;
    this.#call = call;
  }

  get method(): DescMethod {
    return this.#call.method;
  }

  get service(): DescService {
    return this.#call.method.parent;
  }

  get protocolName(): string {
    return this.#origin.protocolName;
  }

  get url(): string {
    return this.#origin.baseUrl + this.#call.path;
  }

  get path(): string {
    return this.#call.path;
  }

  readonly timeoutMs = (): number | undefined => {
    const { deadlineMs } = this.#call;
    return deadlineMs === Number.POSITIVE_INFINITY ? undefined : deadlineMs - Date.now();
  };

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#state !== "running") this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= this.#call.header();
    return this.#requestHeader;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  /** Absent unless a handler has asked for it. */
  get usedResponseHeader(): Headers | undefined {
    return this.#responseHeader;
  }

  /** Absent unless a handler has asked for it. */
  get usedResponseTrailer(): Headers | undefined {
    return this.#responseTrailer;
  }

  get isRunning(): boolean {
    return this.#state === "running";
  }

  /** Why the call was aborted; undefined while it runs and after it ended by itself. */
  get abortReason(): unknown {
    return this.#state === "aborted" ? this.#reason : undefined;
  }

  /** Called at most once, with the reason, if the call is aborted before it ends. */
  onAbort(listener: (reason: unknown) => void): void {
    this.#onAbort = listener;
  }

  /** Ends the call before its handler has: deadline, cancellation, shutdown. The first reason counts. */
  abort(reason: unknown): void {
    if (this.#state !== "running") return;
    this.#state = "aborted";
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#onAbort?.(reason);
  }

  /** The handler has ended; releases all listeners of the signal. */
  end(): void {
    if (this.#state !== "running") return;
    this.#state = "ended";
    this.#controller?.abort(ended);
  }
}

export const callerKey = createContextKey<CallPrincipal | undefined>(undefined, { description: "caller" });
export const requestIdKey = createContextKey("", { description: "request id" });

/** The caller. Throws UNAUTHENTICATED if the call has no principal. */
export function callerOf(context: HandlerContext): CallPrincipal {
  const caller = context.values.get(callerKey);
  if (caller === undefined) throw rpcError(Reason.UNAUTHENTICATED, "The call carries no valid principal.");
  return caller;
}

/** Throws FORBIDDEN, naming the permissions, unless the caller has one of them. */
export function requirePermission(caller: CallPrincipal, ...anyOf: Permission[]): void {
  if (anyOf.some((permission) => hasPermission(caller, permission))) return;
  throw forbidden(`This needs the permission ${anyOf.map((p) => `\`${p}\``).join(" or ")}.`);
}

/** The caller, unless it uses an ephemeral token. Throws FORBIDDEN; `action` completes "A token cannot …". */
export function refuseToken(caller: CallPrincipal, action: string): CallPrincipal {
  if (caller.tokenId === undefined && caller.sessionId === undefined) return caller;
  throw forbidden(`A token cannot ${action}. Use an API key.`);
}

/** The id of the request that the call belongs to; generated by the server if the client sent none. */
export function requestIdOf(context: HandlerContext): string {
  return context.values.get(requestIdKey);
}

export const principalHeader = "muster-principal";
export const requestIdHeader = "muster-request-id";

/**
 * Options for a call. `principal` is the text that the signer returned; omit it for the calls
 * that precede one. `actor`: see `actorText`. A `timeoutMs` of 0 or less, as left over from a deadline that has passed, fails at once.
 */
export function callOptions(options: {
  principal?: string;
  requestId: string;
  actor?: Partial<Actor>;
  timeoutMs?: number;
  signal?: AbortSignal;
}): CallOptions {
  const { principal, requestId, actor, timeoutMs, signal } = options;
  return {
    headers: {
      ...(principal !== undefined && { [principalHeader]: principal }),
      ...(actor && { [actorHeader]: actorText(actor) }),
      [requestIdHeader]: requestId,
    },
    // Connect treats 0 and less as "no timeout".
    ...(timeoutMs === undefined ? {} : { timeoutMs: Math.max(1, timeoutMs) }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** The caller of an RPC that needs `admin`. A credential for one agent never has it, whatever its key was given. */
export function adminOf(call: HandlerContext): CallPrincipal {
  const caller = refuseToken(callerOf(call), "administer");
  requirePermission(caller, "admin");
  if (caller.agentId !== undefined) throw forbidden("A key for one agent cannot administer a project.");
  return caller;
}
