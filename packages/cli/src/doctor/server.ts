import { isPlainObject } from "@muster/language/json";
import { CliError } from "../exit.ts";
import type { Api, ApiReply } from "../http/api.ts";
import { optionalText, record } from "../read.ts";
import type { Check } from "./show-checks.ts";

/** Tokens tolerate this much; a larger difference makes expiry unreliable. */
const maxSkewMs = 30_000;

/** Checks the server itself. Returns a single check if it cannot be reached. */
export async function checkServer(api: Api, now: () => number): Promise<Check[]> {
  const startMs = now();
  const alive = await attempt(() => api.request("GET", "/healthz"));
  if (alive instanceof CliError) return [{ name: "server", status: "failed", message: alive.message }];
  const message = `${api.url}, with its console at ${api.url}/console`;
  const server: Check = { name: "server", status: "ok", message };
  return [server, await checkReady(api), ...(await checkDocument(api)), checkClock(alive, startMs, now())];
}

async function checkReady(api: Api): Promise<Check> {
  const ready = await attempt(() => api.request("GET", "/readyz"));
  if (!(ready instanceof CliError)) {
    const { degraded } = record(ready.body);
    if (Array.isArray(degraded) && degraded.includes("storage-full"))
      return { name: "ready", status: "failed", message: "a disk is full: only reads and deletions work" };
    return { name: "ready", status: "ok", message: "all services are available" };
  }
  return { name: "ready", status: "failed", message: `some services are unavailable: ${ready.message}` };
}

/** The server's description of itself: its version, and the files that it accepts. */
async function checkDocument(api: Api): Promise<Check[]> {
  const document = await attempt(() => api.request("GET", "/openapi.json"));
  if (document instanceof CliError) return [{ name: "version", status: "failed", message: document.message }];
  const { info, components } = record(document.body);
  const version = isPlainObject(info) ? optionalText(info, "version") : undefined;
  return [
    {
      name: "version",
      status: version === undefined ? "failed" : "ok",
      message: version ?? "the server does not report its version",
    },
    ...filesIn(components),
  ];
}

/** Older servers do not report it. */
function filesIn(components: unknown): Check[] {
  const path = ["schemas", "FileToUpload", "properties"];
  const properties = path.reduce((value, key) => (isPlainObject(value) ? value[key] : undefined), components);
  if (!isPlainObject(properties) || !isPlainObject(properties.mediaType) || !isPlainObject(properties.size))
    return [];
  const [types, bytes] = [properties.mediaType["x-allowed"], properties.size["x-maximum"]];
  if (!Array.isArray(types) || typeof bytes !== "number") return [];
  const message = `up to ${bytes.toLocaleString("en")} bytes each: ${types.join(", ")}`;
  return [{ name: "files", status: "ok", message }];
}

/** The Date of a response has whole seconds and lies between the request and the response. */
function checkClock({ header }: ApiReply, startMs: number, endMs: number): Check {
  const serverMs = Date.parse(header("date") ?? "");
  if (Number.isNaN(serverMs))
    return { name: "clock", status: "off", message: "the server does not report its time" };
  const skewMs = Math.max(startMs - (serverMs + 1_000), serverMs - endMs, 0);
  if (skewMs <= maxSkewMs) return { name: "clock", status: "ok", message: "matches the server" };
  const message = `differs from the server's by ${Math.round(skewMs / 1_000)} s. Correct one of the two clocks.`;
  return { name: "clock", status: "failed", message };
}

/** Returns a failure instead of throwing it, so that the other checks continue. */
export async function attempt<T>(run: () => Promise<T>): Promise<T | CliError> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}
