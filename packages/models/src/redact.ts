const maxInputLength = 2000;
const maxOutputLength = 300;

const secret = "[secret]";
const address = "[address]";

// Every pattern is linear: no nested or overlapping repetition.
const rules: ReadonlyArray<readonly [RegExp, string]> = [
  [/[\p{Cc}\s]+/gu, " "],
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>]+/gi, address],
  [/\bbearer\s+\S+/gi, secret],
  [/\b(?:sk|pk|rk|key|xai|gsk|svc|org|proj|AIza)[-_*][^\s"',.;)]+/gi, secret],
  [/\bAIza[^\s"',.;)]+/g, secret],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, address],
  [/\[[0-9a-f:]{2,45}\](?::\d+)?/gi, address],
  [/\[?(?:[0-9a-f]{0,4}:){3,8}[0-9a-f]{0,4}\]?(?::\d+)?/gi, address],
  [/\b[\w-]+(?:\.[\w-]+)*:\d{2,5}\b/g, address],
  [
    /\b(?:[a-z0-9-]+\.)+(?:local|internal|lan|corp|svc|home|intranet|localdomain|com|net|org|io|dev|ai|app|cloud)\b/gi,
    address,
  ],
  [/\blocalhost\b/gi, address],
  // Long runs that contain a digit and a letter: keys, tokens, request bodies in base64.
  [/(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9_-]{28,}/g, secret],
];

/**
 * Makes a provider's message safe to show to users: one line of at most 300 characters, without keys, hosts,
 * addresses or URLs.
 */
export function redact(text: string): string {
  const cleaned = rules
    .reduce(
      (result, [pattern, replacement]) => result.replace(pattern, replacement),
      text.slice(0, maxInputLength),
    )
    .trim();
  return cleaned.length > maxOutputLength ? `${cleaned.slice(0, maxOutputLength - 1)}…` : cleaned;
}
