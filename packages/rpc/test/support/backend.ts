// A backend that a test can kill: serves EchoService on a free port and sends its parent the address.
import { EchoService } from "@muster/proto/testing";
import { silentLogger } from "@muster/service";
import { mountService } from "../../src/handling.ts";
import { createRpcServer } from "../../src/rpc-server.ts";
import { verifier } from "./support.ts";

let calls = 0;
const server = createRpcServer({
  services: [
    mountService(EchoService, {
      echo: ({ text }) => ({ text, server: String(process.pid) }),
      append: () => ({ calls: ++calls }),
      async *exchange(requests) {
        for await (const { text } of requests) yield { text };
      },
      async *count() {
        for (let number = 1; ; number++) {
          yield { number, text: String(process.pid) };
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      },
    }),
  ],
  verifier,
  log: silentLogger,
  host: "127.0.0.1",
  port: 0,
});
const { address } = await server.start();
process.send?.(address);
process.on("disconnect", () => process.exit());
