import { once } from "node:events";
import { createServer } from "node:http2";
import type { Client, ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter, createGrpcTransport } from "@connectrpc/connect-node";
import { EchoService } from "@muster/proto/testing";
import { createLogger, type Logger, Secret, silentLogger, systemClock } from "@muster/service";
import type { TestContext } from "vitest";
import { createRpcClient } from "../../src/client.ts";
import { mountPartial } from "../../src/handling.ts";
import { createInProcessTransport } from "../../src/in-process-transport.ts";
import { type CallPrincipal, createPrincipalSigner, createPrincipalVerifier } from "../../src/principal.ts";
import { createRpcServer, type RpcServer } from "../../src/rpc-server.ts";
import { createRpcTransport } from "../../src/rpc-transport.ts";

export type EchoImpl = Partial<ServiceImpl<typeof EchoService>>;
export type EchoClient = Client<typeof EchoService>;

const secrets = [new Secret("a secret that only the tests know")];
export const verifier = createPrincipalVerifier(secrets, systemClock);
export const signer = createPrincipalSigner(secrets, systemClock);

export const principal: CallPrincipal = {
  projectId: "prj_1",
  keyId: "key_1",
  permissions: new Set(["sessions", "agents"]),
  anyProject: false,
};

/** A server on a free port, stopped after the test. */
export async function startServer(
  t: TestContext,
  impl: EchoImpl,
  options: {
    log?: Logger;
    drainMs?: number;
    host?: string;
    port?: number;
    maxConnectionAgeMs?: number;
  } = {},
): Promise<{ address: string; server: RpcServer }> {
  const server = createRpcServer({
    services: [mountPartial(EchoService, impl)],
    verifier,
    log: options.log ?? silentLogger,
    host: options.host ?? "127.0.0.1",
    port: options.port ?? 0,
    drainMs: options.drainMs ?? 0,
    maxConnectionAgeMs: options.maxConnectionAgeMs ?? 0,
  });
  const { address } = await server.start();
  t.onTestFinished(() => server.stop());
  return { address, server };
}

/** A client of one or more servers, closed after the test. */
export function connectTo(t: TestContext, ...addresses: string[]): EchoClient {
  const transport = createRpcTransport({ addresses, services: [EchoService] });
  t.onTestFinished(() => transport.close());
  return createRpcClient(EchoService, transport);
}

export function connectInProcess(impl: EchoImpl, log: Logger = silentLogger): EchoClient {
  const transport = createInProcessTransport([mountPartial(EchoService, impl)], { verifier, log });
  return createRpcClient(EchoService, transport);
}

/** connect-node's own gRPC client. */
export function connectPeer(address: string): EchoClient {
  // Node's HTTP/2 client resets streams whose session buffers more than 10 MB, which the largest message exceeds.
  const nodeOptions = { maxSessionMemory: 64 };
  return createRpcClient(EchoService, createGrpcTransport({ baseUrl: `http://${address}`, nodeOptions }));
}

/** connect-node's own gRPC server, closed after the test. */
export async function startPeer(t: TestContext, impl: EchoImpl): Promise<string> {
  const server = createServer(connectNodeAdapter({ routes: (router) => router.service(EchoService, impl) }));
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => sessions.add(session));
  t.onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The peer has no port");
  return `127.0.0.1:${address.port}`;
}

/** A logger whose lines a test can read. */
export function recordingLog(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  return { log: createLogger({ name: "test", level: "debug", destination }), lines };
}
