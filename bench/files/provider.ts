/** A provider that reads a call without keeping it, says so to its parent, and refuses it once it is told to. */
import { createServer } from "node:http";

const server = createServer(async (request, response) => {
  for await (const _piece of request);
  process.once("message", () => void response.writeHead(400).end());
  process.send?.("received");
}).listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.(typeof address === "object" ? `http://127.0.0.1:${address?.port}` : "");
});
