import { type Definition, Format as WireFormat } from "@muster/proto/agents";
import { Reason } from "@muster/proto/errors";
import { type Format, isName, nameHint } from "@muster/protocol";
import { type IssueInput, rpcError } from "@muster/rpc";
import type { StoredSettings, VersionDocument } from "../store/documents.ts";

/** A definition whose fields are right on their own; whether it makes sense is the compiler's question. */
export type DefinitionParts = Pick<VersionDocument, "settings" | "protocol" | "prompts" | "references">;

export type NamedText = { name: string; content: string };
export type NamedDocument = NamedText & { description: string };

const maxNameLength = 100;
const maxDescriptionLength = 1_000;
const maxItemNameLength = 200;

/** Throws INVALID_REQUEST with all that is wrong. */
export function parseDefinition(definition: Definition | undefined): DefinitionParts {
  if (definition === undefined) throw invalidRequest([{ path: "", message: "A definition is required." }]);
  const { settings, protocol, prompts, references } = definition;
  const format = settings && toFormat(settings.format);
  const issues = [
    ...checkSlug(settings?.slug ?? ""),
    ...checkDisplayName(settings?.name ?? ""),
    ...checkDescription(settings?.description),
    ...(format === undefined ? [{ path: "settings.format", message: formatHint }] : []),
    ...checkText("protocol", protocol),
    ...checkPrompts(prompts),
    ...checkReferences(references),
  ];
  if (issues.length > 0 || settings === undefined || format === undefined) throw invalidRequest(issues);
  const stored = storedSettings({ ...settings, format });
  return {
    settings: stored,
    protocol,
    prompts: prompts.map(toPrompt),
    references: references.map(toReference),
  };
}

/** The empty description means none. */
export function storedSettings(settings: {
  slug: string;
  name: string;
  description?: string | undefined;
  format: Format;
}): StoredSettings {
  const { slug, name, description, format } = settings;
  return description === undefined || description === ""
    ? { slug, name, format }
    : { slug, name, description, format };
}

export function invalidRequest(issues: IssueInput[]) {
  return rpcError(Reason.INVALID_REQUEST, "Some fields are missing or wrong; see issues.", { issues });
}

const formatHint = "must be interactive or worker";

/** Undefined for values that are unspecified or not known. */
export function toFormat(format: WireFormat): Format | undefined {
  if (format === WireFormat.INTERACTIVE) return "interactive";
  return format === WireFormat.WORKER ? "worker" : undefined;
}

export function toPrompt({ name, content }: NamedText): NamedText {
  return { name, content };
}

export function toReference({ name, description, content }: NamedDocument): NamedDocument {
  return { name, description, content };
}

function checkSlug(slug: string): IssueInput[] {
  return isName("slug", slug) ? [] : [{ path: "settings.slug", message: `must be ${nameHint("slug")}` }];
}

export function checkDisplayName(name: string): IssueInput[] {
  const fine =
    name.trim() !== "" && name.length <= maxNameLength && !/\p{Cc}/u.test(name) && name.isWellFormed();
  if (fine) return [];
  return [
    { path: "settings.name", message: `must be 1-${maxNameLength} characters without control characters` },
  ];
}

export function checkDescription(description: string | undefined): IssueInput[] {
  if (description === undefined) return [];
  if (description.length > maxDescriptionLength) {
    return [{ path: "settings.description", message: `must be at most ${maxDescriptionLength} characters` }];
  }
  return checkText("settings.description", description);
}

export function checkPrompts(prompts: readonly NamedText[]): IssueInput[] {
  return prompts.flatMap((prompt, index) => checkItem(`prompts.${index}`, prompt));
}

export function checkReferences(references: readonly NamedDocument[]): IssueInput[] {
  return references.flatMap((reference, index) => {
    const path = `references.${index}`;
    const { description } = reference;
    const fine = description.trim() !== "" && description.length <= maxDescriptionLength;
    const message = `must be 1-${maxDescriptionLength} characters`;
    return [
      ...checkItem(path, reference),
      ...(fine ? checkText(`${path}.description`, description) : [{ path: `${path}.description`, message }]),
    ];
  });
}

function checkItem(path: string, { name, content }: NamedText): IssueInput[] {
  const named = name !== "" && name.length <= maxItemNameLength;
  const message = `must be 1-${maxItemNameLength} characters`;
  return [...(named ? [] : [{ path: `${path}.name`, message }]), ...checkText(`${path}.content`, content)];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Text may have tabs and line breaks, and must survive UTF-8. */
export function checkText(path: string, text: string): IssueInput[] {
  if (!text.isWellFormed()) return [{ path, message: "must be valid Unicode" }];
  return control.test(text) ? [{ path, message: "must not contain control characters" }] : [];
}
