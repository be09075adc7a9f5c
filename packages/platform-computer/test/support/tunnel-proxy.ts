import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import type { TestScope } from "@muster/testing";

/** A proxy for CONNECT, on whose side every name is one of this machine. */
export interface TunnelProxy {
  host: string;
  /** The tunnels that it was asked for, and the user. */
  asked: Array<{ target: string; authorization: string | undefined }>;
  /** The response instead of a tunnel. */
  status: number;
  /** Cuts all tunnels. */
  cut(): void;
}

export async function startTunnelProxy(t: TestScope): Promise<TunnelProxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) =>
    sockets.add(socket.on("error", () => undefined).on("close", () => sockets.delete(socket)));
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  const proxy: TunnelProxy = {
    ...{ host: `127.0.0.1:${address.port}`, asked: [], status: 200 },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
  server.on("connection", keep).on("connect", ({ url = "", headers }, client: Socket) => {
    proxy.asked.push({ target: url, authorization: headers["proxy-authorization"] });
    if (proxy.status !== 200) return client.end(`HTTP/1.1 ${proxy.status} No\r\nconnection: close\r\n\r\n`);
    const upstream = connect(Number(new URL(`http://${url}`).port), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    keep(upstream);
    upstream.on("close", () => client.destroy());
    return client.on("close", () => upstream.destroy());
  });
  t.onTestFinished(() => {
    proxy.cut();
    server.close();
  });
  return proxy;
}
