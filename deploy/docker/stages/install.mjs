// Installs the packages for production, with the versions of the lock file, for Linux on the named processor.
//   node install.mjs FOLDER [PROCESSOR]        Docker's name of it, such as amd64 or arm64; default: that of this machine
import { spawnSync } from "node:child_process";
import { arch } from "node:process";

const [folder, processor = arch] = process.argv.slice(2);
const architecture = { amd64: "x64" }[processor] ?? processor;

const { status, error } = spawnSync(
  "npm",
  [
    "ci",
    "--omit=dev",
    // Another machine than this one may run the image. No package of the product needs its script.
    ...["--os=linux", `--cpu=${architecture}`, "--libc=glibc", "--ignore-scripts"],
    ...["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"],
  ],
  { cwd: folder, stdio: "inherit" },
);
if (error) console.error(`npm cannot be started: ${error.message}`);
process.exitCode = status ?? 1;
