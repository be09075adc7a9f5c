import { parentPort } from "node:worker_threads";
import { createCatalog } from "@muster/catalog";
import { compileDefinition } from "@muster/language/compile";
import { type CheckReply, type CheckRequest, ready } from "./messages.ts";

const catalog = createCatalog();
// Reads the data set now, so that no definition pays for it.
const known = { knowsModel: catalog.knows, modelIds: catalog.entries.map(({ id }) => id) };

// Its only peer is `compile-thread.ts`, which sends definitions and nothing else.
parentPort?.on("message", ({ source, mcpServers }: CheckRequest) => {
  const { issues, workers }: CheckReply = compileDefinition(source, { ...known, mcpServers });
  parentPort?.postMessage({ issues, workers });
});
parentPort?.postMessage(ready);
