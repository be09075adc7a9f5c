import { connectNatsBus } from "@muster/events";
import { AgentsService } from "@muster/proto/agents";
import { AuthService } from "@muster/proto/auth";
import { SessionsService } from "@muster/proto/sessions";
import { createPrincipalSigner, createRpcClient, createRpcTransport } from "@muster/rpc";
import { createLogger, runProcess, stopAll, systemClock } from "@muster/service";
import { readGatewayConfig } from "./config.ts";
import { createGateway } from "./gateway.ts";

const log = createLogger({ name: "gateway", level: "info" });
try {
  const config = readGatewayConfig(process.env);
  const { addresses } = config;
  const transports = {
    auth: createRpcTransport({ addresses: addresses.auth, services: [AuthService] }),
    agents: createRpcTransport({ addresses: addresses.agents, services: [AgentsService] }),
    sessions: createRpcTransport({ addresses: addresses.sessions, services: [SessionsService] }),
  };
  const bus = await connectNatsBus({ url: config.natsUrl, name: "gateway", log, onFatal: exitWithoutBus });
  const gateway = createGateway(config, {
    auth: createRpcClient(AuthService, transports.auth),
    agents: createRpcClient(AgentsService, transports.agents),
    sessions: createRpcClient(SessionsService, transports.sessions),
    bus,
    signer: createPrincipalSigner(config.principalSecret, systemClock),
    log,
  });
  const closeTransports = async () => {
    for (const transport of Object.values(transports)) transport.close();
  };
  await runProcess(
    {
      start: async () => {
        const { url } = await gateway.start();
        log.info({ url }, "gateway is ready");
      },
      stop: () => stopAll([() => gateway.stop(), closeTransports, () => bus.close()]),
    },
    log,
  );
} catch (error) {
  process.stderr.write(`gateway cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

/** The connection is retried for ever; this is the end of it, such as withdrawn credentials. */
function exitWithoutBus(error: Error): void {
  log.fatal({ err: error }, "the bus is lost");
  process.exit(1);
}
