import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIPv6 } from "node:net";
import { type Logger, listenProblem } from "@muster/service";

/** The source of the served text. */
interface Source {
  readonly contentType: string;
  render(): Promise<string>;
}

export type MetricsServer = ReturnType<typeof createMetricsServer>;

interface MetricsServerOptions {
  source: Source;
  host: string;
  port: number;
  log: Logger;
}

export const metricsPath = "/metrics";

// Scrapers are few and send small requests. Any other client that finds the port must not be able to fill the process's
// memory.
const bounds = {
  requestTimeout: 5_000,
  headersTimeout: 5_000,
  keepAliveTimeout: 75_000,
  maxHeaderSize: 8_192,
};
const maxConnections = 64;

/** An HTTP server for `GET /metrics` alone. */
export function createMetricsServer({ source, host, port, log }: MetricsServerOptions) {
  const server = createServer({ ...bounds, connectionsCheckingInterval: 1_000 }, (request, response) => {
    answer(source, request, response).catch((error: unknown) => {
      log.error({ err: error }, "the metrics could not be rendered");
      reply(response, 500, "The metrics could not be rendered.");
    });
  });
  server.maxConnections = maxConnections;
  return {
    /** Listens; resolves with the URL of the metrics. Rejects with a ConfigError if the port is in use. */
    start: async () => {
      await listen(server, host, port).catch((error: unknown) => {
        throw listenProblem(error, { host, port, settings: { host: "METRICS_HOST", port: "METRICS_PORT" } });
      });
      const url = urlOf(server, host);
      log.info({ url }, "metrics are served");
      return url;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(source: Source, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.split("?", 1)[0] !== metricsPath) {
    reply(response, 404, `This server has only ${metricsPath}.`);
  } else if (request.method !== "GET") {
    response.setHeader("allow", "GET");
    reply(response, 405, `${metricsPath} supports only GET.`);
  } else {
    const text = await source.render();
    reply(response, 200, text, source.contentType);
  }
}

function reply(
  response: ServerResponse,
  status: number,
  text: string,
  type = "text/plain; charset=utf-8",
): void {
  const body = status === 200 ? text : `${text}\n`;
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}${metricsPath}`;
}
