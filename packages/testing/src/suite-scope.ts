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
