import { setTimeout as sleep } from "node:timers/promises";
import { createCatalog } from "@muster/catalog";
import type { Bus } from "@muster/events";
import type { Metrics } from "@muster/metrics";
import { type Actor, callOptions, platformPrincipal } from "@muster/rpc";
import {
  type Clock,
  createFolderWatch,
  createIds,
  type Dependency,
  type Logger,
  listenProblem,
  type NewId,
  stopAll,
  systemClock,
} from "@muster/service";
import { createFiles } from "@muster/storage/files";
import { createRecordings } from "@muster/storage/recordings";
import { createApp, type Lifecycle } from "./app.ts";
import { createProjectExists } from "./auth/access.ts";
import { createAuthenticator } from "./auth/authenticator.ts";
import { FailedAttempts } from "./auth/failed-attempts.ts";
import { createCallerSigner, type PrincipalSigner } from "./auth/identity.ts";
import { createOidcClient } from "./auth/oidc-client.ts";
import type { GatewayConfig } from "./config.ts";
import type { GatewayContext, Services } from "./context.ts";
import type { App } from "./edge/http/app.ts";
import { addressOf, ipOf } from "./edge/http/client-ip.ts";
import { HttpMetrics } from "./edge/http/http-metrics.ts";
import { type Listeners, listenOnSeveral } from "./edge/http/listen-on-several.ts";
import { loadValidation } from "./edge/http/schema-compilers.ts";
import { LoopDelay } from "./edge/limits/admission.ts";
import { limit, ProjectLimits } from "./edge/limits/limits.ts";
import { RequestCounts, type ShareCounts } from "./edge/limits/request-counts.ts";
import { createReadinessCheck } from "./readiness-check.ts";
import { Changes } from "./streams/changes.ts";
import { OpenStreams } from "./streams/open-streams.ts";
import { createReaderUrls } from "./streams/reader-urls.ts";

export interface GatewayDependencies extends Services {
  /** The services as dependencies, for readiness. */
  services: readonly Dependency[];
  bus: Bus;
  /** Signs the principal of a call with the secret that all services share. */
  signer: PrincipalSigner;
  log: Logger;
  clock?: Clock;
  newId?: NewId;
  /** Absent: nothing is measured. */
  metrics?: Metrics | undefined;
}

export type Gateway = ReturnType<typeof createGateway>;

/** Requests that wait for the shared counts continue without them after this. */
const shareTimeoutMs = 1_000;

/** How long the request of a connection that was accepted last may take to arrive. It is not refused. */
const lastRequestsMs = 250;

// After the grace period: time for the last frames and responses to reach their readers.
const flushMs = 1_000;

/** The HTTP edge. Has no data and no business rule: validate, authenticate, call, map, relay. */
export function createGateway(config: GatewayConfig, dependencies: GatewayDependencies) {
  const {
    auth,
    agents,
    sessions,
    workforce,
    recordings,
    computers,
    schedules,
    webhooks,
    hooks,
    audit,
    bus,
    signer,
    log,
  } = dependencies;
  const { clock = systemClock, newId = createIds() } = dependencies;
  const { trustedProxies, corsOrigins } = config;
  const closers: Array<() => Promise<unknown>> = [];
  const atEnd = (close: (() => unknown) | undefined) => close && closers.push(async () => close());
  const files = config.files && createFiles(config.files, clock);
  const streams = new OpenStreams(config.streams, clock, createReaderUrls(files, config.publicUrl));
  const authenticator = createAuthenticator({
    auth,
    clock,
    cacheMs: config.authCacheMs,
    timeoutMs: config.callTimeoutMs,
  });
  const asPlatform = (requestId: string, timeoutMs: number, actor?: Pick<Actor, "ip">) =>
    callOptions({
      ...{ principal: signer.sign(platformPrincipal), requestId, timeoutMs },
      ...(actor && { actor }),
    });
  const share: ShareCounts = (added) =>
    auth.countRequests({ counts: [...added] }, asPlatform(newId("req"), shareTimeoutMs));
  const counts = new RequestCounts({ clock, log, ...(config.isOnlyGateway ? {} : { share }) });
  atEnd(() => counts.close());
  const modelRequests = new RequestCounts({ clock, log });
  const projectLimits = new ProjectLimits({
    read: async (projectId) => {
      const options = asPlatform(newId("req"), shareTimeoutMs);
      return (await auth.getProjectLimits({ projectId }, options)).limits?.requestsPerMinute;
    },
    ...{ clock, log, cacheMs: config.authCacheMs },
  });
  const changes = new Changes({ bus, newId, log });
  const loopDelay = new LoopDelay(config.maxEventLoopDelayMs);
  const filesDisk = config.files && createFolderWatch("uploaded files", config.files.directory, log);
  const checkReady = createReadinessCheck(dependencies.services, bus, log, filesDisk);
  const lifecycle: Lifecycle = { phase: "running" };
  let listeners: Listeners | undefined;
  let routes: readonly string[] = [];
  let ending: Promise<void> | undefined;

  const failedAttempts = new FailedAttempts(
    config.authFailuresPerMinute,
    clock,
    config.isOnlyGateway ? {} : { shared: counts },
  );

  const context: GatewayContext = {
    auth,
    agents,
    sessions,
    workforce,
    computers,
    schedules,
    webhooks,
    hooks,
    audit,
    recordings,
    streams,
    changes,
    callTimeoutMs: config.callTimeoutMs,
    catalog: createCatalog({ bandwidthPer1M: config.bandwidthPer1M, clock }),
    publicUrl: config.publicUrl,
    oidc: config.oidc && createOidcClient(config.oidc, clock),
    limitModels: (request, reply) =>
      limit(modelRequests, reply, "address", addressOf(request), config.modelsRateLimitPerMinute),
    files: files && filesDisk && { ...files, disk: filesDisk },
    fileRules: config.fileRules,
    recordingFiles: config.files && createRecordings({ ...config.files, retentionDays: 0 }, clock),
    newId,
    asPlatform: (request) => asPlatform(request.id, config.callTimeoutMs, ipOf(request)),
    checkSignature: (request, call, order) => failedAttempts.attempt(addressOf(request), call, order),
    checkReady,
    isStopping: () => lifecycle.phase !== "running",
  };
  const access = {
    authenticator,
    signCaller: createCallerSigner(signer, clock),
    projectExists: createProjectExists(auth, config.callTimeoutMs),
    failedAttempts,
    publicUrl: config.publicUrl,
  };

  const start = async () => {
    const { metrics } = dependencies;
    const measured = metrics && new HttpMetrics(metrics);
    atEnd(measured?.watch(streams));
    atEnd(metrics?.gauge("muster_ready", {}, async () => Number((await checkReady()).isReady)));
    if (filesDisk) {
      const isFull = async () => Number(await filesDisk.isFull());
      atEnd(metrics?.gauge("muster_storage_full", { storage: "files" }, isFull));
    }
    loopDelay.start();
    atEnd(() => loopDelay.stop());
    atEnd(
      await whenRevoked(bus, (id) => {
        authenticator.revoke(id);
        streams.revoke(id);
      }),
    );
    atEnd(await changes.start());
    atEnd(
      bus.onRebuild(() => {
        authenticator.clear();
        void streams.recheck();
      }),
    );
    const { app, routes: added } = await createApp({
      context,
      access,
      limits: config.rateLimits,
      projectLimits,
      counts,
      trustedProxies,
      corsOrigins,
      loopDelay,
      maxRequestsInProgress: config.maxRequestsInProgress,
      readerTimeoutMs: config.streams.drainTimeoutMs,
      lifecycle,
      metrics: measured,
      log,
      newId,
    });
    atEnd(() => closeWithin(app, listeners, flushMs));
    listeners = await listen(app, config);
    atEnd(files?.startSweep(log));
    routes = added;
    return { url: urlOf(app, config.host) };
  };
  const stop = async () => {
    lifecycle.phase = "leaving";
    if (config.shutdownDelayMs > 0) await sleep(config.shutdownDelayMs);
    await listeners?.refuse();
    if (config.shutdownDelayMs > 0) await sleep(lastRequestsMs);
    lifecycle.phase = "refusing";
    await stopAll([() => streams.stop(config.drainMs, flushMs), ...closers.reverse()]);
  };
  return {
    /** Every route of the running gateway, `METHOD /path`, also those of plugins. Empty before the start. */
    get routes() {
      return routes;
    },
    /** Listens; resolves with the base URL. */
    start,
    /** Prepares what the first calls of some kinds would otherwise wait for. */
    warmUp: () => {
      loadValidation().catch((error: unknown) => log.error({ err: error }, "could not load the validation"));
    },
    /**
     * Reports not ready; after `shutdownDelayMs` refuses new connections and requests, allows streams to continue for
     * `drainMs`, ends the rest with a retryable `error` event, then closes. Safe to call twice.
     */
    stop: () => {
      ending ??= stop();
      return ending;
    },
  };
}

/**
 * Calls back with the id of every key, token, login and identity provider of which cached results must go. Resolves with the
 * cause of its end.
 */
async function whenRevoked(bus: Bus, revoke: (id: string) => void): Promise<() => Promise<unknown>> {
  const everywhere = { broadcast: true } as const;
  const subscriptions = await Promise.all([
    bus.subscribe("auth.key-revoked", everywhere, async ({ keyId }) => revoke(keyId)),
    bus.subscribe("auth.identity-provider-changed", everywhere, async ({ providerId }) => revoke(providerId)),
    bus.subscribe("auth.token-revoked", everywhere, async ({ tokenId }) => revoke(tokenId)),
  ]);
  return () => Promise.all(subscriptions.map((subscription) => subscription.close()));
}

async function listen(app: App, { host, port }: GatewayConfig): Promise<Listeners> {
  try {
    return await listenOnSeveral(app.server, { host, port }, (options) => app.listen(options));
  } catch (error) {
    throw listenProblem(error, { host, port, settings: { host: "HOST", port: "PORT" } });
  }
}

/** Waits for running responses, then closes lingering connections. */
async function closeWithin(app: App, listeners: Listeners | undefined, limitMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), limitMs);
  await Promise.all([listeners?.close(), app.close()]).finally(() => clearTimeout(timer));
}

function urlOf(app: App, host: string): string {
  const address = app.server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
