import { parentPort } from "node:worker_threads";
import type { DefinitionSource } from "@muster/language";
import { ready } from "../../src/definition/messages.ts";

// A compiler that finds every definition valid, and never ends if it contains `endless`.
parentPort?.on("message", ({ protocol }: DefinitionSource) => {
  while (protocol.includes("endless"));
  parentPort?.postMessage({ issues: [], workers: [] });
});
parentPort?.postMessage(ready);
