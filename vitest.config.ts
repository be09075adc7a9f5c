import { availableParallelism } from "node:os";
import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";
import { ownProcess } from "./scripts/test/own-process.ts";
import { timeoutMs } from "./scripts/test/time-limits.ts";

/** Lowest acceptable percentages in a run of all tests. Code that only runs in child processes does not count. */
const coverageFloors = {
  "packages/catalog/src/**": { lines: 100, branches: 97 },
  "packages/cli/src/**": { lines: 96, branches: 84 },
  "packages/client/src/**": { lines: 90, branches: 80 },
  "packages/embedded-store/src/**": { lines: 88, branches: 79 },
  "packages/engine/src/**": { lines: 98, branches: 94 },
  "packages/events/src/**": { lines: 94, branches: 85 },
  "packages/guarded-fetch/src/**": { lines: 95, branches: 88 },
  "packages/large-data/src/**": { lines: 98, branches: 90 },
  "packages/mcp-client/src/**": { lines: 95, branches: 88 },
  "packages/models/src/**": { lines: 97, branches: 88 },
  "packages/language/src/**": { lines: 99, branches: 94 },
  "packages/rpc/src/**": { lines: 95, branches: 86 },
  "packages/service/src/**": { lines: 81, branches: 91 },
  "packages/store/src/**": { lines: 99, branches: 83 },
  "packages/wire/src/**": { lines: 98, branches: 88 },
  "services/agents/src/**": { lines: 96, branches: 92 },
  "services/auth/src/**": { lines: 94, branches: 93 },
  "services/gateway/src/**": { lines: 98, branches: 92 },
  "services/sessions/src/**": { lines: 97, branches: 92 },
  "services/workforce/src/**": { lines: 66 },
  "deploy/local/src/**": { lines: 60, branches: 35 },
};

/** Vitest starts test processes with `--conditions development`, which their own children would inherit. */
const resolveAsInProduction: NonNullable<ViteUserConfig["plugins"]>[number] = {
  name: "resolve-as-in-production",
  configResolved: ({ ssr }) => {
    ssr.resolve = { ...ssr.resolve, conditions: [] };
  },
};

/** Long proofs that repeat a model and a shorter test of the suite: the nightly workflow runs them with `scripts/kills.mjs`. */
const nightly = process.env.KILLS
  ? []
  : ["deploy/local/test/workforce/fleet.test.ts", "services/sessions/test/kills/*.test.ts"];

export default defineConfig({
  cacheDir: "node_modules/.cache/vite",
  plugins: [resolveAsInProduction],
  test: {
    setupFiles: ["scripts/test/set-up.ts"],
    // Node loads the modules, as in production; `vi.mock` does not work.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: "forks",
    // Starting a process and loading all of Muster would take more time than the tests of most files.
    projects: [
      { extends: true, test: { name: "own process", include: ownProcess, isolate: true } },
      {
        extends: true,
        test: {
          name: "shared process",
          include: ["**/*.test.{ts,mjs}"],
          exclude: [...configDefaults.exclude, ...ownProcess, ...nightly],
          isolate: false,
        },
      },
    ],
    // More than processors: many tests wait for processes, leases and timers.
    maxWorkers: Math.min(6, availableParallelism() + 3),
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    restoreMocks: true,
    disableConsoleIntercept: true,
    coverage: {
      provider: "v8",
      reportOnFailure: true,
      include: ["packages/*/src/**/*.ts", "services/*/src/**/*.ts", "deploy/*/src/**/*.ts"],
      exclude: ["**/*.test.ts"],
      reporter: ["text-summary", "json-summary", "html"],
      reportsDirectory: "coverage",
      // A run of only some files would fall below the floors.
      thresholds: process.env.COVERAGE_FLOORS === "on" ? coverageFloors : {},
    },
  },
});
