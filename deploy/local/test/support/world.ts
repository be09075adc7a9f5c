import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgentsService } from "@muster/agents";
import { sharedChecker } from "@muster/agents/testing";
import { createAuthService } from "@muster/auth";
import { startEmbeddedStore } from "@muster/embedded-store";
import { createInProcessBus } from "@muster/events";
import { createGateway, type GatewayConfig, gatewayDefaults } from "@muster/gateway";
import type { Metrics } from "@muster/metrics";
import { createModels, readModelsConfig } from "@muster/models";
import { AgentsService } from "@muster/proto/agents";
import { AuditService } from "@muster/proto/audit";
import { AuthService } from "@muster/proto/auth";
import { ComputersService } from "@muster/proto/computers";
import { HooksService } from "@muster/proto/hooks";
import { RecordingsService } from "@muster/proto/recordings";
import { SchedulesService } from "@muster/proto/schedules";
import { SessionsService } from "@muster/proto/sessions";
import { WebhooksService } from "@muster/proto/webhooks";
import { WorkforceService } from "@muster/proto/workforce";
import { createPrincipalSigner, createRpcClient, serviceDependency } from "@muster/rpc";
import { createRpcTransport } from "@muster/rpc/grpc";
import { Secret, silentLogger, systemClock } from "@muster/service";
import { createSessionsService } from "@muster/sessions";
import { TestClient, type TestScope } from "@muster/testing";
import { createWorkforceService } from "@muster/workforce";

// The services share the test's process, so none is silent: a busy machine only makes them late.
const silence = { suspectAfterMs: 600_000 };
const principalSecrets = [new Secret("0123456789abcdef0123456789abcdef")];
const listen = { host: "127.0.0.1", port: 0 };
const adminKey = `svc_sk_${"a".repeat(32)}`;

export type World = Awaited<ReturnType<typeof startWorld>>;

interface WorldOptions {
  /** The services' clients of the store emit an event for each command. */
  monitorsStore?: boolean;
  /** Operations fail soon after the store has stopped. Absent: they wait for it for a minute. */
  missesStore?: true;
  /** Origins of identity providers on this machine. */
  privateOrigins?: readonly string[];
  /** The pause of the demo models between two words. */
  wordDelayMs?: number;
  /** The metrics of all services together. */
  metrics?: Metrics;
  /** Changed settings of the gateway. */
  gateway?: Partial<GatewayConfig>;
}

/** The gateway in front of all services, which listen on sockets of their own, so that tests can call them past it. */
export async function startWorld(
  t: TestScope,
  {
    monitorsStore = false,
    missesStore,
    privateOrigins = [],
    wordDelayMs = 0,
    metrics,
    gateway: changed = {},
  }: WorldOptions = {},
) {
  const directory = await mkdtemp(join(tmpdir(), "muster-world-"));
  const store = await startEmbeddedStore({ directory });
  const reached = missesStore ? store.uri : store.patientUri;
  const uri = monitorsStore ? `${reached}&monitorCommands=true` : reached;
  const bus = createInProcessBus({ log: silentLogger, metrics });
  const log = silentLogger;
  const base = { store: { uri, databasePrefix: "muster" }, principalSecrets, listen };
  const auth = createAuthService(
    { ...base, adminKey: new Secret(adminKey), federation: { privateOrigins } },
    { bus, log, metrics },
  );
  const agents = createAgentsService(base, { log, metrics, checker: sharedChecker() });
  await Promise.all([auth.start(), agents.start()]);
  const toAuth = createRpcTransport({ addresses: [String(auth.address)], services: [AuthService], silence });
  const toAgents = createRpcTransport({
    addresses: [String(agents.address)],
    services: [AgentsService],
    silence,
  });
  const models = createModels(readModelsConfig({ DEMO_WORD_DELAY_MS: String(wordDelayMs) }));
  const sessions = createSessionsService(base, { bus, models, agents: toAgents, auth: toAuth, log, metrics });
  await sessions.start();
  const toSessions = createRpcTransport({
    addresses: [String(sessions.address)],
    services: [SessionsService],
    silence,
  });
  const workforce = createWorkforceService(
    {
      ...base,
      computers: { blobsDirectory: join(directory, "blobs"), allowedHosts: [] },
      secretsKeys: [new Secret("ab".repeat(32))],
      onlyInstance: true,
    },
    { bus, agents: toAgents, auth: toAuth, sessions: toSessions, log, metrics },
  );
  await workforce.start();
  const toWorkforce = createRpcTransport({
    addresses: [String(workforce.address)],
    services: [
      WorkforceService,
      RecordingsService,
      ComputersService,
      WebhooksService,
      HooksService,
      SchedulesService,
      AuditService,
    ],
    silence,
  });
  const transports = { auth: toAuth, agents: toAgents, sessions: toSessions, workforce: toWorkforce };
  const signer = createPrincipalSigner(principalSecrets, systemClock);
  const clients = {
    auth: createRpcClient(AuthService, toAuth),
    agents: createRpcClient(AgentsService, toAgents),
    sessions: createRpcClient(SessionsService, toSessions),
    workforce: createRpcClient(WorkforceService, toWorkforce),
    recordings: createRpcClient(RecordingsService, toWorkforce),
    computers: createRpcClient(ComputersService, toWorkforce),
    schedules: createRpcClient(SchedulesService, toWorkforce),
    webhooks: createRpcClient(WebhooksService, toWorkforce),
    hooks: createRpcClient(HooksService, toWorkforce),
    audit: createRpcClient(AuditService, toWorkforce),
  };
  const gateway = createGateway(
    {
      ...gatewayDefaults,
      ...{ port: 0, drainMs: 0, authFailuresPerMinute: 0, maxEventLoopDelayMs: 0, callTimeoutMs: 120_000 },
      ...changed,
    },
    {
      ...clients,
      services: Object.entries(transports).map(([name, transport]) => serviceDependency(name, transport)),
      bus,
      signer,
      log,
      metrics,
    },
  );
  const { url } = await gateway.start();
  t.onTestFinished(async () => {
    await gateway.stop();
    // Its runs use the other services.
    await workforce.stop();
    for (const transport of Object.values(transports)) transport.close();
    await Promise.all([auth.stop(), agents.stop(), sessions.stop(), bus.close()]);
    await store.stop();
    await rm(directory, { recursive: true, force: true });
  });
  const client = new TestClient(url, adminKey);
  return { url, adminKey, routes: gateway.routes, client, clients, signer, store };
}

/** A minimal definition of an agent that repeats messages. */
export function echoAgent(slug: string) {
  const protocol = [
    "input: {}",
    "triggers:",
    "  user-message:",
    "    input: { USER_MESSAGE: { type: string, description: Text } }",
    "agent: { model: demo/echo, system: system }",
    "handlers:",
    "  user-message:",
    "    Add: { block: add-message, role: user, prompt: user, input: [USER_MESSAGE] }",
    "    Answer: { block: next-message }",
  ];
  return {
    settings: { slug, name: "Echo", format: "interactive" },
    protocol: protocol.join("\n"),
    prompts: [
      { name: "system", content: "Answer." },
      { name: "user", content: "{{USER_MESSAGE}}" },
    ],
  };
}
