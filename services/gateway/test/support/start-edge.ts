import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import type { DescService } from "@bufbuild/protobuf";
import { createAgentsService } from "@muster/agents";
import { sharedChecker } from "@muster/agents/testing";
import { createAuthService } from "@muster/auth";
import { type Bus, createInProcessBus } from "@muster/events";
import type { Metrics } from "@muster/metrics";
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
import {
  callOptions,
  createPrincipalSigner,
  createPrincipalVerifier,
  createRpcClient,
  mountPartial,
  type ServiceImpl,
  serviceDependency,
  workforcePrincipal,
} from "@muster/rpc";
import { createRpcServer, createRpcTransport } from "@muster/rpc/grpc";
import { type Logger, Secret, silentLogger, systemClock } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import type { TestScope } from "@muster/testing";
import { type GatewayConfig, gatewayDefaults } from "../../src/config.ts";
import type { Services } from "../../src/context.ts";
import { createGateway, type GatewayDependencies } from "../../src/gateway.ts";
import { assertDocumented } from "./contract.ts";

const principalSecrets = [new Secret("0123456789abcdef0123456789abcdef")];
const listen = { host: "127.0.0.1", port: 0 };
// Starting a server in the process of a test on a busy machine can make the event loop late.
const forTests = { port: 0, maxEventLoopDelayMs: 0, callTimeoutMs: 120_000 };
/** Encrypts the keys of model providers. */
const secretsKeys = [new Secret("ab".repeat(32))];
const adminKey = `svc_sk_${"a".repeat(32)}`;

/** A test's substitute for the sessions service, on the real wire. */
export type ScriptedSessions = Partial<ServiceImpl<typeof SessionsService>>;

/** Likewise for the workforce service. */
export type ScriptedWorkforce = Partial<ServiceImpl<typeof WorkforceService>>;

/** Likewise for the computers that dial in, which the workforce service has. */
export type ScriptedComputers = Partial<ServiceImpl<typeof ComputersService>>;

/** And for schedules. */
export type ScriptedSchedules = Partial<ServiceImpl<typeof SchedulesService>>;

/** And for webhooks. */
export type ScriptedWebhooks = Partial<ServiceImpl<typeof WebhooksService>>;

/** And for hooks. */
export type ScriptedHooks = Partial<ServiceImpl<typeof HooksService>>;

/** And for the audit log. */
export type ScriptedAudit = Partial<ServiceImpl<typeof AuditService>>;

/** And for recordings. */
export type ScriptedRecordings = Partial<ServiceImpl<typeof RecordingsService>>;

export interface Edge {
  url: string;
  /** Every route, `METHOD /path`. */
  routes: readonly string[];
  /** Has all permissions in any project. */
  adminKey: string;
  bus: Bus;
  /** Limits a stored key to an agent, whatever its permissions; the API refuses that with `admin`. */
  bindStoredKey(id: string, agentId: string): Promise<void>;
  /**
   * Sends JSON as the admin key unless `key` is given; `null` sends no credential. Fails for a response that the OpenAPI
   * document does not describe.
   */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** In the name of the workforce service, as for an administrator. */
  createComputerToken(computerId: string): Promise<{ token: string; remove(): Promise<unknown> }>;
  stop(): Promise<void>;
  /** Starts another gateway in front of the same services; stopped after the test. `secrets`: sign its calls. */
  startGateway(
    changed?: Partial<GatewayConfig>,
    bus?: Bus,
    metrics?: Metrics,
    secrets?: readonly Secret[],
  ): Promise<{ url: string; call: Edge["call"]; stop(): Promise<void> }>;
  /** Stops the auth service. */
  stopAuth(): Promise<void>;
  /** Stops the scripted services. */
  stopSessions(): Promise<void>;
}

export interface CallOptions {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged. */
  raw?: string | Uint8Array<ArrayBuffer>;
  key?: string | null;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Parsed; undefined if it is not JSON. */
  json: Json;
}

/** Parsed JSON that a test inspects and compares. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert on the shape, which is what they are for
export type Json = any;

/**
 * The gateway in front of real auth and agents services over gRPC, and scripted sessions and workforce services.
 * `privateOrigins`: of identity providers on this machine.
 */
export async function startEdge(
  t: TestScope,
  sessions: ScriptedSessions = {},
  changed: Partial<GatewayConfig> = {},
  log: Logger = silentLogger,
  bus: Bus = createInProcessBus({ log: silentLogger }),
  workforce: ScriptedWorkforce = {},
  privateOrigins: readonly string[] = [],
  recordings: ScriptedRecordings = {},
  computers: ScriptedComputers = {},
  webhooks: ScriptedWebhooks = {},
  hooks: ScriptedHooks = {},
  schedules: ScriptedSchedules = {},
  audit: ScriptedAudit = {},
): Promise<Edge> {
  const { uri, databasePrefix, db } = await openTestStore(t);
  const storedKeys = db.client.db(`${databasePrefix}_auth`).collection<{ _id: string }>("api_keys");
  const bindStoredKey = async (id: string, agentId: string) => {
    const { modifiedCount } = await storedKeys.updateOne({ _id: id }, { $set: { agentId } });
    assert.equal(modifiedCount, 1);
  };
  const config = { store: { uri, databasePrefix }, principalSecrets, listen };
  const auth = createAuthService(
    { ...config, adminKey: new Secret(adminKey), secretsKeys, federation: { privateOrigins } },
    { bus, log: silentLogger },
  );
  const agents = createAgentsService(config, { log: silentLogger, checker: sharedChecker() });
  await Promise.all([auth.start(), agents.start()]);
  const scripted = createRpcServer({
    services: [
      mountPartial(SessionsService, sessions),
      mountPartial(WorkforceService, workforce),
      mountPartial(RecordingsService, recordings),
      mountPartial(ComputersService, computers),
      mountPartial(WebhooksService, webhooks),
      mountPartial(HooksService, hooks),
      mountPartial(SchedulesService, schedules),
      mountPartial(AuditService, audit),
    ],
    verifier: createPrincipalVerifier(principalSecrets, systemClock),
    log: silentLogger,
    ...listen,
  });
  const { address } = await scripted.start();
  const { services, close } = connect({ auth: auth.address, agents: agents.address, scripted: address });
  const newGateway = (
    own: Partial<GatewayConfig>,
    ownBus: Bus,
    metrics?: Metrics,
    secrets: readonly Secret[] = principalSecrets,
  ) => {
    const signer = createPrincipalSigner(secrets, systemClock);
    return createGateway(
      { ...gatewayDefaults, ...forTests, ...own },
      { ...services, bus: ownBus, signer, log, metrics },
    );
  };
  const gateway = newGateway(changed, bus);
  const { url } = await gateway.start();
  const stop = () => gateway.stop();
  t.onTestFinished(async () => {
    await stop();
    close();
    await Promise.all([auth.stop(), agents.stop(), scripted.stop(), bus.close()]);
  });
  return {
    url,
    routes: gateway.routes,
    adminKey,
    bus,
    bindStoredKey,
    createComputerToken: async (computerId) => {
      const signer = createPrincipalSigner(principalSecrets, systemClock);
      const asWorkforce = () =>
        callOptions({ principal: signer.sign(workforcePrincipal("default")), requestId: "req_1" });
      const request = { name: "Rack 2", computerId };
      const { secret, apiKey } = await services.auth.createApiKey(request, asWorkforce());
      const remove = () => services.auth.deleteApiKey({ id: apiKey?.id ?? "", computerId }, asWorkforce());
      return { token: secret, remove };
    },
    stop,
    startGateway: async (own = changed, ownBus = bus, metrics, secrets) => {
      const other = newGateway(own, ownBus, metrics, secrets);
      const { url: address } = await other.start();
      t.onTestFinished(() => other.stop());
      return { url: address, call: (...call) => send(address, ...call), stop: () => other.stop() };
    },
    stopAuth: () => auth.stop(),
    stopSessions: () => scripted.stop(),
    call: (...call) => send(url, ...call),
  };
}

function connect({ auth, agents, scripted }: Record<"auth" | "agents" | "scripted", string | undefined>) {
  const to = (service: DescService, address = "") =>
    // The services share the test's process, so none is silent: a busy machine only makes them late.
    createRpcTransport({
      ...{ addresses: [address], services: [service] },
      silence: { suspectAfterMs: 600_000 },
    });
  const transports = {
    auth: to(AuthService, auth),
    agents: to(AgentsService, agents),
    sessions: to(SessionsService, scripted),
    workforce: to(WorkforceService, scripted),
  };
  const services: Services & Pick<GatewayDependencies, "services"> = {
    services: Object.entries(transports).map(([name, transport]) => serviceDependency(name, transport)),
    auth: createRpcClient(AuthService, transports.auth),
    agents: createRpcClient(AgentsService, transports.agents),
    sessions: createRpcClient(SessionsService, transports.sessions),
    workforce: createRpcClient(WorkforceService, transports.workforce),
    recordings: createRpcClient(RecordingsService, transports.workforce),
    computers: createRpcClient(ComputersService, transports.workforce),
    schedules: createRpcClient(SchedulesService, transports.workforce),
    webhooks: createRpcClient(WebhooksService, transports.workforce),
    hooks: createRpcClient(HooksService, transports.workforce),
    audit: createRpcClient(AuditService, transports.workforce),
  };
  const close = () => {
    for (const transport of Object.values(transports)) transport.close();
  };
  return { services, close };
}

async function send(
  url: string,
  method: string,
  path: string,
  { body, raw, key = adminKey, headers = {} }: CallOptions = {},
): Promise<Answer> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(payload === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
  });
  const text = await response.text();
  const received = { method, path, status: response.status, headers: response.headers, text };
  await assertDocumented(url, received);
  return { status: response.status, headers: response.headers, text, json: parseIfJson(text) };
}

function parseIfJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A definition that the agents service accepts. */
export function agentBody(slug: string, changed: Record<string, unknown> = {}) {
  return {
    settings: { slug, name: "Echo", format: "interactive" },
    protocol: [
      "input: {}",
      "triggers:",
      "  user-message:",
      "    input: { USER_MESSAGE: { type: string, description: Text } }",
      "agent: { model: demo/echo, system: system }",
      "handlers:",
      "  user-message:",
      "    Add: { block: add-message, role: user, prompt: user, input: [USER_MESSAGE] }",
      "    Answer: { block: next-message }",
    ].join("\n"),
    prompts: [
      { name: "system", content: "Answer." },
      { name: "user", content: "{{USER_MESSAGE}}" },
    ],
    ...changed,
  };
}

export async function makeKey(edge: Edge, fields: Record<string, unknown> = {}) {
  const { status, json, text } = await edge.call("POST", "/api/admin/keys", {
    body: { name: "k", permissions: ["sessions"], ...fields },
  });
  assert.equal(status, 201, text);
  return json as { id: string; key: string };
}

/** Sends raw bytes and returns everything received until the server closes the connection. */
export async function exchange(url: string, bytes: string): Promise<string> {
  const socket = connectSocket(Number(new URL(url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write(bytes);
  await once(socket, "close");
  return text;
}
