import { type IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { App } from "./app.ts";

/** The first bytes of the other protocol, which arrived with the request. */
const heads = new WeakMap<IncomingMessage, Buffer>();

/** The path that another protocol than HTTP is spoken on. */
export const connectPath = "/api/v1/computers/connect";

/** Others that offer another protocol, such as clients that prefer HTTP/2, get an ordinary response. */
export function isUpgrade({ url, headers }: IncomingMessage): boolean {
  return url?.split("?", 1)[0] === connectPath && headers.upgrade?.toLowerCase() === "websocket";
}

/** Passes these requests through the routes and their hooks like all others; only the handler takes the connection over. */
export function routeUpgrades(app: App): void {
  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node no longer listens. A client that leaves ends nothing else.
    socket.on("error", () => undefined);
    heads.set(request, head);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(request.socket);
    // A refusal.
    response.once("finish", () => socket.end());
    app.routing(request, response);
  });
}

/** Undefined for a request that asks for no upgrade. */
export function headOf(request: IncomingMessage): Buffer | undefined {
  return heads.get(request);
}
