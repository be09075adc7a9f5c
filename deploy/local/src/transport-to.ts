import type { Metrics } from "@muster/metrics";
import { createInProcessTransport, type Mounted, type PrincipalVerifier, type Transport } from "@muster/rpc";
import type { Logger } from "@muster/service";
import type { Closers } from "./start-infrastructure.ts";

interface Host {
  readonly mounted: Mounted[];
  readonly address: string | undefined;
}

interface Calls {
  verifier: PrincipalVerifier;
  log: Logger;
  metrics: Metrics | undefined;
  transport: "in-process" | "grpc";
}

/** How to reach a service that runs in this process. */
export async function transportTo(
  host: Host,
  { verifier, log, metrics, transport }: Calls,
  closers: Closers,
): Promise<Transport> {
  if (transport === "in-process") return createInProcessTransport(host.mounted, { verifier, log, metrics });
  if (host.address === undefined) throw new Error("The service does not listen");
  const { createRpcTransport } = await import("@muster/rpc/grpc");
  const rpc = createRpcTransport({
    addresses: [host.address],
    services: host.mounted.map(({ service }) => service),
  });
  closers.push(async () => rpc.close());
  return rpc;
}
