import { Bash, getCommandNames } from "just-bash";
import { addLayout } from "../../files/layout.ts";
import { addEntries, type ManifestEntry, readManifest } from "../../files/manifest.ts";
import { Volume } from "../../files/volume.ts";
import { lockProcess } from "./lock-process.ts";
import { openChannel } from "./open-channel.ts";
import { createShell, runCommand } from "./shell.ts";
import { ShellFs } from "./shell-fs.ts";
import { isSystemPath, uploadChanges } from "./upload-changes.ts";

// The process of one command. It has no environment, no network and no right to open a file; it talks to its parent over one line,
// runs one command on the files that it gets there, sends back what has changed, and ends.

/** Loads and compiles what most scripts use. */
const warmUpScript =
  "mkdir -p d; echo x > d/f; for i in 1; do [ -f d/f ] && cat d/f; done | grep x | sort | head -1; ls -l d; wc -l d/f; cp d/f g; rm -r d; " +
  "find . -name g; tail -1 g; cut -c1 g; sed -n p g; awk 1 g; jq -n 1; tr a b < g; x=$(echo $((1 + 1)))";

const channel = openChannel(3);
const commandNames = getCommandNames();
lockProcess();
if (process.argv.includes("--warm-up")) await warmUp();

const { job, manifest } = channel.readJob();
const volume = new Volume(Date.now, { maxBytes: job.maxBytes, maxEntries: job.maxEntries });
const fs = new ShellFs({
  volume,
  load: (blob) => channel.load(blob),
  output: (stream, text) => channel.output(stream, text),
});
try {
  // The programs of the shell are registered first: they do not count.
  const bash = createShell(fs, job, channel, commandNames);
  volume.exempt(isSystemPath);
  addLayout(volume);
  const blobs = loadFiles();
  channel.started();
  const exitCode = await runCommand(bash, job, channel);
  channel.exit({ exitCode });
  uploadChanges(channel, volume, manifest, blobs, job.epoch);
  channel.finished();
} catch (error) {
  channel.failed(error instanceof Error ? error.message : String(error));
}

/** For a process that waits for its job: the first command is then as fast as a later one. Nothing of this remains but compiled code. */
async function warmUp(): Promise<void> {
  const volume = new Volume(Date.now);
  const fs = new ShellFs({ volume, load: () => new Uint8Array(0), output: () => {} });
  volume.makeDirectory("/tmp", { recursive: true });
  await new Bash({ fs, cwd: "/tmp" }).exec(warmUpScript);
}

function loadFiles(): Set<string> {
  const blobs = new Set<string>();
  for (const entries of readManifest(manifest)) {
    addEntries(volume, entries);
    for (const entry of entries) if (isFile(entry)) blobs.add(entry.blob);
  }
  return blobs;
}

function isFile(entry: ManifestEntry): entry is ManifestEntry & { type: "file" } {
  return entry.type === "file";
}
