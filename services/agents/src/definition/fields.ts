import type { Diagnostic, DiagnosticCode } from "@muster/protocol";
import type { Draft, NamedDocument, NamedText } from "./draft.ts";

const maxNameLength = 100;
const maxDescriptionLength = 1_000;

/** What is wrong with single values, beside the slug, the names and the protocol, which the compiler checks. */
export function checkFields({ settings, protocol, prompts, references }: Draft): Diagnostic[] {
  return [
    ...checkDisplayName(settings.name),
    ...checkDescription("settings.description", settings.description ?? ""),
    ...checkFormat(settings.format),
    // The compiler refuses control characters, and does not look for this.
    ...(protocol.isWellFormed() ? [] : [problem("INVALID_YAML", "protocol", notUnicode)]),
    ...prompts.flatMap((prompt, index) => checkContent(`prompts.${index}`, prompt)),
    ...references.flatMap((reference, index) => checkReference(`references.${index}`, reference)),
  ];
}

function checkDisplayName(name: string): Diagnostic[] {
  const path = "settings.name";
  if (name.trim() === "") return [problem("MISSING_FIELD", path, "The name must not be empty.")];
  if (name.length > maxNameLength) return [tooLong(path, "name", maxNameLength)];
  if (!/\p{Cc}/u.test(name) && name.isWellFormed()) return [];
  return [problem("INVALID_NAME", path, "The name must be one line without control characters.")];
}

function checkDescription(path: string, description: string): Diagnostic[] {
  if (description.length > maxDescriptionLength) return [tooLong(path, "description", maxDescriptionLength)];
  return checkText(path, description);
}

function checkFormat(format: Draft["settings"]["format"]): Diagnostic[] {
  if (format !== undefined) return [];
  return [problem("ENUM_MISMATCH", "settings.format", "The format must be interactive or worker.")];
}

function checkReference(path: string, reference: NamedDocument): Diagnostic[] {
  const missing = "The description must not be empty: the model chooses by it.";
  return [
    ...(reference.description.trim() === ""
      ? [problem("MISSING_FIELD", `${path}.description`, missing)]
      : checkDescription(`${path}.description`, reference.description)),
    ...checkContent(path, reference),
  ];
}

function checkContent(path: string, { content }: NamedText): Diagnostic[] {
  return checkText(`${path}.content`, content);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const notUnicode = "The text must be valid Unicode.";

/** Text may have tabs and line breaks, and must survive UTF-8. */
function checkText(path: string, text: string): Diagnostic[] {
  if (!text.isWellFormed()) return [problem("WRONG_TYPE", path, notUnicode)];
  if (!control.test(text)) return [];
  return [problem("WRONG_TYPE", path, "The text must not contain control characters.")];
}

function tooLong(path: string, what: string, max: number): Diagnostic {
  return problem("LIMIT_EXCEEDED", path, `The ${what} may have at most ${max} characters.`);
}

function problem(code: DiagnosticCode, path: string, message: string): Diagnostic {
  return { code, path, message, severity: "error" };
}
