import { FrameError } from "./frame-reader.ts";
import type { FetchRequest, JobEnd } from "./job.ts";

// Messages of a process are checked like anything from outside: something may have got out of its shell.

export function readFetchRequest(payload: Buffer): FetchRequest {
  const value = readObject(payload);
  const { url, method, headers, body, followRedirects, timeoutMs } = value;
  const areHeaders = Array.isArray(headers) && headers.every(isPair);
  if (typeof url !== "string" || typeof method !== "string" || !areHeaders) throw wrong();
  if (body !== undefined && typeof body !== "string") throw wrong();
  if (timeoutMs !== undefined && (typeof timeoutMs !== "number" || !(timeoutMs > 0))) throw wrong();
  return {
    url,
    method,
    headers: headers.filter(isPair),
    ...(body === undefined ? {} : { body }),
    followRedirects: followRedirects === true,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

export function readJobEnd(payload: Buffer): JobEnd {
  const { exitCode } = readObject(payload);
  if (typeof exitCode !== "number" || !Number.isInteger(exitCode)) throw wrong();
  return { exitCode: exitCode & 0xff };
}

function readObject(payload: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(payload.toString());
    if (typeof value === "object" && value !== null) return { ...value };
  } catch {}
  throw wrong();
}

function isPair(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string");
}

function wrong(): FrameError {
  return new FrameError("a frame has a wrong content");
}
