import type { Secret } from "@muster/service";

const maxInputLength = 2000;
const maxOutputLength = 300;

// Servers without keys are often given `x` or `ollama`, which are also parts of words.
const minSecretLength = 8;

const secret = "[secret]";
const address = "[address]";

type Rule = readonly [pattern: RegExp, replacement: string | ((...found: string[]) => string)];

const topLevelDomains =
  "local|internal|lan|corp|svc|home|intranet|localdomain|test|example|invalid|com|net|org|io|dev|ai|app|cloud|co|eu|tech|sh";

// A space, in plain text or as xAI encodes it.
const space = "(?:\\s|%20)";
const secretName =
  "(?:api(?:[-_ ]|%20)?key|access(?:[-_ ]|%20)?key|token|secret|password|passwd|authorization|credentials?|cookie)";
// Words that follow a field's name where a message is about the field, not its value.
const prose =
  "(?!(?:an?|cannot|does|expected|field|has|invalid|is|missing|must|none|not|null|required|should|the|undefined|value|was)\\b)";

// Every pattern is linear: no nested or overlapping repetition.
const secretRules: readonly Rule[] = [
  [/([?&][\w.-]{1,40}=)[^\s"'<>&#]+/g, `$1${secret}`],
  [/\b[Bb]asic\s+(?![Aa]uth)(?=[a-z+/_-]*[A-Z\d=])[\w+/-]{6,}={0,2}/g, secret],
  [/\bbearer\s+\S+/gi, secret],
  [/\b(?:sk|pk|rk|key|xai|gsk|svc|org|proj|AIza)[-_*][^\s"',.;)]+/gi, secret],
  [/\bAIza[^\s"',.;)]+/g, secret],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g, secret],
  [/\beyJ[\w-]{5,}(?:\.[\w-]+){0,2}/g, secret],
  // Long runs that contain a digit and a letter: keys, tokens, request bodies in base64.
  [/[\w-]{28,}/g, (run) => (/\d/.test(run) && /[A-Za-z]/.test(run) ? secret : run)],
  // `x-api-key: value`, `"password": "value"`, `API key provided: value`.
  [
    new RegExp(
      `(${secretName}(?:${space}(?:provided|received|supplied|given|used|is|was))?["'\`]?${space}*[:=]${space}*["'\`]?)${prose}(?:(?:basic|digest|negotiate|token)${space}+)?[^\\s"'\`,;)]*[^\\s"'\`,;.)]`,
      "gi",
    ),
    `$1${secret}`,
  ],
  // `API key "value"`; without quotes only a value with letters and digits, because prose may follow.
  [new RegExp(`(${secretName}${space}+["'\`])[^\\s"'\`]+`, "gi"), `$1${secret}`],
  [new RegExp(`(${secretName}${space}+)(?=[a-z_-]*\\d)(?=[\\d_-]*[a-z])[\\w+/-]{6,}`, "gi"), `$1${secret}`],
];

const addressRules: readonly Rule[] = [
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, address],
  [/\[[0-9a-f:]{2,45}\](?::\d+)?/gi, address],
  [/\[?(?:[0-9a-f]{0,4}:){3,8}[0-9a-f]{0,4}\]?(?::\d+)?/gi, address],
  [/\b[\w-]+(?:\.[\w-]+)*:\d{2,5}\b/g, address],
  [/\b[a-z0-9-]+(?:\.[a-z0-9-]+)+\b/gi, (name) => (isHostName(name) ? address : name)],
  [new RegExp(`\\b(?:[a-z0-9-]+\\.)+(?:${topLevelDomains})(?![\\w-])`, "gi"), address],
  // A name of one word is only known to be a host by the word before it, and by a digit or hyphen in it.
  [
    /\b(host|hostname|server|upstream|node|backend|proxy|pod|ENOTFOUND|EAI_AGAIN|ECONNREFUSED)([\s:="']{1,3})([\w.-]*[\d-][\w.-]*)/gi,
    `$1$2${address}`,
  ],
  [/\blocalhost\b/gi, address],
];

/** A URL, or anything that looks like one: the scheme, then the rest. */
const urlPattern = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)([^\s"'<>]+)/gi;
const oneLine: Rule = [/[\p{Cc}\s]+/gu, " "];
const hiddenUrl: Rule = [urlPattern, address];
const strippedUrl: Rule = [urlPattern, stripUrl];

// Paths into a request, such as `text.format.schema`, look like host names.
const requestFields =
  /^(?:body|content|contents|format|function|functions|generation|input|instructions|items|messages?|metadata|model|output|parameters|properties|reasoning|request|response|schema|system|text|thinking|tools?|usage)\./i;

/** Names of three or more parts, or with a digit or hyphen, that end like a domain and are not a path or a version. */
function isHostName(name: string): boolean {
  const labels = name.split(".");
  const [first = ""] = labels;
  if (requestFields.test(name) || labels.some((label) => /^\d+$/.test(label))) return false;
  if (!/^[a-z][a-z-]*$/i.test(labels.at(-1) ?? "")) return false;
  return labels.length > 2 || /[\d-]/.test(first);
}

/**
 * Makes a provider's message safe to show to users: one line of at most 300 characters, without keys, hosts,
 * addresses or URLs.
 */
export function redact(text: string): string {
  const cleaned = apply([oneLine, hiddenUrl, ...secretRules, ...addressRules], text);
  return cleaned.length > maxOutputLength ? `${cleaned.slice(0, maxOutputLength - 1)}…` : cleaned;
}

/** Makes a provider's message fit for the log: one line of about 2,000 characters, without keys; hosts stay. */
export function redactSecrets(text: string): string {
  return apply([oneLine, strippedUrl, ...secretRules], text);
}

/** Replaces the configured key, whatever its form. A short one is replaced only as a whole word, since it may be a placeholder. */
export function hideKey(text: string, apiKey: Secret | undefined): string {
  const key = apiKey?.reveal();
  if (!key) return text;
  if (key.length >= minSecretLength) return text.replaceAll(key, secret);
  return text.replace(new RegExp(`(?<!\\w)${key.replace(/[^\w\s]/g, "\\$&")}(?!\\w)`, "g"), secret);
}

/** Replaces the host of the base URL, which may be a name that no rule recognises: `ollama`, `acme.systems`. */
export function hideHost(text: string, baseUrl: string | undefined): string {
  const host = URL.parse(baseUrl ?? "")?.hostname ?? "";
  if (host === "") return text;
  const name = host.replace(/[^\w-]/g, "\\$&");
  return text.replace(new RegExp(`(?<![\\w-])${name}(?::\\d+)?(?![\\w-])`, "gi"), address);
}

function apply(rules: readonly Rule[], text: string): string {
  let result = text.slice(0, maxInputLength);
  for (const [pattern, replacement] of rules)
    result =
      typeof replacement === "string"
        ? result.replace(pattern, replacement)
        : result.replace(pattern, replacement);
  return result.trim();
}

/** A URL without user name, password, query and fragment, any of which may contain a key. */
function stripUrl(_url: string, scheme: string, rest: string): string {
  const query = rest.search(/[?#]/);
  const at = rest.lastIndexOf("@");
  // Either a password with a question mark or a query with an @: the two cannot be distinguished.
  if (query >= 0 && at > query) return `${scheme}[secret]`;
  return scheme + rest.slice(at + 1, query < 0 ? undefined : query);
}
