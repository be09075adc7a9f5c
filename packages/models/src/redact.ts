const maxInputLength = 2000;
const maxOutputLength = 300;

const secret = "[secret]";
const address = "[address]";

type Rule = readonly [pattern: RegExp, replacement: string | ((found: string) => string)];

const topLevelDomains =
  "local|internal|lan|corp|svc|home|intranet|localdomain|test|example|invalid|com|net|org|io|dev|ai|app|cloud|co|eu|tech|sh";

// Every pattern is linear: no nested or overlapping repetition.
const secretRules: readonly Rule[] = [
  [/\bbearer\s+\S+/gi, secret],
  [/\b(?:sk|pk|rk|key|xai|gsk|svc|org|proj|AIza)[-_*][^\s"',.;)]+/gi, secret],
  [/\bAIza[^\s"',.;)]+/g, secret],
  // Long runs that contain a digit and a letter: keys, tokens, request bodies in base64.
  [/(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9_-]{28,}/g, secret],
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

const oneLine: Rule = [/[\p{Cc}\s]+/gu, " "];
const url: Rule = [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>]+/gi, address];

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
  const cleaned = apply([oneLine, url, ...secretRules, ...addressRules], text);
  return cleaned.length > maxOutputLength ? `${cleaned.slice(0, maxOutputLength - 1)}…` : cleaned;
}

/** Makes a provider's message fit for the log: one line of at most 2,000 characters, without keys. */
export function redactSecrets(text: string): string {
  return apply([oneLine, ...secretRules], text);
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
