import { getCommandNames } from "just-bash";
import { addLayout } from "../../files/layout.ts";
import { addEntries, type ManifestEntry, readManifest } from "../../files/manifest.ts";
import { Volume } from "../../files/volume.ts";
import { lockProcess } from "./lock-process.ts";
import { openChannel } from "./open-channel.ts";
import { createShell, runCommand } from "./shell.ts";
import { ShellFs } from "./shell-fs.ts";
import { isSystemPath, uploadChanges } from "./upload-changes.ts";
import { warmUp } from "./warm-up.ts";

// The process of one command. It has no environment, no network and no right to open a file; it talks to its parent over one line,
// runs one command on the files that it gets there, sends back what has changed, and ends.

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
