import { connectNatsBus } from "@muster/events";
import { createModels, readModelsConfig } from "@muster/models";
import { AgentsService } from "@muster/proto/agents";
import { createRpcTransport } from "@muster/rpc";
import { createLogger, runProcess, stopAll } from "@muster/service";
import { readSessionsConfig } from "./config.ts";
import { createSessionsService } from "./service.ts";

const log = createLogger({ name: "sessions", level: "info" });
try {
  const config = readSessionsConfig(process.env);
  const models = createModels(readModelsConfig(process.env));
  const agents = createRpcTransport({ addresses: config.agentsAddresses, services: [AgentsService] });
  const bus = await connectNatsBus({ url: config.natsUrl, name: "sessions", log, onFatal: exitWithoutBus });
  const service = createSessionsService(config, { bus, log, models, agents });
  await runProcess(
    {
      start: () => service.start(),
      stop: () => stopAll([() => service.stop(), async () => agents.close(), () => bus.close()]),
    },
    log,
  );
} catch (error) {
  process.stderr.write(`sessions cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

/** The connection is retried for ever; this is the end of it, such as withdrawn credentials. */
function exitWithoutBus(error: Error): void {
  log.fatal({ err: error }, "the bus is lost");
  process.exit(1);
}
