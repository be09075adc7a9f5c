import { parentPort } from "node:worker_threads";
import { createCatalog } from "@muster/catalog";
import { compileDefinition, type DefinitionSource } from "@muster/protocol";
import { type CheckReply, ready } from "./messages.ts";

const { knows } = createCatalog();
// Reads the data set, at the cost of no definition.
knows("openai/gpt-4o");

// Its only peer is `compile-thread.ts`, which sends definitions and nothing else.
parentPort?.on("message", (source: DefinitionSource) => {
  const { issues, workers }: CheckReply = compileDefinition(source, { knowsModel: knows });
  parentPort?.postMessage({ issues, workers });
});
parentPort?.postMessage(ready);
