// Builds the image without a container daemon, from a checkout of the tracked files and with an installation of its own, and runs it:
// the complete form of a test that the suite has in short.
//   npm run test:image
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const { status } = spawnSync(
  process.execPath,
  [join(import.meta.dirname, "../../scripts/test.mjs"), "deploy/docker"],
  { stdio: "inherit", env: { ...process.env, IMAGE_PROOF: "complete" } },
);
process.exitCode = status ?? 1;
