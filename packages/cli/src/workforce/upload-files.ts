import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { type AgentWork, createUploadUrls } from "../api/threads.ts";
import { usageError } from "../exit.ts";
import { problemOf, unexpectedResponse, unreachable } from "../http/problem.ts";
import { send } from "../http/send.ts";

/** A file of a message. */
export interface AttachedFile {
  readonly id: string;
  readonly mediaType: string;
  readonly url: string;
  readonly filename: string;
  readonly size: number;
}

const types: Readonly<Record<string, string>> = {
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".pdf": "application/pdf",
  ".md": "text/markdown",
  ".markdown": "text/markdown",
  ".json": "application/json",
};

/** Uploads local files for an agent. Anything except images, PDF, Markdown and JSON counts as text. */
export async function uploadFiles(
  agent: AgentWork,
  paths: readonly string[],
  onProgress: (text: string) => void,
): Promise<AttachedFile[]> {
  if (paths.length === 0) return [];
  const files = await Promise.all(paths.map(describe));
  const announced = files.map(({ filename, mediaType, size }) => ({ filename, mediaType, size }));
  const issued = await createUploadUrls(agent, announced);
  const attached: AttachedFile[] = [];
  for (const [index, { path, ...file }] of files.entries()) {
    const urls = issued[index];
    if (urls === undefined) throw unexpectedResponse("The server", "it has fewer upload URLs than files");
    const size = `${file.size.toLocaleString("en")} bytes`;
    onProgress(`Uploading ${file.filename}, ${size} (${index + 1} of ${files.length})`);
    await put(urls.uploadUrl, path, file.mediaType);
    attached.push({ ...file, id: urls.id, url: urls.downloadUrl });
  }
  onProgress("");
  return attached;
}

async function describe(path: string) {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw usageError(`${path} is not a file that can be read.`);
  if (found.size === 0) throw usageError(`${path} is empty.`);
  const extension = extname(path).toLowerCase();
  const mediaType = (Object.hasOwn(types, extension) ? types[extension] : undefined) ?? "text/plain";
  return { path, filename: basename(path), mediaType, size: found.size };
}

async function put(url: string, path: string, mediaType: string): Promise<void> {
  const body = await readFile(path);
  const headers = { "content-type": mediaType };
  const { origin } = new URL(url);
  const signal = AbortSignal.timeout(uploadTimeoutMs);
  const response = await send(url, { method: "PUT", body, headers, signal }).catch((error: unknown) =>
    Promise.reject(unreachable(origin, error)),
  );
  if (!response.ok) throw await problemOf(response, origin);
}

/** The server waits no longer for a request. */
const uploadTimeoutMs = 120_000;
