import { parseBody } from "../error-body.ts";
import type { Answer } from "./ask.ts";
import { describeFinding, type Finding, type Subject } from "./describe-finding.ts";
import type { ProviderStatus } from "./provider-check.ts";

/** Turns the outcome of a check into a status and a sentence. */
export function judge(subject: Subject, answer: Answer): { status: ProviderStatus; message?: string } {
  const finding = findingOf(subject, answer);
  if (answer.kind === "failed") return describeFinding(subject, finding, { detail: answer.code });
  if (answer.kind !== "answered") return describeFinding(subject, finding);
  return describeFinding(subject, finding, { detail: `status ${answer.status}`, body: answer.text });
}

type Answered = Extract<Answer, { kind: "answered" }>;

function findingOf(subject: Subject, answer: Answer): Finding {
  switch (answer.kind) {
    case "answered":
      return findingOfStatus(subject, answer);
    case "silent":
      return "silent";
    case "failed":
      return "no-connection";
    case "unsendable":
      return "key-unsendable";
  }
}

function findingOfStatus({ config }: Subject, answer: Answered): Finding {
  const { status } = answer;
  if (status < 300) return isPlausible(answer) ? "works" : "unreadable";
  if (status < 400) return "redirected";
  if (status === 401 || isAboutKey(answer)) return config.apiKey ? "key-refused" : "key-missing";
  if (status === 402) return "no-credit";
  if (status === 403) return mayNotList(answer) ? "may-not-list" : "key-forbidden";
  // The provider itself lists its models; a server that imitates it may only support calls.
  if (isNoSuchPath(status)) return config.baseUrl === undefined ? "unexpected" : "no-list";
  if (status === 429) return "rate-limit";
  return status === 408 || status >= 500 ? "in-trouble" : "unexpected";
}

/** JSON that is not an error. Imitators agree on nothing else: some send null for an empty list, some a bare array. */
function isPlausible({ text, isWhole }: Answered): boolean {
  if (!isWhole) return /^\s*[{[]/.test(text);
  const body = parseBody(text);
  return typeof body === "object" && body !== null && !("error" in body && body.error);
}

/** Google and xAI respond to a wrong key with 400, and nothing else in the request can be wrong. */
function isAboutKey({ status, text }: Answered): boolean {
  return status === 400 && /api(?:[_\s-]|%20)?key/i.test(text);
}

/** OpenAI's keys can be restricted to calls, without access to the list. */
function mayNotList({ text }: Answered): boolean {
  return /missing scopes?/i.test(text);
}

function isNoSuchPath(status: number): boolean {
  return status === 404 || status === 405 || status === 501;
}
