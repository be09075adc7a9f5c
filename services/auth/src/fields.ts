import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Issues } from "@muster/rpc";

const maxNameLength = 100;
const controlCharacter = /\p{Cc}/u;
const opaqueId = /^[0-9A-Za-z_-]{1,100}$/;

export function checkName(issues: Issues, name: string): void {
  const length = [...name].length;
  if (name.trim() !== "" && length <= maxNameLength && !controlCharacter.test(name)) return;
  issues.add("name", `must be 1-${maxNameLength} characters without control characters`);
}

const printable = /^[\x21-\x7e]+$/;

/** The longest secret that is stored. */
const maxSecretLength = 4_096;

/** Sent in a header, so nothing else is possible. Secrets are never repeated. */
export function checkPrintable(issues: Issues, path: string, text: string, max = maxSecretLength): void {
  if (text.length <= max && printable.test(text)) return;
  issues.add(path, `must be 1-${max} printable ASCII characters without spaces`);
}

// Blanks at an end would not arrive.
const value = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** A text that may contain spaces. Secrets are never repeated. */
export function checkValue(issues: Issues, path: string, text: string, max = maxSecretLength): void {
  if (text.length <= max && value.test(text)) return;
  issues.add(path, `must be 1-${max} printable ASCII characters that neither begin nor end with a space`);
}

/** For URLs that are checked when connecting: only then is known whether their addresses may be private. */
export function checkWebUrl(issues: Issues, path: string, text: string, max: number): void {
  const { protocol, username, password, hash } = URL.parse(text) ?? {};
  const isWeb = protocol === "https:" || protocol === "http:";
  if (isWeb && text.length <= max && !username && !password && !hash) return;
  const rule = `must be an http or https URL without a user name, password or fragment, and at most ${max} characters long`;
  issues.add(path, rule);
}

const provider = /^[a-z][a-z0-9-]{0,31}$/;

/** The name of a model provider. Which ones exist is known to those who call them. */
export function checkProvider(issues: Issues, name: string): void {
  if (!provider.test(name)) issues.add("provider", "must be the name of a model provider");
}

export function checkId(issues: Issues, path: string, id: string | undefined): void {
  if (id !== undefined && !opaqueId.test(id)) issues.add(path, "must be an id");
}

/** The date of a timestamp. An invalid date has the time `NaN`, which fails every comparison. */
export function dateOf(time: Timestamp | undefined): Date | undefined {
  return time === undefined ? undefined : timestampDate(time);
}
