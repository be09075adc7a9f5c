import { createGateway, gatewayDefaults } from "@muster/gateway";
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
import { Secret, silentLogger, stopAll, systemClock } from "@muster/service";
import { TestClient, type TestScope } from "@muster/testing";
import type { WorkforceWorld } from "./world.ts";

/** The HTTP edge of a world, in front of these instances of its workforce service. */
export async function startGateway(
  t: TestScope,
  { env, bus }: Pick<WorkforceWorld, "env" | "bus">,
  workforceAddresses: readonly string[] = [env.WORKFORCE_ADDRESS],
  /** They run in processes of their own, which may be silent. */
  areProcesses = false,
): Promise<{ url: string; admin: TestClient }> {
  // The services share the test's process, so none is silent: a busy machine only makes them late.
  const silence = { suspectAfterMs: 600_000 };
  const workforceServices = [
    WorkforceService,
    RecordingsService,
    ComputersService,
    SchedulesService,
    WebhooksService,
    AuditService,
  ];
  const transports = {
    auth: createRpcTransport({ addresses: [env.AUTH_ADDRESS], services: [AuthService], silence }),
    agents: createRpcTransport({ addresses: [env.AGENTS_ADDRESS], services: [AgentsService], silence }),
    sessions: createRpcTransport({ addresses: [env.SESSIONS_ADDRESS], services: [SessionsService], silence }),
    workforce: createRpcTransport({
      addresses: [...workforceAddresses],
      services: workforceServices,
      ...(areProcesses ? {} : { silence }),
    }),
  };
  const gateway = createGateway(
    { ...gatewayDefaults, port: 0, maxEventLoopDelayMs: 0, callTimeoutMs: 120_000, drainMs: 500 },
    {
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
      signer: createPrincipalSigner([new Secret(env.SECRET)], systemClock),
      log: silentLogger,
    },
  );
  const closeTransports = async () => {
    for (const transport of Object.values(transports)) transport.close();
  };
  const { url } = await gateway.start();
  t.onTestFinished(() => stopAll([() => gateway.stop(), closeTransports]));
  return { url, admin: new TestClient(url, env.ADMIN_KEY) };
}
