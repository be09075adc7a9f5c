import { createServer, isIPv6, type Socket } from "node:net";
import { type Server, ServerCredentials } from "@grpc/grpc-js";

/**
 * How long a connection is quiet before TCP asks whether its client still exists, for ten seconds. grpc-js's keepalive
 * would close each connection that this side asks its client to leave, with the calls that still run on it: Node
 * refuses pings on those (https://github.com/grpc/grpc-node/issues/3068).
 */
const keepAliveInitialDelay = 10_000;

export type Listener = ReturnType<typeof createListener>;

/**
 * The listening side of a gRPC server. It passes its connections to grpc-js and keeps track of them: grpc-js
 * 1.14 leaves them open in a forced shutdown if channelz is off.
 */
export function createListener(server: Server) {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const connections = new Set<Socket>();
  const sockets = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay }, (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    injector.injectConnection(socket);
  });
  return {
    /** Resolves to `host:port`. */
    async listen(host: string, port: number) {
      const listening = Promise.withResolvers<void>();
      sockets.once("error", listening.reject);
      sockets.listen(port, host, listening.resolve);
      await listening.promise;
      const address = sockets.address();
      const boundPort = address === null || typeof address === "string" ? port : address.port;
      return `${isIPv6(host) ? `[${host}]` : host}:${boundPort}`;
    },
    /** Accepts no more connections; resolves when the existing ones have closed. */
    close: () => new Promise<void>((resolve) => sockets.close(() => resolve())),
    /** Cuts the remaining connections. */
    cut() {
      for (const socket of connections) socket.destroy();
    },
  };
}
