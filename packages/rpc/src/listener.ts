import { createServer, isIPv6, type Socket } from "node:net";
import { type Server, ServerCredentials } from "@grpc/grpc-js";

/**
 * The listening side of a gRPC server. It passes its connections to grpc-js and keeps track of them: grpc-js
 * 1.14 leaves them open in a forced shutdown if channelz is off.
 */
export interface Listener {
  /** Resolves to `host:port`. */
  listen(host: string, port: number): Promise<string>;
  /** Accepts no more connections; resolves when the existing ones have closed. */
  close(): Promise<void>;
  /** Cuts the remaining connections. */
  cut(): void;
}

export function createListener(server: Server): Listener {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const connections = new Set<Socket>();
  const sockets = createServer({ noDelay: true }, (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    injector.injectConnection(socket);
  });
  return {
    async listen(host, port) {
      const listening = Promise.withResolvers<void>();
      sockets.once("error", listening.reject);
      sockets.listen(port, host, listening.resolve);
      await listening.promise;
      const address = sockets.address();
      const boundPort = address === null || typeof address === "string" ? port : address.port;
      return `${isIPv6(host) ? `[${host}]` : host}:${boundPort}`;
    },
    close: () => new Promise((resolve) => sockets.close(() => resolve())),
    cut() {
      for (const socket of connections) socket.destroy();
    },
  };
}
