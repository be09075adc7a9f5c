import { silentLogger } from "@muster/service";
import { createDefinitionChecker, type DefinitionChecker } from "../../src/definition/definition-checker.ts";

let shared: DefinitionChecker | undefined;

/** The checker of all tests of this process: to load the compiler takes longer than most of them. Its threads do not keep the process alive. */
export function sharedChecker(): DefinitionChecker {
  shared ??= createDefinitionChecker({ log: silentLogger, cpuMs: 2_000, patienceMs: 600_000 });
  return shared;
}
