import swagger from "@fastify/swagger";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { Logger, NewId } from "@muster/service";
import Fastify, { type FastifyReply, type FastifyRequest, LogController } from "fastify";
import { type AccessOptions, authenticate, authorize, openToBrowsers } from "./auth/access.ts";
import { type AccessRow, isOpen, rowOf, setAccess } from "./auth/access-table.ts";
import { accountOf, type Caller, ownerOf } from "./auth/identity.ts";
import type { GatewayContext } from "./context.ts";
import {
  assertPlainEncoding,
  limitLargeBodies,
  newLargeBodies,
  useJsonBodiesOnly,
} from "./edge/body/request-bodies.ts";
import { HttpProblem } from "./edge/errors/http-problem.ts";
import { logAccess } from "./edge/http/access-log.ts";
import { answerConnectionError } from "./edge/http/answer-connection-error.ts";
import type { App } from "./edge/http/app.ts";
import { addressOf, trustIn } from "./edge/http/client-ip.ts";
import { accepts, assertSingletons, prefersPage, requestIdFrom } from "./edge/http/headers.ts";
import type { HttpMetrics } from "./edge/http/http-metrics.ts";
import { KnownPaths } from "./edge/http/known-paths.ts";
import { respondWithError } from "./edge/http/respond-with-error.ts";
import { loadValidationWhenNeeded, schemaCompilers } from "./edge/http/schema-compilers.ts";
import { answerHalfClosed, cutStoppedReaders } from "./edge/http/slow-readers.ts";
import { RequestMessage, spreadRequests } from "./edge/http/spread-requests.ts";
import { isUpgrade, routeUpgrades } from "./edge/http/upgrades.ts";
import { Admission, type LoopDelay, limitRequests } from "./edge/limits/admission.ts";
import { limit, type ProjectLimits, type RateLimits } from "./edge/limits/limits.ts";
import type { RequestCounts } from "./edge/limits/request-counts.ts";
import { routes } from "./routes/index.ts";
import { findAgentsBySlug } from "./routes/workforce/find-agents-by-slug.ts";
import { openApiParts } from "./schemas/openapi/open-api-parts.ts";
import { changedBy } from "./streams/changes.ts";
import { stoppingProblem } from "./streams/event-stream.ts";

/**
 * A leaving gateway is not ready, but still accepts requests. In the end it closes its listening sockets and idle
 * connections, so that a proxy chooses another gateway. One that refuses answers 503 on connections that were in use then.
 */
export interface Lifecycle {
  phase: "running" | "leaving" | "refusing";
}

export interface AppOptions {
  context: GatewayContext;
  access: AccessOptions;
  /** Networks whose X-Forwarded headers are trusted. */
  trustedProxies: readonly string[];
  /** Origins whose pages may use the routes that the access table opens to browsers. */
  corsOrigins: readonly string[];
  limits: RateLimits;
  /** Override `limits.perProject`. */
  projectLimits: Pick<ProjectLimits, "of">;
  counts: RequestCounts;
  /** Requests beyond this are refused. */
  maxRequestsInProgress: number;
  /** How long a reader may take nothing while data is waiting for it. */
  readerTimeoutMs: number;
  /** While the event loop is late, requests are refused. */
  loopDelay: Pick<LoopDelay, "isOverloaded">;
  lifecycle: Readonly<Lifecycle>;
  /** Absent: nothing is measured. */
  metrics?: HttpMetrics | undefined;
  log: Logger;
  newId: NewId;
}

const bodyLimitBytes = 4 * 1024 * 1024;

// Node's defaults leave slow requests open for minutes or indefinitely. The keep-alive is longer than that of common
// proxies, so that they close first and never send into a closing connection.
const timeouts = {
  requestTimeout: 120_000,
  keepAliveTimeout: 75_000,
  // Otherwise Node itself would refuse a request without Host, with a body of its own.
  http: {
    headersTimeout: 20_000,
    connectionsCheckingInterval: 5_000,
    requireHostHeader: false,
    IncomingMessage: RequestMessage,
    shouldUpgradeCallback: isUpgrade,
  },
};

/** The HTTP server with all routes, not listening yet, and their names. Throws if a route has no row in the access table. */
export async function createApp(options: AppOptions): Promise<{ app: App; routes: readonly string[] }> {
  const { log, newId, trustedProxies, metrics } = options;
  const app: App = Fastify({
    ...timeouts,
    schemaController: { compilersFactory: schemaCompilers },
    loggerInstance: log,
    logController: new LogController({ requestIdLogLabel: "requestId", disableRequestLogging: true }),
    genReqId: (raw) => requestIdFrom(raw.headers["x-request-id"], newId),
    bodyLimit: bodyLimitBytes,
    trustProxy: trustIn(trustedProxies),
    routerOptions: { maxParamLength: 1_000 },
    forceCloseConnections: "idle",
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      logAccess(request, reply.raw, metrics);
      respondWithError(error, reply);
    },
    clientErrorHandler: (error, socket) => answerConnectionError(error, socket, { newId, log }),
  }).withTypeProvider<TypeBoxTypeProvider>();
  const routes = setAccess(app);
  app.setValidatorCompiler(schemaCompilers.validator);
  loadValidationWhenNeeded(app);
  app.setErrorHandler((error, _request, reply) => respondWithError(error, reply));
  useJsonBodiesOnly(app);
  ignoreUnknownExpectations(app);
  spreadRequests(app.server);
  answerHalfClosed(app.server);
  routeUpgrades(app);
  cutStoppedReaders(app.server, options.readerTimeoutMs);
  identifyAnswers(app, metrics);
  endConnections(app, options.lifecycle);
  const paths = new KnownPaths();
  app.addHook("onRoute", ({ url, method }) => paths.add(url, method));
  openToBrowsers(app, options.corsOrigins, paths);
  answerUnknownPaths(app, paths);
  for (const part of openApiParts) await app.register(swagger, part);
  await app.register(async (api: App) => addRoutes(api, options));
  return { app, routes: routes() };
}

/** Node would send 417 without a body for any `Expect` but `100-continue`; HTTP allows a server to ignore it. */
function ignoreUnknownExpectations({ server }: App): void {
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

/** Every response has a line in the log and the request's id, also one that refuses a request at once. */
function identifyAnswers(app: App, metrics: HttpMetrics | undefined): void {
  for (const name of ["errorCode", "client", "otherRoute", "refusedBy", "refusal", "summary"])
    app.decorateRequest(name, undefined);
  app.addHook("onRequest", async (request, reply) => {
    logAccess(request, reply.raw, metrics);
    reply.header("x-request-id", request.id);
    if (request.headers.host === undefined && request.raw.httpVersion === "1.1") {
      throw new HttpProblem("INVALID_REQUEST", "Send a Host header; HTTP/1.1 requires one.");
    }
    assertSingletons(request.raw.rawHeaders, request.routeOptions.config.errors);
  });
}

/** So that no client sends its next request into a connection that this side is closing. */
function endConnections(app: App, lifecycle: Readonly<Lifecycle>): void {
  app.addHook("onRequest", async (_request, reply) => {
    if (lifecycle.phase !== "running") reply.header("connection", "close");
  });
}

/** Unknown paths are 404 and unknown methods 405, before any body is read. */
function answerUnknownPaths(app: App, paths: KnownPaths): void {
  app.addHook("onRequest", async (request, reply) => {
    if (!request.is404) return;
    if (request.url === "/" && /^(?:GET|HEAD)$/.test(request.method) && prefersPage(request.headers.accept))
      return reply.redirect("console");
    throw unknownPath(request, paths);
  });
  app.setNotFoundHandler((request) => {
    throw unknownPath(request, paths);
  });
}

function unknownPath(request: FastifyRequest, paths: KnownPaths): HttpProblem {
  const methods = paths.methodsOf(request.url);
  if (methods.length === 0 || methods.includes(request.method)) {
    return new HttpProblem("NOT_FOUND", "This path does not exist. See /docs for all paths.");
  }
  request.otherRoute = paths.patternOf(request.url);
  const allow = methods.join(", ");
  return new HttpProblem("METHOD_NOT_ALLOWED", `This path supports ${allow}.`, { headers: { allow } });
}

function addRoutes(api: App, options: AppOptions): void {
  const { context, maxRequestsInProgress, loopDelay, lifecycle } = options;
  const admission = new Admission(maxRequestsInProgress, () => loopDelay.isOverloaded);
  limitRequests(api, admission, (request) => !isOpen(rowOf(request)));
  limitLargeBodies(api, newLargeBodies());
  for (const name of ["caller", "owner", "credential", "admit"]) api.decorateRequest(name, undefined);
  api.decorateRequest("waitedMs", 0);
  api.addHook("onRequest", async (request, reply) => {
    const row = rowOf(request);
    const { produces = ["application/json"] } = request.routeOptions.config;
    // Clients send an Accept header for JSON with every request, and still read the stream.
    const isStream = produces.includes("text/event-stream");
    if (!isOpen(row)) {
      if (lifecycle.phase === "refusing") throw stoppingProblem();
      if (row.orSigned) request.admit = () => admitCaller(options, request, reply, row);
      else await admitCaller(options, request, reply, row);
    }
    if (!isStream && !produces.some((mediaType) => accepts(request.headers.accept, mediaType))) {
      const types = produces.join(" or ");
      throw new HttpProblem("NOT_ACCEPTABLE", `This endpoint returns ${types}; change the Accept header.`);
    }
    assertPlainEncoding(request);
  });
  findAgentsBySlug(api, context);
  noteChanges(api, context);
  for (const addRoute of routes) addRoute(api, context);
}

/** The beginning of a turn is a change as well as its end, which is that of its response. Other routes have no hook. */
function noteChanges(api: App, { changes }: GatewayContext): void {
  api.addHook("onRoute", (route) => {
    const address = changedBy(String(route.method), route.url);
    if (address === undefined) return;
    const note = async ({ caller }: FastifyRequest) => {
      if (caller !== undefined) changes.note(caller.principal.projectId, address);
    };
    route.preHandler = [...[route.preHandler ?? []].flat(), note];
    route.onResponse = [note];
  });
}

async function admitCaller(
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  row: AccessRow,
): Promise<Caller> {
  const startMs = performance.now();
  const caller = await admit(options, request, reply, row);
  request.owner = ownerOf(caller.principal);
  request.progress?.belongTo(request.owner);
  request.caller = caller;
  request.waitedMs = performance.now() - startMs;
  return caller;
}

/** Refused requests count as well: otherwise a key could send any number of requests that it may not send. */
async function admit(
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  row: AccessRow,
): Promise<Caller> {
  const { access, limits, counts } = options;
  const { perAddress, perCredential } = limits;
  if (perAddress > 0) await limit(counts, reply, "address", addressOf(request), perAddress);
  const identity = await authenticate(access, request);
  const { principal } = identity;
  await limit(counts, reply, "credential", accountOf(principal), perCredential);
  const caller = await authorize(access, request, row, identity).catch(async (error: unknown) => {
    // Which project a request acts in is known once it is allowed to. Until then it counts for that of its credential.
    await countInProject(options, principal.projectId, reply);
    throw error;
  });
  await countInProject(options, caller.principal.projectId, reply);
  return caller;
}

async function countInProject(
  { limits, projectLimits, counts }: AppOptions,
  projectId: string,
  reply: FastifyReply,
): Promise<void> {
  const stored = projectLimits.of(projectId);
  const perProject = (stored instanceof Promise ? await stored : stored) ?? limits.perProject;
  await limit(counts, reply, "project", projectId, perProject);
}
