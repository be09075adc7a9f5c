import { readSync, writeSync } from "node:fs";
import { blobName } from "../../src/files/blob-name.ts";
import { frameHeader, frameTypes } from "../../src/sandbox/frames.ts";

// Runs in the place of the shell's process and lies to its parent. The command says how.

const fd = 3;

function read(size: number): Buffer {
  const buffer = Buffer.alloc(size);
  for (let filled = 0; filled < size; ) filled += readSync(fd, buffer, filled, size - filled, null);
  return buffer;
}

function readFrame(): { type: number; payload: Buffer } {
  const header = read(5);
  return { type: header.readUInt8(4), payload: read(header.readUInt32BE() - 1) };
}

function send(type: number, payload: Uint8Array | string = ""): void {
  const bytes = Buffer.from(payload);
  const header = frameHeader(frameTypes.job, bytes.length);
  header.writeUInt8(type, 4);
  writeSync(fd, Buffer.concat([header, bytes]));
}

const hash = "a".repeat(64);
const manifest = (line: string) => `{"version":1}\n${line}\n`;
const finish = (text: string) => {
  send(frameTypes.exit, '{"exitCode":0}');
  send(frameTypes.newManifest, text);
  send(frameTypes.finished);
};

const lies: Record<string, () => void> = {
  "a frame without end": () => writeSync(fd, Buffer.from([0xff, 0xff, 0xff, 0xff, 20])),
  "an empty frame": () => writeSync(fd, Buffer.alloc(5)),
  "an unknown frame": () => send(99),
  "a path for a content": () => send(frameTypes.need, "../../../../../etc/passwd"),
  "another computer's content": () => send(frameTypes.need, blobName(hash, 1)),
  "a request that is not JSON": () => {
    send(frameTypes.fetch, "{");
    send(frameTypes.fetch);
  },
  "an exit code that is not a number": () => send(frameTypes.exit, '{"exitCode":"0"}'),
  "a manifest with an unknown content": () => finish(manifest(`["f","/f",420,0,1,"${blobName(hash, 1)}"]`)),
  "a manifest with a path as content": () => finish(manifest('["f","/f",420,0,1,"../../x"]')),
  "a manifest that is none": () => finish("\0\0\0\n"),
  "an end in the middle": () => process.exit(0),
  "endless output": () => {
    for (;;) send(frameTypes.output, Buffer.alloc(100_000, 1));
  },
};

const { payload } = readFrame();
const job: { command: string } = JSON.parse(payload.toString());
for (let frame = readFrame(); frame.type !== frameTypes.start; frame = readFrame());
lies[job.command]?.();
// The parent decides when this ends.
readFrame();
