import { afterAll } from "vitest";
import type { TestScope } from "./scope.ts";

/** A scope that ends with the suite around it, for helpers called in `beforeAll`. */
export function suiteScope(): TestScope {
  const cleanUps: Array<() => void | Promise<void>> = [];
  afterAll(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });
  return { onTestFinished: (cleanUp) => void cleanUps.push(cleanUp) };
}

const fileCleanUps: Array<() => void | Promise<void>> = [];

/** Runs `cleanUp` after the last test of the file that is being run. Unlike `afterAll`, tests may call it. */
export function atEndOfFile(cleanUp: () => void | Promise<void>): void {
  fileCleanUps.push(cleanUp);
}

/** For the set-up of each file. */
export async function cleanUpFile(): Promise<void> {
  for (const cleanUp of fileCleanUps.splice(0).reverse()) await cleanUp();
}
