// Runs the tests of every workspace with Vitest and watches over it:
//   npm test                                  all of them
//   npm test -- packages/rpc                  files whose path contains the text (several are allowed)
//   npm test -- --name "loses no call"        tests whose title matches the regular expression
//   npm run test:watch -- packages/rpc        runs again after each change
//   npm run test:coverage                     also reports coverage, which may not fall below the floors
// Fails if a test fails, a file contains no test, nothing ran, or a file hangs. Prints failures when
// they happen and again at the end, a line of progress every 15 s, and `N passed, N failed` last.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { realpathSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findChromium } from "./setup/chromium.mjs";
import { findCommand } from "./setup/commands.mjs";
import { makeScratchFolder } from "./test/scratch-folder.mjs";
import { stallMs } from "./test/time-limits.ts";
import { runVitest } from "./test/watchdog.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: "string", multiple: true, default: [] },
    coverage: { type: "boolean", default: false },
    watch: { type: "boolean", default: false },
    config: { type: "string", default: join(root, "vitest.config.ts") },
    "progress-ms": { type: "string", default: "15000" },
    "stall-ms": { type: "string", default: String(stallMs) },
    // Less than CI allows for this step. On a machine five times slower than a laptop, all tests take more than an hour.
    "run-ms": { type: "string", default: "6600000" },
  },
});

extendPath();
process.env.CHROMIUM ??= findChromium() ?? "";
// Each process loads most of Muster, and so do those that tests start.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/compiled");

const args = [
  ...["--config", values.config, "--configLoader", "native"],
  ...(values.name.length > 0 ? ["--testNamePattern", values.name.join("|")] : []),
  ...(values.coverage ? ["--coverage"] : []),
  ...positionals.map((filter) => filter.replace(/^\.\//, "").replace(/\/$/, "")),
];
if (values.coverage) process.env.TEST_COVERAGE = "on";
if (positionals.length === 0 && values.name.length === 0 && !values.watch) {
  process.env.COVERAGE_FLOORS = "on";
  // Takes longer than some of the tests, and saves much more for all.
  const { status } = spawnSync(process.execPath, [join(root, "scripts/setup.mjs"), "--bundle"], {
    stdio: "inherit",
  });
  // The folder of this build, which a later one does not replace.
  if (status === 0 && !process.env.MUSTER_SOURCES)
    process.env.TEST_BUNDLE = realpathSync(join(root, "node_modules/.cache/muster/current"));
}
const scratchFolder = process.env.TMPDIR ? undefined : makeScratchFolder();
if (scratchFolder !== undefined) process.env.TMPDIR = scratchFolder;
try {
  process.exitCode = await (values.watch ? watchTests() : runTests());
} finally {
  if (scratchFolder !== undefined) rmSync(scratchFolder, { recursive: true, force: true, maxRetries: 5 });
}

async function watchTests() {
  const child = spawn("vitest", ["watch", ...args], { cwd: root, stdio: "inherit" });
  const [code] = await once(child, "close");
  return code ?? 1;
}

async function runTests() {
  const limits = { stallMs: Number(values["stall-ms"]), runMs: Number(values["run-ms"]) };
  const { counts, problems, success } = await runVitest(
    root,
    ["run", ...args],
    limits,
    Number(values["progress-ms"]),
  );
  for (const problem of problems) console.error(problem);
  // With --name, most tests are skipped on purpose.
  const skipped = counts.skipped > 0 && values.name.length === 0 ? `, ${counts.skipped} skipped` : "";
  console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
  return success ? 0 : 1;
}

/** Tests start nats-server and tools by name, as npm scripts do. */
function extendPath() {
  const natsServer = findCommand("nats-server");
  const folders = [join(root, "node_modules", ".bin"), ...(natsServer ? [dirname(natsServer)] : [])];
  process.env.PATH = [...folders, process.env.PATH].join(delimiter);
}
