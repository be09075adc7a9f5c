import { parseBody, readErrorBody } from "../error-body.ts";
import type { ProviderConfig, ProviderDefinition } from "../provider-definition.ts";
import { hideHost, hideKey, redact } from "../redact.ts";
import type { ProviderStatus } from "./provider-check.ts";

/** Everything that a check can find out about a provider. */
export type Finding =
  | "works"
  | "no-list"
  | "may-not-list"
  | "rate-limit"
  | "key-missing"
  | "key-refused"
  | "key-unsendable"
  | "key-forbidden"
  | "no-credit"
  | "silent"
  | "no-connection"
  | "redirected"
  | "in-trouble"
  | "unreadable"
  | "unexpected";

interface FindingRow {
  status: ProviderStatus;
  /** Follows the provider's name. `{key}` is the key, `{url}` the variable to set, `{network}` is advice about the way there. */
  sentence?: string;
  /** The provider's own words follow, redacted. */
  quotesProvider?: true;
}

const findings: Record<Finding, FindingRow> = {
  works: { status: "ok" },
  "no-list": {
    status: "ok",
    sentence:
      "responds but does not list its models, so the key was not checked; if calls fail, check {key} and the path of {url}, such as /v1",
  },
  "may-not-list": {
    status: "ok",
    sentence: "accepts the API key, but the key may not list models; only a call can show whether it works",
  },
  "rate-limit": {
    status: "ok",
    sentence: "is limiting requests at the moment, so the key was not checked; try again later",
  },
  "key-missing": { status: "key_refused", sentence: "requires an API key; set {key}" },
  "key-refused": { status: "key_refused", sentence: "refused the API key; correct {key}" },
  "key-unsendable": {
    status: "key_refused",
    sentence: "has an API key with characters that cannot be sent; correct {key}",
  },
  "key-forbidden": {
    status: "key_refused",
    sentence: "denied access to the API key; check the permissions of {key}",
    quotesProvider: true,
  },
  "no-credit": { status: "key_refused", sentence: "has no credit left for the API key; top up its account" },
  silent: { status: "unreachable", sentence: "did not respond in time; {network}" },
  "no-connection": { status: "unreachable", sentence: "could not be reached{detail}; {network}" },
  redirected: { status: "unreachable", sentence: "sent a redirect; set {url} to its target" },
  "in-trouble": { status: "unreachable", sentence: "is failing{detail}; try again later, or {network}" },
  unreadable: { status: "unreachable", sentence: "sent a response that could not be read; {network}" },
  unexpected: {
    status: "unreachable",
    sentence: "responded to the check in an unexpected way{detail}; {network}",
    quotesProvider: true,
  },
};

/** The subject of a check. */
export interface Subject {
  definition: ProviderDefinition;
  config: ProviderConfig;
  /** The key is the project's own. Default: false. */
  isProjects?: boolean;
}

/** Status and sentence of a finding. `detail` is a code or status, `body` the response body. */
export function describeFinding(
  { definition: { name, variablePrefix }, config, isProjects }: Subject,
  finding: Finding,
  { detail, body = "" }: { detail?: string | undefined; body?: string } = {},
): { status: ProviderStatus; message?: string } {
  const { status, sentence, quotesProvider } = findings[finding];
  if (sentence === undefined) return { status };
  const url = `${variablePrefix}_BASE_URL`;
  const filled = sentence
    .replace("{network}", config.baseUrl === undefined ? "check the network and its proxy" : `check ${url}`)
    .replace("{detail}", detail === undefined ? "" : ` (${detail})`)
    .replace("{key}", isProjects ? "the project's key" : `${variablePrefix}_API_KEY`)
    .replace("{url}", url);
  const said = quotesProvider ? quote(body, config) : "";
  return { status, message: `The model provider ${name} ${filled}.${said && ` It says: ${said}`}` };
}

/** The provider's own words, with the key and the host redacted wherever they repeat them. */
function quote(body: string, { apiKey, baseUrl }: ProviderConfig): string {
  const said = readErrorBody(parseBody(body)).said ?? "";
  return redact(hideHost(hideKey(said, apiKey), baseUrl));
}
