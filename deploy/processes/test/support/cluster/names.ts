import { once } from "node:events";
import { createUDPServer, Packet } from "dns2";

/** A DNS server on loopback whose answers change at any time, as those of a headless Service do. */
export interface Names {
  /** `host:port`. */
  readonly address: string;
  /** The name resolves to these addresses from now on; none means that it does not exist. */
  set(name: string, addresses: readonly string[]): void;
  close(): Promise<void>;
}

export async function startNames(): Promise<Names> {
  const addresses = new Map<string, readonly string[]>();
  const server = createUDPServer((request, send) => {
    const response = Packet.createResponseFromRequest(request);
    for (const { name, type } of request.questions) {
      const known = addresses.get(name) ?? [];
      if (known.length === 0) response.header.rcode = Packet.RCODE.NXDOMAIN;
      if (type !== Packet.TYPE.A) continue;
      for (const address of known) {
        response.answers.push(
          new Packet.Resource({ name, type: Packet.TYPE.A, class: Packet.CLASS.IN, ttl: 1, address }),
        );
      }
    }
    send(response);
  });
  await server.listen(0, "127.0.0.1");
  const { port } = server.address();
  return {
    address: `127.0.0.1:${port}`,
    set: (name, known) => void addresses.set(name, [...known]),
    async close() {
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}
