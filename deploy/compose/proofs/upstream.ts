import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A scripted gateway. */
export interface Upstream {
  /** `host:port`. */
  address: string;
  /** The connections that were opened to it. */
  readonly connections: number;
  /** The handler of requests from now on. */
  handle(handler: Handler): void;
  close(): Promise<void>;
}

export async function startUpstream(port = 0): Promise<Upstream> {
  let handler: Handler = (_, response) => void response.end("{}");
  let connections = 0;
  const server = createServer((request, response) => void handler(request, response));
  // The same time as the gateways'.
  server.keepAliveTimeout = 75_000;
  // A gateway that accepts every upgrade, and echoes.
  server.on("upgrade", ({ headers: { upgrade, connection } }, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${upgrade}\r\nConnection: ${connection}\r\n\r\n`,
    );
    socket.on("error", () => undefined).pipe(socket);
  });
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("The server has no port");
  return {
    address: `127.0.0.1:${bound.port}`,
    get connections() {
      return connections;
    },
    handle: (next) => {
      handler = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
