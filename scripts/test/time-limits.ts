/** For each test and each hook. Patient enough for two processors that twenty other processes want. */
export const timeoutMs = 600_000;

/**
 * How long a file may make no progress. Longer than a test that reaches its timeout and two of its `onTestFinished` hooks
 * that then reach theirs, during which Vitest reports nothing: otherwise the file is killed before the test's own failure
 * is reported. For the same reason, no single test may have a longer timeout.
 */
export const stallMs = 3 * timeoutMs + 60_000;
