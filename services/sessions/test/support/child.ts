import { createInProcessBus } from "@muster/events";
import { createModels, readModelsConfig } from "@muster/models";
import { AgentsService } from "@muster/proto/agents";
import { createRpcTransport } from "@muster/rpc/grpc";
import { Secret, silentLogger, systemClock } from "@muster/service";
import { createSessionsService } from "../../src/index.ts";
import { createFakeAuth } from "./fake-auth.ts";

/** A sessions service in its own process, so that it can be killed. Sends its address to the parent. */
const { STORE_URI = "", DATABASE_PREFIX = "", AGENTS_ADDRESS = "", SECRET = "" } = process.env;
const principalSecrets = [new Secret(SECRET)];
const service = createSessionsService(
  {
    store: { uri: STORE_URI, databasePrefix: DATABASE_PREFIX },
    listen: { host: "127.0.0.1", port: 0 },
    principalSecrets,
    timings: {
      leaseMs: Number(process.env.LEASE_MS),
      renewEveryMs: 100,
      earlySaveMs: Number(process.env.EARLY_SAVE_MS),
    },
  },
  {
    bus: createInProcessBus({ log: silentLogger }),
    log: silentLogger,
    models: createModels(readModelsConfig(process.env)),
    agents: createRpcTransport({ addresses: [AGENTS_ADDRESS], services: [AgentsService] }),
    auth: createFakeAuth(principalSecrets, systemClock).transport,
  },
);
// A child never outlives its test, however that ends.
process.once("disconnect", () => process.exit(1));
await service.start();
process.send?.(service.address);
