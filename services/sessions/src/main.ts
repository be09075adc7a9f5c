import { connectNatsBus } from "@muster/events";
import { openMetrics, withMetrics } from "@muster/metrics";
import { createModels, readModelsConfig } from "@muster/models";
import { AgentsService } from "@muster/proto/agents";
import { AuthService } from "@muster/proto/auth";
import { createRpcTransport } from "@muster/rpc/grpc";
import { type Environment, requireWritableFolder, runMain, stopAll } from "@muster/service";
import { readSessionsConfig } from "./config.ts";
import { createSessionsService } from "./service.ts";

const readConfig = (env: Environment) => ({ ...readSessionsConfig(env), models: readModelsConfig(env) });

await runMain("sessions", readConfig, async ({ config, log, onFatal }) => {
  if (config.files) await requireWritableFolder("FILES_DIRECTORY", config.files.directory);
  const opened = await openMetrics(config.metrics, { process: "sessions", log });
  const metrics = opened?.metrics;
  const models = createModels(config.models);
  const agents = createRpcTransport({ addresses: config.agentsAddresses, services: [AgentsService], log });
  const auth = createRpcTransport({ addresses: config.authAddresses, services: [AuthService], log });
  const bus = await connectNatsBus({ url: config.natsUrl, name: "sessions", log, metrics, onFatal });
  const service = createSessionsService(config, { bus, log, metrics, models, agents, auth });
  return withMetrics(opened, {
    start: () => service.start(),
    stop: () =>
      stopAll([
        () => service.stop(),
        async () => agents.close(),
        async () => auth.close(),
        () => bus.close(),
      ]),
  });
});
