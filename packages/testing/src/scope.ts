/** Where a helper registers its clean-up, which runs last in, first out. The context of a Vitest test is one. */
export interface TestScope {
  onTestFinished(cleanUp: () => void | Promise<void>): void;
}
