import type { Metrics } from "@muster/metrics";
import {
  type Clock,
  type Dependency,
  type Logger,
  listenProblem,
  type NewId,
  type Service,
  type ServiceSettings,
  systemClock,
} from "@muster/service";
import { Reason, rpcError } from "./errors.ts";
import { type Mounted, outageError } from "./handling.ts";
import { createHealth, type HealthState } from "./health.ts";
import { createPrincipalVerifier } from "./principal.ts";

/** A service as a library: it can be mounted on an in-process transport, and listens if its configuration asks for it. */
export interface ServiceHost extends Service {
  /**
   * The service and its health, for in-process transports. Calls to the service before `start` and after `stop` fail
   * with UNAVAILABLE.
   */
  readonly mounted: Mounted[];
  /** `host:port` of the gRPC server; undefined if there is none or it has not started. */
  readonly address: string | undefined;
}

/** Passed to every service by its process or test. */
export interface ServiceOverrides {
  log: Logger;
  clock?: Clock;
  newId?: NewId;
  /** Absent: nothing is measured. */
  metrics?: Metrics | undefined;
}

/** The part of a context that all services share. */
export interface ServiceContext {
  clock: Clock;
  newId: NewId;
  log: Logger;
  metrics: Metrics | undefined;
}

/** An opened service that does not listen yet. */
export interface Opened<Context> {
  context: Context;
  /** Readiness asks all of them; while one has an outage, calls fail with UNAVAILABLE at once. Default: none. */
  dependencies?: readonly Dependency[];
  /** Called first when the service stops, at the same time as its server stops. */
  drain?(): Promise<unknown>;
  /** The last step of a start, once the server listens. */
  finish?(): Promise<void>;
  /** Prepares what the first calls would otherwise wait for. Not called for every start. */
  warmUp?(): Promise<void>;
}

/** Registers how to close something that was just opened. Resources close in reverse order. */
export type Defer = (close: () => Promise<unknown>) => void;

export interface ServiceHostOptions<Context> {
  /** Used in the log and in messages to callers. */
  name: string;
  config: ServiceSettings;
  overrides: ServiceOverrides;
  /** How long running calls may take to end when the service stops. */
  drainMs?: number;
  /**
   * Binds the handlers to their services, of which there may be several or none; `context` throws UNAVAILABLE while the
   * service is not running.
   */
  mount(context: () => Context): Mounted | readonly Mounted[];
  /** Opens everything that the handlers need. Everything that it defers is closed by a stop, or if the start fails. */
  open(defer: Defer): Promise<Opened<Context>>;
}

interface Running<Context> {
  context: Context;
  dependencies: readonly Dependency[];
  address: string | undefined;
  warmUp: (() => Promise<void>) | undefined;
  resources: AsyncDisposableStack;
}

/**
 * Starts and stops a service, the same way for all of them. Nothing is opened before `start`. Concurrent calls share one
 * start or one stop; a failed start leaves nothing open and may be repeated.
 */
export function createServiceHost<Context>(options: ServiceHostOptions<Context>): ServiceHost {
  const { name, overrides } = options;
  let running: Running<Context> | undefined;
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  const context = () => {
    if (running === undefined) {
      throw rpcError(Reason.UNAVAILABLE, `The ${name} service is not running.`, { retryAfterMs: 1_000 });
    }
    for (const { outage } of running.dependencies) {
      const problem = outage?.();
      if (problem !== undefined) throw outageError({ message: problem });
    }
    return running.context;
  };
  const own = [options.mount(context)].flat();
  const health = createHealth(own.map(({ service }) => service.typeName));
  return {
    mounted: [...own, health.mounted],
    get address() {
      return running?.address;
    },
    start: () => {
      starting ??= start();
      return starting;
    },
    warmUp: () => {
      running?.warmUp?.().catch((error: unknown) => {
        overrides.log.error({ err: error }, `${name} could not prepare for its first calls`);
      });
    },
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };

  async function start(): Promise<void> {
    const resources = new AsyncDisposableStack();
    try {
      running = await run(options, own, health, resources);
    } catch (error) {
      await closeFailed(resources);
      // Only now: a start that is repeated, or a stop, must not overlap with the closing.
      starting = undefined;
      throw error;
    }
    overrides.log.info({ address: running.address }, `${name} is ready`);
  }

  /** The caller of the start needs the reason why it failed, so a failure to close is only logged. */
  async function closeFailed(resources: AsyncDisposableStack): Promise<void> {
    try {
      await resources.disposeAsync();
    } catch (error) {
      overrides.log.error({ err: error }, `${name} could not close everything after its start had failed`);
    }
  }

  async function stop(): Promise<void> {
    const stopped = starting;
    try {
      await stopped?.catch(() => undefined); // A failed start was reported to its caller and left nothing open.
      health.shutDown();
      // Running calls need the context until they have ended.
      await running?.resources.disposeAsync();
    } finally {
      running = undefined;
      // After a failed start, its caller may already have begun another one.
      if (starting === stopped) starting = undefined;
      stopping = undefined;
    }
  }
}

async function run<Context>(
  options: ServiceHostOptions<Context>,
  own: readonly Mounted[],
  health: HealthState,
  resources: AsyncDisposableStack,
): Promise<Running<Context>> {
  const defer: Defer = (close) => resources.defer(async () => void (await close()));
  const { overrides } = options;
  const { context, dependencies = [], drain, finish, warmUp } = await options.open(defer);
  const server = await listen(options, own, health);
  defer(() => Promise.all([drain?.(), server?.stop()]));
  await finish?.();
  health.serve(dependencies);
  const unmeasured = overrides.metrics?.gauge("muster_ready", {}, async () =>
    Number(await health.isServing()),
  );
  if (unmeasured) defer(async () => unmeasured());
  return { context, dependencies, address: server?.address, warmUp, resources };
}

/** Serves gRPC if the configuration asks for it. */
async function listen<Context>(
  { name, config, overrides, drainMs }: ServiceHostOptions<Context>,
  own: readonly Mounted[],
  health: HealthState,
): Promise<{ address: string; stop(): Promise<void> } | undefined> {
  const { listen } = config;
  if (!listen) return undefined;
  const { log, metrics, clock = systemClock } = overrides;
  const verifier = createPrincipalVerifier(config.principalSecrets, clock);
  const limits = drainMs === undefined ? {} : { drainMs };
  const { createRpcServer } = await import("./grpc.ts");
  const server = createRpcServer({ services: own, health, verifier, log, metrics, ...limits, ...listen });
  const { address } = await server.start().catch((error: unknown) => {
    throw listenProblem(error, { ...listen, settings: settingsOf(name) });
  });
  return { address, stop: () => server.stop() };
}

function settingsOf(service: string): { host: string; port: string } {
  const prefix = service.toUpperCase();
  return { host: `${prefix}_HOST`, port: `${prefix}_PORT` };
}
