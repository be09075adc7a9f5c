import type { HandlerContext } from "@connectrpc/connect";
import { type Clock, type Logger, type Secret, type Service, systemClock } from "@muster/service";
import { Reason, rpcError } from "./errors.ts";
import type { Mounted } from "./mount.ts";
import { createPrincipalVerifier } from "./principal.ts";
import { createRpcServer } from "./server.ts";

/** A service as a library: it can be mounted on an in-process transport, and listens when it is asked to. */
export interface ServiceHost extends Service {
  /** For in-process transports. Calls before `start` and after `stop` fail with UNAVAILABLE. */
  readonly mounted: Mounted[];
  /** `host:port` of the gRPC server, once started and when the configuration asks for one. */
  readonly address: string | undefined;
}

/** What a started service holds. */
export interface Running<Context> {
  context: Context;
  address: string | undefined;
  /** Called once. */
  close(): Promise<void>;
}

export interface ServiceHostOptions<Context> {
  /** For the log and for messages to callers. */
  name: string;
  log: Logger;
  /** Ties the handlers to their service; `context` throws UNAVAILABLE while the service does not run. */
  mount(context: () => Context): Mounted;
  /** Opens all that the handlers need. Must leave nothing open when it throws. */
  open(mounted: Mounted[]): Promise<Running<Context>>;
}

/**
 * Start, stop and what there is in between, the same for every service. Nothing is opened before `start`. Calls of
 * either at once share one start or one stop; a start that failed may be repeated.
 */
export function createServiceHost<Context>(options: ServiceHostOptions<Context>): ServiceHost {
  const { name, log } = options;
  let running: Running<Context> | undefined;
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  const context = () => {
    if (running) return running.context;
    throw rpcError(Reason.UNAVAILABLE, `The ${name} service is not running.`, { retryAfterMs: 1_000 });
  };
  const mounted = [options.mount(context)];
  return {
    mounted,
    get address() {
      return running?.address;
    },
    start: () => {
      starting ??= open();
      return starting;
    },
    stop: () => {
      stopping ??= close();
      return stopping;
    },
  };

  async function open(): Promise<void> {
    try {
      running = await options.open(mounted);
    } catch (error) {
      starting = undefined;
      throw error;
    }
    log.info({ address: running.address }, `${name} is ready`);
  }

  async function close(): Promise<void> {
    try {
      await starting?.catch(() => undefined); // A start that failed told its own caller and left nothing open.
      // Calls that still run need the context until they have ended.
      await running?.close();
    } finally {
      running = undefined;
      starting = undefined;
      stopping = undefined;
    }
  }
}

export interface ListenOptions {
  listen?: { host: string; port: number };
  principalSecret: Secret;
}

/** Serves gRPC where the configuration asks for it; undefined where it does not. */
export async function listenIfAsked(
  config: ListenOptions,
  mounted: Mounted[],
  { log, clock = systemClock, drainMs }: { log: Logger; clock?: Clock | undefined; drainMs?: number },
): Promise<{ address: string; stop(): Promise<void> } | undefined> {
  if (!config.listen) return undefined;
  const verifier = createPrincipalVerifier(config.principalSecret, clock);
  const limits = drainMs === undefined ? {} : { drainMs };
  const server = createRpcServer({ services: mounted, verifier, log, ...limits, ...config.listen });
  const { address } = await server.start();
  return { address, stop: () => server.stop() };
}

/** One RPC of a service, in a file of its own. */
export type RpcHandler<Context, Request, Response> = (
  context: Context,
  request: Request,
  call: HandlerContext,
) => Promise<Response>;

/** Makes handlers out of RPCs: gives them the context, and says UNAVAILABLE when the store did not answer. */
export function bindTo<Context>(context: () => Context, isStoreUnavailable: (error: unknown) => boolean) {
  return <Request, Response>(handler: RpcHandler<Context, Request, Response>) =>
    async (request: Request, call: HandlerContext): Promise<Response> => {
      const ready = context();
      try {
        return await handler(ready, request, call);
      } catch (error) {
        throw isStoreUnavailable(error) ? storeUnavailable(error) : error;
      }
    };
}

function storeUnavailable(cause: unknown) {
  return rpcError(Reason.UNAVAILABLE, "The document store does not answer.", { retryAfterMs: 1_000, cause });
}
