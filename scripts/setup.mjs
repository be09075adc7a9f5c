// Prepares a checkout: installs the dependencies if they differ from the lock file, and makes sure that
// `node` in npm scripts is Node 24. Plain JavaScript for Node 20, because nothing is installed when it first runs.
// With --product it installs only what the product needs; with --test also the tools that the tests need beyond npm packages; with
// --bundle it builds the bundle that `npm start` and the command run, unless MUSTER_SOURCES is set.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBundle } from "./setup/bundle.mjs";
import { ensureChromium } from "./setup/chromium.mjs";
import { ensureCommand } from "./setup/commands.mjs";
import { dependenciesMatch, installDependencies } from "./setup/dependencies.mjs";
import { withLock } from "./setup/lock.mjs";
import { SetupError, say } from "./setup/report.mjs";
import { ensureRuntime } from "./setup/runtime.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

async function setUp() {
  // First, so that nothing is downloaded in vain.
  if (process.argv.includes("--test")) {
    ensureCommand("nats-server", "https://github.com/nats-io/nats-server/releases");
    // Programs of agents run in it, on Linux only.
    if (process.platform === "linux")
      ensureCommand("bwrap", "https://github.com/containers/bubblewrap/releases", "bubblewrap");
    ensureCommand("python3", "https://www.python.org/downloads");
    ensureChromium();
  }
  const which = { product: process.argv.includes("--product") };
  if (!dependenciesMatch(root, which)) {
    await withLock(join(root, ".setup-lock"), async () => {
      // Another setup may have done it while this one waited.
      if (!dependenciesMatch(root, which)) await installDependencies(root, which);
    });
  }
  ensureRuntime(root);
  if (process.argv.includes("--bundle") && !process.env.MUSTER_SOURCES)
    await withLock(join(root, ".setup-lock"), () => ensureBundle(root));
}

try {
  await setUp();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  process.exitCode = 1;
}
