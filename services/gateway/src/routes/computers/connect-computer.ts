import { Code, ConnectError } from "@muster/rpc";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import { streamCallFor } from "../../auth/identity.ts";
import type { AddRoute, GatewayContext } from "../../context.ts";
import { problemFrom } from "../../edge/errors/from-any.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { connectPath, headOf } from "../../edge/http/upgrades.ts";
import { endProgress } from "../../edge/limits/admission.ts";
import { ComputerConnection, maxFrameBytes } from "../../streams/computer-connection.ts";

const subprotocol = "muster-computer.v1";

export const connectComputer: AddRoute = (app, context) => {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    handleProtocols: () => subprotocol,
  });
  const refusals = new WeakMap<object, Error>();
  server.on("wsClientError", (error, _, request) => refusals.set(request, error));

  const upgrade = ({ raw }: FastifyRequest): WebSocket => {
    let opened: WebSocket | undefined;
    const head = headOf(raw);
    if (head !== undefined)
      server.handleUpgrade(raw, raw.socket, head, (socket) => {
        opened = socket;
      });
    if (opened !== undefined) return opened;
    const reason = refusals.get(raw)?.message ?? "it asks for no upgrade";
    throw new HttpProblem(
      "INVALID_REQUEST",
      `This address accepts only WebSockets of computers (${reason}). Connect with muster-computer.`,
    );
  };

  app.route({
    method: "GET",
    url: connectPath,
    schema: {
      operationId: "connectComputer",
      tags: ["Computers"],
      summary: "Connect a computer",
      description:
        "A WebSocket with the subprotocol `muster-computer.v1`, whose binary messages are frames in protobuf. Use `muster-computer` of the package `@muster/platform-computer`.",
    },
    handler: async (request, reply) => {
      assertComputer(request);
      const connection = context.streams.keep(
        (onClosed) => new ComputerConnection(upgrade(request), () => performance.now(), onClosed),
        request.credential,
      );
      reply.hijack();
      endProgress(request);
      await relay(context, request, reply, connection);
    },
  });
};

function assertComputer({ headers }: FastifyRequest): void {
  if (headers.origin !== undefined)
    throw new HttpProblem("FORBIDDEN", "Browser pages cannot connect computers.");
  const offered = headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim()) ?? [];
  if (!offered.includes(subprotocol))
    throw new HttpProblem(
      "INVALID_REQUEST",
      `Connect with a WebSocket of the subprotocol ${subprotocol}: use muster-computer, or update it.`,
    );
}

async function relay(
  { computers }: GatewayContext,
  request: FastifyRequest,
  reply: FastifyReply,
  connection: ComputerConnection,
): Promise<void> {
  try {
    const call = streamCallFor(request, connection.signal);
    for await (const { frame } of computers.connect(connection.frames(), call)) await connection.send(frame);
    connection.close();
  } catch (error) {
    if (connection.signal.aborted) return;
    const problem = problemFrom(error, request);
    const isRefused = problem.status < 500 && ConnectError.from(error).code !== Code.Canceled;
    if (isRefused) return connection.sayGoodbye({ code: "refused", message: problem.message });
    reply.log.warn(
      { err: error },
      "a computer was disconnected, because the workforce service does not respond",
    );
    connection.fail();
  }
}
