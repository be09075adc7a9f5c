import { connectNatsBus } from "@muster/events";
import { openMetrics, withMetrics } from "@muster/metrics";
import { AgentsService } from "@muster/proto/agents";
import { AuditOutboxService } from "@muster/proto/audit";
import { AuthService } from "@muster/proto/auth";
import { SessionsService } from "@muster/proto/sessions";
import { createRpcTransport } from "@muster/rpc/grpc";
import { requireWritableFolder, runMain, stopAll } from "@muster/service";
import { readWorkforceConfig } from "./config.ts";
import { createWorkforceService } from "./service.ts";

await runMain("workforce", readWorkforceConfig, async ({ config, log, onFatal }) => {
  const { agentsAddresses, authAddresses, sessionsAddresses } = config;
  await requireWritableFolder("DATA_DIR", config.computers.blobsDirectory);
  if (config.files) await requireWritableFolder("FILES_DIRECTORY", config.files.directory);
  const opened = await openMetrics(config.metrics, { process: "workforce", log });
  const metrics = opened?.metrics;
  const agents = createRpcTransport({
    addresses: agentsAddresses,
    services: [AgentsService, AuditOutboxService],
    log,
  });
  const auth = createRpcTransport({
    addresses: authAddresses,
    services: [AuthService, AuditOutboxService],
    log,
  });
  const sessions = createRpcTransport({
    addresses: sessionsAddresses,
    services: [SessionsService, AuditOutboxService],
    log,
  });
  const bus = await connectNatsBus({ url: config.natsUrl, name: "workforce", log, metrics, onFatal });
  const service = createWorkforceService(config, { bus, log, metrics, agents, auth, sessions });
  return withMetrics(opened, {
    start: () => service.start(),
    stop: () =>
      stopAll([
        () => service.stop(),
        async () => agents.close(),
        async () => auth.close(),
        async () => sessions.close(),
        () => bus.close(),
      ]),
  });
});
