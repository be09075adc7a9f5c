import { closeSync, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { FetchProblem, type GuardedConnect } from "@muster/guarded-fetch";
import { isAllowed } from "./sandbox-fetch.ts";

const maxConnections = 32;

export interface NetworkProxyOptions {
  connect: GuardedConnect;
  allowedHosts: readonly string[];
}

/**
 * A proxy for the programs of one command, on a socket in a folder that its box sees. It opens tunnels to port 443 of allowed
 * hosts, at public addresses. Ends with `close`, together with every tunnel.
 */
export async function openNetworkProxy(folder: string, { connect, allowedHosts }: NetworkProxyOptions) {
  const ending = new AbortController();
  const streams = new Set<Duplex>();
  const track = (stream: Duplex): void => {
    streams.add(stream);
    stream.once("close", () => streams.delete(stream)).on("error", () => {});
  };
  const server = createServer((_, response) => {
    response.writeHead(403, { "content-type": "text/plain", connection: "close" });
    response.end("This computer reaches https addresses only.\n");
  });
  server.maxConnections = maxConnections;
  server.on("connection", track);
  server.on("connect", async (request: IncomingMessage, client: Duplex, head: Buffer) => {
    try {
      const url = targetOf(request);
      const mayVisit = ({ hostname }: URL) => isAllowed(hostname, allowedHosts);
      const upstream = await connect(url, { mayVisit }, ending.signal);
      track(upstream);
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.write(head);
      client.pipe(upstream).pipe(client);
      client.once("close", () => upstream.destroy());
      upstream.once("close", () => client.destroy());
    } catch (error) {
      const problem = error instanceof FetchProblem ? error : undefined;
      const status = problem?.isRefusal === false ? "502 Bad gateway" : "403 Forbidden";
      const text = `${problem?.message ?? "The connection was ended."}\n`;
      client.end(`HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    }
  });
  // The path of a socket may have a hundred characters only, and the way through the descriptor is short.
  const fd = openSync(folder, "r");
  await rm(join(folder, "socket"), { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path: `/proc/self/fd/${fd}/socket`, readableAll: true, writableAll: true }, resolve);
  });
  return {
    async close(): Promise<void> {
      ending.abort();
      for (const stream of streams) stream.destroy();
      await new Promise((resolve) => server.close(resolve));
      closeSync(fd);
    },
  };
}

/** Addresses have no names that could be allowed. */
function targetOf({ url: authority = "" }: IncomingMessage): URL {
  const url = URL.parse(`https://${authority}`);
  const isHost =
    url !== null && url.pathname === "/" && url.search === "" && url.hash === "" && !authority.endsWith("/");
  if (!isHost) throw new FetchProblem("invalid-url", "This is not a host with a port.");
  if (isIP(url.hostname.replace(/^\[|\]$/g, "")) !== 0)
    throw new FetchProblem("not-allowed", "This computer reaches hosts by their names only.");
  return url;
}
