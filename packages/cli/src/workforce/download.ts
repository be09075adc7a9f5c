import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { usageError } from "../exit.ts";
import { problemOf, unreachable } from "../http/problem.ts";
import { send } from "../http/send.ts";

/** Saves what an address of the server leads to. A file of that name is replaced, once everything has arrived. */
export async function download(
  url: string,
  path: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (bytes: number) => void },
): Promise<void> {
  const { origin } = new URL(url);
  const failed = (error: unknown) => Promise.reject(signal.aborted ? error : unreachable(origin, error));
  // The address needs no credential, and gets none.
  const response = await send(url, { method: "GET", signal }).catch(failed);
  if (!response.ok) throw await problemOf(response, origin);
  const draft = `${path}.${randomUUID()}.part`;
  try {
    let received = 0;
    const content = response.body.on("data", (chunk: Uint8Array) => {
      received += chunk.length;
      onProgress(received);
    });
    await pipeline(content, createWriteStream(draft, { flags: "wx" }), { signal }).catch((error: unknown) =>
      isOfDisk(error) ? Promise.reject(unwritable(path, error)) : failed(error),
    );
    await rename(draft, path).catch((error: unknown) => Promise.reject(unwritable(path, error)));
  } finally {
    await rm(draft, { force: true });
  }
}

function isOfDisk(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && ["open", "write"].includes(String(error.syscall));
}

function unwritable(path: string, error: unknown) {
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return usageError(`${path} cannot be written${code}.`);
}
