import { Server, type ServerOptions } from "@grpc/grpc-js";
import type { Metrics } from "@muster/metrics";
import type { Logger } from "@muster/service";
import type { CallContext } from "./call-context.ts";
import { maxMessageBytes, passBytes } from "./codec.ts";
import { Reason, rpcError } from "./errors.ts";
import { type Mounted, type MountedMethod, methodPath } from "./handling.ts";
import { createHealth, type HealthState } from "./health.ts";
import { createListener, type Listener } from "./listener.ts";
import type { PrincipalVerifier } from "./principal.ts";
import { bidiHandler, type ServerCalls, streamHandler, unaryHandler } from "./server-calls.ts";
import "./small-frames.ts";

export interface RpcServerOptions {
  services: readonly Mounted[];
  verifier: PrincipalVerifier;
  log: Logger;
  /** Absent: calls are not counted. */
  metrics?: Metrics | undefined;
  /** Address to listen on, an IP or a name. */
  host: string;
  /** 0 picks a free port. */
  port: number;
  /**
   * A connection that is older than this, give or take a tenth, gets no more calls: its client opens another one, behind
   * a balancer perhaps to another instance. Calls that run on it end in their own time. Default: 0, never.
   */
  maxConnectionAgeMs?: number;
  /** The time for which `stop` allows running calls to continue. Default: 10 s. */
  drainMs?: number;
  /** The status that the server reports. Default: it serves whenever it listens. */
  health?: HealthState;
}

const defaultDrainMs = 10_000;
/** How long the statuses of aborted calls may take to reach their clients. */
const flushMs = 250;

export type RpcServer = ReturnType<typeof createRpcServer>;

/** A gRPC server for mounted services, with the standard health service beside them. Plain text, no TLS. */
export function createRpcServer(options: RpcServerOptions) {
  const calls: ServerCalls = {
    verifier: options.verifier,
    log: options.log,
    metrics: options.metrics,
    running: new Set(),
  };
  const health = options.health ?? alwaysServing(options.services);
  const server = new Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
    ...ageOption(options.maxConnectionAgeMs ?? 0),
    "grpc.enable_channelz": 0,
  });
  for (const mounted of [...options.services, health.mounted]) register(server, calls, mounted);
  const listener = createListener(server);
  let stopping: Promise<void> | undefined;
  return {
    /** Resolves to `host:port` when the server listens. */
    start: async () => ({ address: await listener.listen(options.host, options.port) }),
    /**
     * Reports NOT_SERVING, accepts no more calls and waits for the running ones to end. Calls that still run after
     * `drainMs` fail with UNAVAILABLE. Safe to call twice.
     */
    stop() {
      stopping ??= (async () => {
        health.shutDown();
        await shutDown(server, listener, calls.running, options.drainMs ?? defaultDrainMs);
      })();
      return stopping;
    },
  };
}

function ageOption(maxConnectionAgeMs: number): ServerOptions {
  return maxConnectionAgeMs === 0 ? {} : { "grpc.max_connection_age_ms": maxConnectionAgeMs };
}

function alwaysServing(services: readonly Mounted[]): HealthState {
  const health = createHealth(services.map(({ service }) => service.typeName));
  health.serve([]);
  return health;
}

function register(server: Server, calls: ServerCalls, mounted: Mounted): void {
  for (const method of mounted.methods.values()) {
    const path = methodPath(method.method);
    if (!registerOne(server, calls, method, path)) throw new Error(`${path} is mounted twice`);
  }
}

/** False if the path has a handler. */
function registerOne(server: Server, calls: ServerCalls, method: MountedMethod, path: string): boolean {
  switch (method.kind) {
    case "unary":
      return server.register(path, unaryHandler(calls, method), passBytes, passBytes, "unary");
    case "server_streaming":
      return server.register(path, streamHandler(calls, method), passBytes, passBytes, "serverStream");
    case "bidi_streaming":
      return server.register(path, bidiHandler(calls, method), passBytes, passBytes, "bidi");
  }
}

async function shutDown(
  server: Server,
  listener: Listener,
  running: Set<CallContext>,
  drainMs: number,
): Promise<void> {
  const closed = listener.close();
  // Asks clients to go elsewhere. Connections close when their last call ends; grpc-js does not wait for that.
  server.tryShutdown(() => {});
  if (!(await within(closed, drainMs))) {
    for (const context of running) {
      context.abort(rpcError(Reason.UNAVAILABLE, "The service is stopping.", { retryAfterMs: 1000 }));
    }
    await within(closed, flushMs);
  }
  listener.cut();
  server.forceShutdown();
}

/** True if the promise resolved in time. */
async function within(promise: Promise<void>, timeoutMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), timeoutMs);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
