import { connectNatsBus } from "@muster/events";
import { createModels, readModelsConfig } from "@muster/models";
import { AgentsService } from "@muster/proto/agents";
import { createRpcTransport } from "@muster/rpc";
import { createLogger, runProcess, stopAll } from "@muster/service";
import { readSessionsConfig } from "./config.ts";
import { createSessionsService } from "./service.ts";

const config = readSessionsConfig(process.env);
const models = createModels(readModelsConfig(process.env));
const log = createLogger({ name: "sessions", level: "info" });
const bus = await connectNatsBus({
  url: config.natsUrl,
  name: "sessions",
  log,
  onFatal: (error) => {
    log.fatal({ err: error }, "the bus is lost");
    process.exit(1);
  },
});
const agents = createRpcTransport({ addresses: config.agentsAddresses, services: [AgentsService] });
const service = createSessionsService(config, { bus, log, models, agents });
await runProcess(
  {
    start: () => service.start(),
    stop: () => stopAll([() => service.stop(), async () => agents.close(), () => bus.close()]),
  },
  log,
);
