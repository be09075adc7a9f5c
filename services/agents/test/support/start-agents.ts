import type { Message, MessageInitShape } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { AgentsService, type DefinitionSchema, Format } from "@muster/proto/agents";
import type { Reason } from "@muster/proto/errors";
import {
  type CallPrincipal,
  type Client,
  callOptions,
  createPrincipalSigner,
  createRpcClient,
  type Permission,
  readRpcError,
} from "@muster/rpc";
import { createRpcTransport } from "@muster/rpc/grpc";
import { ManualClock, Secret, silentLogger, systemClock } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import type { Db } from "mongodb";
import type { TestContext } from "vitest";
import type { AgentsConfig } from "../../src/config.ts";
import { createAgentsService, type AgentsService as Service } from "../../src/service.ts";
import { sharedChecker } from "./shared-checker.ts";

type TestCaller = Partial<Omit<CallPrincipal, "permissions">> & { permissions?: Permission[] };
export type AgentsClient = Client<typeof AgentsService>;
/** A client, and call options for different callers. */
export interface Running {
  client: AgentsClient;
  transport: Transport;
  warmUp: Service["warmUp"];
  /** Call options for a project's key. The default permission is `agents`. */
  as(caller?: TestCaller): ReturnType<typeof callOptions>;
  clock: ManualClock;
  /** The service's log lines. */
  db: Db;
}

/** Starts the real service on a free port with a database of its own, and a real client. */
export async function startAgents(
  t: TestContext,
  options: Pick<AgentsConfig, "compileCpuMs" | "readyWithoutCompiler"> = {},
): Promise<Running> {
  const store = await openTestStore(t);
  const principalSecrets = [new Secret("test-secret-of-32-characters-or-more")];
  const clock = new ManualClock(systemClock.now());
  const service = createAgentsService(
    {
      store: { uri: store.uri, databasePrefix: store.databasePrefix },
      listen: { host: "127.0.0.1", port: 0 },
      principalSecrets,
      ...options,
    },
    { log: silentLogger, clock, checker: options.compileCpuMs ? undefined : sharedChecker() },
  );
  await service.start();
  t.onTestFinished(() => service.stop());
  if (service.address === undefined) throw new Error("the service does not listen");
  const transport = createRpcTransport({ addresses: [service.address], services: [AgentsService] });
  t.onTestFinished(() => transport.close());
  const signer = createPrincipalSigner(principalSecrets, clock);
  return {
    client: createRpcClient(AgentsService, transport),
    transport,
    warmUp: service.warmUp,
    as: ({ permissions = ["agents"], ...caller }: TestCaller = {}) => {
      const scope = { projectId: "prj_one", keyId: "key_1", anyProject: false, ...caller };
      const principal = signer.sign({ ...scope, permissions: new Set(permissions) });
      return callOptions({ principal, requestId: "req_test" });
    },
    clock,
    db: store.db.client.db(`${store.databasePrefix}_agents`),
  };
}

export const protocol = `
agent: { model: demo/echo, system: system }
triggers: { user-message: { input: { USER_MESSAGE: { type: string } } } }
handlers:
  user-message:
    Add the message: { block: add-message, role: user, prompt: user, input: [USER_MESSAGE] }
    Answer: { block: next-message }
`;

export type DefinitionInit = Exclude<MessageInitShape<typeof DefinitionSchema>, Message>;

/** A valid definition with some changes. */
export function definition(changes: DefinitionInit & { slug?: string } = {}): DefinitionInit {
  const { slug = "support-chat", ...rest } = changes;
  return {
    settings: { slug, name: "Support", description: "Helps", format: Format.INTERACTIVE },
    protocol,
    prompts: [
      { name: "system", content: "Be kind." },
      { name: "user", content: "{{USER_MESSAGE}}" },
    ],
    references: [],
    ...rest,
  };
}

export async function createAgent(
  running: Running,
  changes?: Parameters<typeof definition>[0],
): Promise<string> {
  const { agentId } = await running.client.createAgent({ definition: definition(changes) }, running.as());
  return agentId;
}

export function byId(id: string) {
  return { by: { case: "id" as const, value: id } };
}

export function bySlug(slug: string) {
  return { by: { case: "slug" as const, value: slug } };
}

/** For `assert.rejects`: the call was refused for this reason. */
export function refused(reason: Reason): (error: unknown) => boolean {
  return (error) => {
    const failure = readRpcError(error);
    if (failure.reason !== reason) throw new Error(`refused otherwise: ${failure.reason} ${failure.message}`);
    return true;
  };
}

/** The issues of a refused call. */
export async function issuesOf(call: Promise<unknown>): Promise<ReturnType<typeof readRpcError>["issues"]> {
  return await call.then(
    () => [],
    (error: unknown) => readRpcError(error).issues,
  );
}
