import { connectNatsBus } from "@muster/events";
import { AgentsService } from "@muster/proto/agents";
import { AuthService } from "@muster/proto/auth";
import { SessionsService } from "@muster/proto/sessions";
import { createPrincipalSigner, createRpcClient, createRpcTransport } from "@muster/rpc";
import { createLogger, runProcess, stopAll, systemClock } from "@muster/service";
import { readGatewayConfig } from "./config.ts";
import { createGateway } from "./gateway.ts";

const config = readGatewayConfig(process.env);
const log = createLogger({ name: "gateway", level: "info" });
const bus = await connectNatsBus({
  url: config.natsUrl,
  name: "gateway",
  log,
  onFatal: (error) => {
    log.fatal({ err: error }, "the bus is lost");
    process.exit(1);
  },
});
const { addresses } = config;
const transports = {
  auth: createRpcTransport({ addresses: addresses.auth, services: [AuthService] }),
  agents: createRpcTransport({ addresses: addresses.agents, services: [AgentsService] }),
  sessions: createRpcTransport({ addresses: addresses.sessions, services: [SessionsService] }),
};
const gateway = createGateway(config, {
  auth: createRpcClient(AuthService, transports.auth),
  agents: createRpcClient(AgentsService, transports.agents),
  sessions: createRpcClient(SessionsService, transports.sessions),
  bus,
  signer: createPrincipalSigner(config.principalSecret, systemClock),
  log,
});
await runProcess(
  {
    start: async () => {
      const { url } = await gateway.start();
      log.info({ url }, "listening");
    },
    stop: () =>
      stopAll([
        () => gateway.stop(),
        async () => {
          for (const transport of Object.values(transports)) transport.close();
        },
        () => bus.close(),
      ]),
  },
  log,
);
