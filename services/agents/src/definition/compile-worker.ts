import { parentPort } from "node:worker_threads";
import { compileDefinition, type DefinitionSource } from "@muster/protocol";
import type { CheckReply } from "./messages.ts";

// Its only peer is `checker.ts`, which sends definitions and nothing else.
parentPort?.on("message", (source: DefinitionSource) => {
  const { ok, issues } = compileDefinition(source);
  const reply: CheckReply = { errors: ok ? [] : issues.filter(({ severity }) => severity === "error") };
  parentPort?.postMessage(reply);
});
