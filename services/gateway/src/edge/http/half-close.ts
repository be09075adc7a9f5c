import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Long enough for the refusal of a client that has left to arrive from afar, and for most responses to be sent. */
export const probeEveryMs = 200;

/**
 * Allows a client that has sent its request to close its sending side and still receive the response; Node's default is
 * to close the connection. Only writing shows that a client has closed both sides: its system refuses the first write,
 * and the next one fails. So an interim response is sent twice to a client that still waits for its response.
 */
export function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
  // Each request of a connection adds listeners. Above ten, Node would suspect a leak and write so to the error output.
  server.on("connection", (socket: Socket) => socket.setMaxListeners(0));
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const halfClosed = () => {
      setTimeout(probe, probeEveryMs, response).unref();
      setTimeout(probe, 2 * probeEveryMs, response).unref();
    };
    if (socket.readableEnded) halfClosed();
    else socket.once("end", halfClosed);
    response.once("close", () => socket.off("end", halfClosed));
  });
}

/** Clients of HTTP/1.0 know no interim responses. */
export function probe(response: ServerResponse): void {
  const isWaiting = !response.headersSent && !response.destroyed && response.req.httpVersion === "1.1";
  if (isWaiting) response.writeProcessing();
}
