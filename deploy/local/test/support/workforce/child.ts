import { createInProcessBus } from "@muster/events";
import { createModels, readModelsConfig } from "@muster/models";
import { AgentsService } from "@muster/proto/agents";
import { AuthService } from "@muster/proto/auth";
import { RecordingsService } from "@muster/proto/recordings";
import { SessionsService } from "@muster/proto/sessions";
import { createRecorderService } from "@muster/recorder";
import { createSmallRenderer } from "@muster/recorder/testing";
import { createRpcTransport } from "@muster/rpc/grpc";
import { createIds, createLogger, type NewId, Secret, silentLogger } from "@muster/service";
import { createSessionsService } from "@muster/sessions";
import { createWorkforceService } from "@muster/workforce";
import { messageFiles } from "./message-files.ts";

/**
 * A workforce service, a sessions service or a recorder in a process of its own, so that it can be killed. It has a bus
 * of its own: nothing wakes it, so it finds its work in the store. Sends the name under which it takes leases.
 */
const { env } = process;
const log = env.TEST_LOG ? createLogger({ name: String(env.ROLE), level: "debug" }) : silentLogger;
const bus = createInProcessBus({ log });
const base = {
  store: { uri: String(env.STORE_URI), databasePrefix: String(env.DATABASE_PREFIX) },
  principalSecrets: [new Secret(String(env.SECRET))],
  listen: { host: "127.0.0.1", port: Number(env.PORT ?? 0) },
};
const agents = createRpcTransport({ addresses: [String(env.AGENTS_ADDRESS)], services: [AgentsService] });
const auth = createRpcTransport({ addresses: [String(env.AUTH_ADDRESS)], services: [AuthService] });
const createId = createIds();
let holder = "";
const newId: NewId = (prefix) => {
  const id = createId(prefix);
  // The first one names the instance.
  if (prefix === "run") holder ||= id;
  return id;
};

function sessionsService() {
  return createSessionsService(
    { ...base, timings: { leaseMs: 2_000, renewEveryMs: 300, pollEventsEveryMs: 50 } },
    { bus, log, agents, auth, models: createModels(readModelsConfig(env)) },
  );
}

function workforceService() {
  const addresses = String(env.SESSIONS_ADDRESSES).split(",");
  return createWorkforceService(
    {
      ...base,
      computers: { blobsDirectory: String(env.BLOBS), allowedHosts: [] },
      timings: JSON.parse(env.TIMINGS ?? "{}"),
      machineTimings: JSON.parse(env.MACHINE_TIMINGS ?? "{}"),
      ...(env.MESSAGE_FILES !== undefined && { files: messageFiles(env.MESSAGE_FILES) }),
    },
    {
      ...{ bus, log, agents, auth, spareProcess: false },
      sessions: createRpcTransport({ addresses, services: [SessionsService] }),
      newId,
    },
  );
}

function recorderService() {
  const addresses = [String(env.WORKFORCE_ADDRESS)];
  return createRecorderService(
    {
      ...{ principalSecrets: base.principalSecrets, directory: String(env.FILES), retentionDays: 30 },
      ...{ theme: "dark", priority: "normal", concurrency: 1, timings: JSON.parse(env.TIMINGS ?? "{}") },
    },
    {
      ...{ bus, log, newId },
      workforce: createRpcTransport({ addresses, services: [RecordingsService] }),
      render: createSmallRenderer(JSON.parse(env.RENDERER ?? "{}")),
    },
  );
}

const services = { sessions: sessionsService, workforce: workforceService, recorder: recorderService };
const role = Object.entries(services).find(([name]) => name === env.ROLE);
if (role === undefined) throw new Error(`ROLE ${env.ROLE} is unknown`);
const service = role[1]();
// A child never outlives its test, however that ends.
process.once("disconnect", () => process.exit(1));
process.once("SIGTERM", () => {
  service.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
await service.start();
process.send?.(holder);
