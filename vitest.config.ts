import { availableParallelism } from "node:os";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const timeoutMs = 180_000;

/** Lowest acceptable percentages, reached by each package's own tests. */
const coverageFloors = {
  "packages/agent-folder/src/**": { lines: 95, branches: 87 },
  "packages/catalog/src/**": { lines: 100, branches: 97 },
  "packages/definitions/src/**": { lines: 90, branches: 75 },
  "packages/error-codes/src/**": { lines: 100 },
  "packages/events/src/**": { lines: 95, branches: 85 },
  "packages/rpc/src/**": { lines: 96, branches: 86 },
  "packages/service/src/**": { lines: 80, branches: 84 },
  "packages/store/src/**": { lines: 91, branches: 83 },
};

/** Vitest starts test processes with `--conditions development`, which their own children would inherit. */
const resolveAsInProduction: NonNullable<ViteUserConfig["plugins"]>[number] = {
  name: "resolve-as-in-production",
  configResolved: ({ ssr }) => {
    ssr.resolve = { ...ssr.resolve, conditions: [] };
  },
};

export default defineConfig({
  cacheDir: "node_modules/.cache/vite",
  plugins: [resolveAsInProduction],
  test: {
    include: ["**/*.test.{ts,mjs}"],
    setupFiles: ["scripts/test/set-up.ts"],
    // Node loads the modules, as in production; `vi.mock` does not work.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: "forks",
    isolate: true,
    maxWorkers: Math.min(4, Math.max(2, availableParallelism())),
    // Patient enough for a machine five times slower than a laptop.
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    restoreMocks: true,
    disableConsoleIntercept: true,
    coverage: {
      provider: "v8",
      reportOnFailure: true,
      include: ["packages/*/src/**/*.ts", "services/*/src/**/*.ts", "deploy/*/src/**/*.ts"],
      exclude: ["**/testing/**", "**/testing.ts", "**/*.test.ts"],
      reporter: ["text-summary", "json-summary", "html"],
      reportsDirectory: "coverage",
      // A run of only some files would fall below the floors.
      thresholds: process.env.COVERAGE_FLOORS === "on" ? coverageFloors : {},
    },
  },
});
