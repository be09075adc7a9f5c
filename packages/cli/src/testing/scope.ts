import { afterAll } from "vitest";

/** Where a helper registers its clean-up, which runs last in, first out. The context of a test is one. */
export interface TestScope {
  onTestFinished(cleanUp: () => void | Promise<void>): void;
}

/** A scope that ends with the suite around it, for helpers called in `beforeAll`. */
export function suiteScope(): TestScope {
  const cleanUps: Array<() => void | Promise<void>> = [];
  afterAll(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });
  return { onTestFinished: (cleanUp) => void cleanUps.push(cleanUp) };
}
