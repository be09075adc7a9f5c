import { isComputerNamespace, isName, nameHint, platformNamespace } from "@muster/language/names";
import type { CreateMcpServerRequest, UpdateMcpServerRequest } from "@muster/proto/auth";
import { Issues } from "@muster/rpc";
import { checkPrintable, checkValue, checkWebUrl } from "./fields.ts";
import { checkHeaderName, type McpCredentials, readCredentials } from "./mcp-credentials.ts";
import type { McpServerDocument } from "./store/mcp-servers.ts";

export const maxMcpServers = 50;
const maxUrlLength = 2_000;
const maxHeaders = 20;
const maxTools = 128;
const maxToolLength = 128;
const limitMs = { min: 1_000, max: 3_600_000, ofIdleness: 60_000, ofCall: 600_000 };

type Settings = Pick<
  McpServerDocument,
  "url" | "tools" | "idleTimeoutMs" | "timeoutMs" | "enabled" | "managed"
>;

/** The settings that a request contains, with its secrets. */
export interface McpServerRequest extends Settings {
  credentials: McpCredentials;
  /** Values by name. */
  headers: Record<string, string>;
}

/** Throws INVALID_REQUEST with all issues. */
export function parseMcpServer(request: CreateMcpServerRequest): McpServerRequest & { slug: string } {
  const issues = new Issues();
  const { slug, url, headers, tools, enabled = true } = request;
  const { idleTimeoutMs = limitMs.ofIdleness, timeoutMs = limitMs.ofCall } = request;
  checkSlug(issues, slug);
  checkSettings(issues, { url, headers, tools, idleTimeoutMs, timeoutMs });
  const credentials = readCredentials(issues, request.auth);
  issues.refuse();
  const { managed } = request;
  return {
    slug,
    url,
    credentials,
    headers,
    tools,
    idleTimeoutMs,
    timeoutMs,
    enabled,
    ...(managed && { managed }),
  };
}

/** Throws INVALID_REQUEST with all issues. Absent fields stay unchanged. */
export function parseMcpServerChanges(
  request: UpdateMcpServerRequest,
  server: McpServerDocument,
): Partial<McpServerRequest> {
  const issues = new Issues();
  const { url, idleTimeoutMs, timeoutMs, enabled } = request;
  const [headers, tools] = [request.headers?.values, request.tools?.patterns];
  checkSettings(issues, { url, headers, tools, idleTimeoutMs, timeoutMs });
  const credentials = request.auth && readCredentials(issues, request.auth);
  // Otherwise, those who cannot read a secret could have it sent to a server of their own.
  const isElsewhere = url !== undefined && URL.parse(url)?.origin !== new URL(server.url).origin;
  const again = "must be sent again, because the new URL has another origin";
  if (isElsewhere && server.authSecret !== undefined && credentials === undefined) issues.add("auth", again);
  if (isElsewhere && server.headers !== undefined && headers === undefined) issues.add("headers", again);
  issues.refuse();
  return {
    ...(url !== undefined && { url }),
    ...(credentials !== undefined && { credentials }),
    ...(headers !== undefined && { headers }),
    ...(tools !== undefined && { tools }),
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(enabled !== undefined && { enabled }),
    ...(request.managed !== undefined && { managed: request.managed }),
  };
}

/** A namespace of definitions that is neither the platform's nor a computer's. */
function checkSlug(issues: Issues, slug: string): void {
  if (slug === platformNamespace || isComputerNamespace(slug))
    issues.add("slug", "must be another name, because this one is reserved");
  else if (!isName("namespace", slug)) issues.add("slug", `must be ${nameHint("namespace")}`);
}

type Checked = { [Name in "url" | "tools" | "idleTimeoutMs" | "timeoutMs"]?: Settings[Name] | undefined } & {
  headers?: Record<string, string> | undefined;
};

function checkSettings(issues: Issues, { url, headers, tools, ...limits }: Checked): void {
  if (url !== undefined) checkWebUrl(issues, "url", url, maxUrlLength);
  if (headers !== undefined) checkHeaders(issues, headers);
  if (tools !== undefined) checkTools(issues, tools);
  const { min, max } = limitMs;
  for (const name of ["idleTimeoutMs", "timeoutMs"] as const) {
    const { [name]: ms = min } = limits;
    if (ms < min || ms > max) issues.add(name, `must be from ${min} to ${max}`);
  }
}

function checkHeaders(issues: Issues, headers: Record<string, string>): void {
  const names = Object.keys(headers);
  const lower = names.map((name) => name.toLowerCase());
  if (names.length > maxHeaders) issues.add("headers", `must have at most ${maxHeaders} entries`);
  for (const [index, name] of names.slice(0, maxHeaders).entries()) {
    checkHeaderName(issues, `headers.${name}`, name);
    if (lower.indexOf(name.toLowerCase()) !== index) issues.add(`headers.${name}`, "must not be repeated");
    checkValue(issues, `headers.${name}`, headers[name] ?? "");
  }
}

function checkTools(issues: Issues, patterns: readonly string[]): void {
  if (patterns.length > maxTools) issues.add("tools", `must have at most ${maxTools} entries`);
  for (const [index, pattern] of patterns.slice(0, maxTools).entries())
    checkPrintable(issues, `tools.${index}`, pattern, maxToolLength);
}
