import { CliError, exitCodes, type Issue, serverFailure } from "../exit.ts";
import { isRecord, optionalText } from "../read.ts";

/** The error that a server's refusal or failure becomes. */
export async function problemOf(response: Response, url: string): Promise<CliError> {
  const { status } = response;
  if (status >= 300 && status < 400) {
    const target = response.headers.get("location") ?? "another address";
    const message = `${url} sends on to ${target}. Set MUSTER_URL to the address itself.`;
    return serverFailure("REDIRECTED", message, status);
  }
  const body = await readBody(response);
  const code = optionalText(body, "code") ?? `HTTP_${status}`;
  const message =
    code === "UNAUTHENTICATED"
      ? `${url} does not know the key in MUSTER_API_KEY, or it has expired.`
      : (optionalText(body, "error") ?? `The server answered with status ${status} and no explanation.`);
  const requestId = optionalText(body, "requestId") ?? response.headers.get("x-request-id") ?? undefined;
  const exitCode = status >= 500 ? exitCodes.server : exitCodes.failure;
  return new CliError(exitCode, code, message, { status, requestId, issues: issuesOf(body.issues) });
}

/** Whatever it was, the status says enough: a proxy may have answered. */
async function readBody(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(await response.text());
    return isRecord(body) ? body : {};
  } catch {
    return {};
  }
}

function issuesOf(value: unknown): Issue[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((issue) => ({
    path: optionalText(issue, "path") ?? "",
    message: optionalText(issue, "message") ?? "",
    code: optionalText(issue, "code"),
    severity: optionalText(issue, "severity"),
  }));
}

/** What `fetch` and broken connections throw. Texts of ours only: theirs can quote what was sent. */
export function unreachable(url: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const hint = "Is it running? Set MUSTER_URL or --url to its address.";
  return serverFailure("CANNOT_REACH_SERVER", `Cannot reach Muster at ${url}: ${causeOf(error)}. ${hint}`);
}

const untrusted = "its certificate is not trusted; NODE_EXTRA_CA_CERTS can name the authority that signed it";

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name of the host cannot be resolved now",
  ECONNRESET: "the connection broke",
  UND_ERR_SOCKET: "the connection broke",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS; try http://",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak TLS; try http://",
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
};

function causeOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "TimeoutError") return "it does not answer";
  const code = codeOf(error);
  if (code === undefined) return isBadPort(error) ? "Node calls no such port" : "the connection broke";
  return causes[code] ?? `the connection failed (${code})`;
}

/** Ports of other protocols, which `fetch` refuses without a code. */
function isBadPort(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.message === "bad port";
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  // With several addresses Node tries them all and collects the failures.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}

/** Whoever answered is no Muster, or another version of it. */
export function badAnswer(url: string, what: string): CliError {
  const message = `What answers at ${url} is no Muster that this command knows: ${what}.`;
  return serverFailure("UNEXPECTED_ANSWER", message);
}
