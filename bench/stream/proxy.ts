import { Agent, createServer, request } from "node:http";

// The yardstick: the minimum that a node:http server between client and provider can do, in a process of its own.
// Usage: node bench/stream/proxy.ts <provider port>; prints its port.

const providerPort = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

const server = createServer((incoming, outgoing) => {
  const { method, url: path, headers } = incoming;
  const upstream = request(
    { host: "127.0.0.1", port: providerPort, method, path, headers, agent },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    },
  );
  upstream.on("error", () => outgoing.destroy());
  incoming.pipe(upstream);
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(address.port);
});
