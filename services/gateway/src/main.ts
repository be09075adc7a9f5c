import { connectNatsBus } from "@muster/events";
import { openMetrics, withMetrics } from "@muster/metrics";
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
import { requireWritableFolder, runMain, stopAll, systemClock } from "@muster/service";
import { readGatewayConfig } from "./config.ts";
import { createGateway } from "./gateway.ts";

await runMain("gateway", readGatewayConfig, async ({ config, log, onFatal }) => {
  const { addresses } = config;
  if (config.files) await requireWritableFolder("FILES_DIRECTORY", config.files.directory);
  const opened = await openMetrics(config.metrics, { process: "gateway", log });
  const metrics = opened?.metrics;
  const transports = {
    auth: createRpcTransport({ addresses: addresses.auth, services: [AuthService], log }),
    agents: createRpcTransport({ addresses: addresses.agents, services: [AgentsService], log }),
    sessions: createRpcTransport({ addresses: addresses.sessions, services: [SessionsService], log }),
    workforce: createRpcTransport({
      addresses: addresses.workforce,
      services: [
        WorkforceService,
        RecordingsService,
        ComputersService,
        WebhooksService,
        HooksService,
        SchedulesService,
        AuditService,
      ],
      log,
    }),
  };
  const bus = await connectNatsBus({ url: config.natsUrl, name: "gateway", log, metrics, onFatal });
  const gateway = createGateway(config, {
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
    services: Object.entries(transports).map(([name, transport]) => serviceDependency(name, transport)),
    bus,
    signer: createPrincipalSigner(config.principalSecrets, systemClock),
    log,
    metrics,
  });
  const closeTransports = async () => {
    for (const transport of Object.values(transports)) transport.close();
  };
  const service = withMetrics(opened, {
    start: async () => {
      const { url } = await gateway.start();
      log.info({ url }, "gateway is ready");
    },
    warmUp: () => gateway.warmUp(),
    stop: () => stopAll([() => gateway.stop(), closeTransports, () => bus.close()]),
  });
  return {
    // Time for load balancers, for the streams, then to close the rest.
    stopWithinMs: config.shutdownDelayMs + config.drainMs + 5_000,
    ...service,
  };
});
