import type { ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import type { StreamSummary } from "../stream/stream-summary.ts";

/**
 * Logs one line when the response has been sent or the connection has closed: Fastify's own hook does not run if the client
 * leaves early. The line contains the route and not the URL, and the key's id and not its secret.
 */
export function logAccess(request: FastifyRequest, raw: ServerResponse): void {
  const startedMs = performance.now();
  const { socket } = request.raw;
  const bytesBefore = socket.bytesWritten;
  raw.once("close", () => {
    const { url, config } = request.routeOptions;
    const { log, caller, errorCode, summary } = request;
    const fields = {
      method: request.method,
      route: url ?? null,
      ...(raw.headersSent && { status: raw.statusCode }),
      durationMs: Math.round((performance.now() - startedMs) * 10) / 10,
      bytes: socket.bytesWritten - bytesBefore,
      ...(caller && { projectId: caller.principal.projectId, keyId: caller.principal.keyId }),
      ...(errorCode && { code: errorCode }),
      ...(summary
        ? summary.fields(startedMs, raw.writableFinished)
        : !raw.writableFinished && { outcome: "client left" }),
    };
    if (config?.isProbe) log.debug(fields, "request");
    else log.info(fields, "request");
  });
}

declare module "fastify" {
  interface FastifyRequest {
    /** The code of an error response. */
    errorCode: string | undefined;
    /** Set once the response has become a stream of events. */
    summary: StreamSummary | undefined;
  }
  interface FastifyContextConfig {
    /** Called every few seconds by supervisors: logged only at the level `debug`. */
    isProbe?: boolean;
  }
}
