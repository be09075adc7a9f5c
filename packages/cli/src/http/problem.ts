import { isPlainObject } from "@muster/language/json";
import { CliError, exitCodes, type Issue, serverFailure } from "../exit.ts";
import { optionalText } from "../read.ts";
import type { Reply } from "./send.ts";

/** Converts an error response of a server. */
export async function problemOf(
  response: Reply,
  url: string,
  keySource = "MUSTER_API_KEY",
): Promise<CliError> {
  const { status } = response;
  if (status >= 300 && status < 400) {
    const target = response.header("location") ?? "another address";
    const message = `${url} redirects to ${target}. Set MUSTER_URL to the final address of the server.`;
    return serverFailure("REDIRECTED", message, status);
  }
  const body = await readBody(response);
  // A proxy before Muster can refuse a request, but a page is missing only on another server.
  if (body.code === undefined && (status === 404 || status === 405)) {
    const message = `${url} is not a Muster server: it responded with status ${status}. Set MUSTER_URL or --url to the address of one.`;
    return serverFailure("UNEXPECTED_RESPONSE", message);
  }
  const code = optionalText(body, "code") ?? `HTTP_${status}`;
  const message =
    code === "UNAUTHENTICATED"
      ? `${url} rejected the API key in ${keySource}: it is invalid, expired or deleted.`
      : (optionalText(body, "error") ?? `The server responded with status ${status} and no error message.`);
  const requestId = optionalText(body, "requestId") ?? response.header("x-request-id");
  const exitCode = status >= 500 ? exitCodes.server : exitCodes.failure;
  return new CliError(exitCode, code, message, { status, requestId, issues: issuesOf(body.issues) });
}

/** Returns an empty object unless the body is a JSON object: a proxy may have responded. */
async function readBody(response: Reply): Promise<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(await response.text());
    return isPlainObject(body) ? body : {};
  } catch {
    return {};
  }
}

function issuesOf(value: unknown): Issue[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isPlainObject).map((issue) => ({
    path: optionalText(issue, "path") ?? "",
    message: optionalText(issue, "message") ?? "",
    code: optionalText(issue, "code"),
    severity: optionalText(issue, "severity"),
  }));
}

/** Converts an error of a request or of a broken connection. Its own text is not used: it can quote the request. */
export function unreachable(url: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const hint = "Is the server running? To use another address, set MUSTER_URL or --url.";
  return serverFailure("CANNOT_REACH_SERVER", `Cannot reach Muster at ${url}: ${causeOf(error)}. ${hint}`);
}

const untrusted =
  "its certificate is not trusted (set NODE_EXTRA_CA_CERTS to the file of the signing authority)";

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "the host does not exist",
  EAI_AGAIN: "the host name cannot be resolved at the moment",
  ECONNRESET: "the connection was lost",
  EPIPE: "the connection was lost",
  ERR_STREAM_PREMATURE_CLOSE: "the connection was lost",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  ETIMEDOUT: "the request timed out",
  EPROTO: "the server does not use TLS (try http://)",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not use TLS (try http://)",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the server does not use TLS (try http://)",
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name",
};

function causeOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "TimeoutError") return "the request timed out";
  const code = codeOf(error);
  if (code === undefined) return "the connection was lost";
  if (code.startsWith("HPE_")) return "the response is not HTTP";
  return causes[code] ?? `the connection failed (${code})`;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  // Node tries each address of a host and collects the failures.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}

/** The response is not from Muster, or from an incompatible version. */
export function unexpectedResponse(url: string, reason: string): CliError {
  const message = `The response from ${url} is not from a compatible Muster server: ${reason}.`;
  return serverFailure("UNEXPECTED_RESPONSE", message);
}
