import type { DiagnosticCode } from "@muster/protocol";

/** What provokes each code and what to do; code scanning shows it beside an alert. */
const help: Readonly<Record<DiagnosticCode | "INVALID_FOLDER", string>> = {
  INVALID_FOLDER:
    "The folder cannot be read as an agent: a file is missing, too large, not UTF-8 or not in its form. docs/cli.md describes the form.",
  INVALID_YAML:
    "The protocol is not YAML 1.2 of one document, or uses what is refused: aliases, tags, too many levels.",
  DUPLICATE_KEY: "A key or name is given twice. Remove one of the two.",
  UNKNOWN_KEY: "A key is not part of the language at this place. Correct its spelling or remove it.",
  WRONG_TYPE: "A value has another type than the key takes.",
  MISSING_FIELD: "A required key or value is missing.",
  INVALID_SLUG: "A slug has lowercase letters, digits and single dashes, at most 64 characters.",
  INVALID_NAME:
    "A name is not written as names of its kind are: tools and prompts in lower case with dashes, variables in upper case with underscores, types in PascalCase, properties in camelCase.",
  UNKNOWN_TYPE: "A type is neither built in nor declared under types.",
  CIRCULAR_TYPE: "A type contains itself, directly or through others. Types cannot be recursive.",
  INVALID_UNION: "A union lacks a discriminator that every variant has with a const of its own.",
  UNKNOWN_PROMPT: "A prompt is named that the definition does not have.",
  CIRCULAR_PROMPT: "A prompt includes itself, directly or through others.",
  UNBALANCED_CONDITION: "An {{#if}}, {{else}} or {{/if}} has no counterpart.",
  UNDECLARED_VARIABLE:
    "A variable is used that is declared neither in input, variables and resources nor by the trigger.",
  ENUM_MISMATCH: "A value is not one of those that enum lists.",
  UNKNOWN_TOOL: "A tool is named that is not declared under tools.",
  UNKNOWN_WORKER: "A worker is named that is not declared under workers, or that the project does not have.",
  WORKER_CYCLE: "Workers call each other in a circle, so none would ever end.",
  UNKNOWN_MCP_SERVER: "An MCP server is named that is not declared under mcpServers.",
  UNKNOWN_SKILL: "A skill is named that is not declared under skills.",
  UNKNOWN_REFERENCE: "A reference is named that the definition does not have.",
  MISSING_HANDLER: "A trigger has no handler of its name.",
  MISSING_TRIGGER: "A handler has no trigger of its name.",
  UNKNOWN_THREAD: "A thread is named that no start-thread block opens.",
  UNKNOWN_BLOCK: "There is no such kind of block.",
  INVALID_MODEL: "A model is written as provider/model-id, with a provider that there is.",
  RESERVED_NAME: "The name is kept for the platform. Choose another.",
  INVALID_RESPONSE_TYPE: "Structured output needs a type that is an object.",
  FORMAT_MISMATCH:
    "The key belongs to the other format: agent, triggers and handlers to interactive, steps and output to worker.",
  READONLY_RESOURCE: "A block writes a resource or variable that is declared as readonly.",
  DUPLICATE_PROMPT: "Two prompts have one name.",
  INVALID_TEXT: "A text has control characters or half a character. Remove them.",
  LIMIT_EXCEEDED: "The definition is larger than a limit allows. docs/api.md lists the limits.",
  DEPRECATED_FIELD: "The key works and will go away one day. The message says what to use.",
  UNKNOWN_MODEL: "The model is not in the catalog. muster models lists those that are.",
  UNUSED_PROMPT: "Nothing uses the prompt. Use it or remove its file.",
  UNUSED_REFERENCE: "No thread lists the reference. List it or remove its file.",
  UNUSED_VARIABLE: "Nothing reads the variable. Use it or remove its declaration.",
  UNWRITTEN_VARIABLE:
    "The variable is read, and nothing ever writes it. Give it a default or let a block write it.",
  UNUSED_TOOL: "No thread lists the tool, MCP server or skill. List it or remove its declaration.",
  UNMAPPED_PLACEHOLDER: "A prompt has a placeholder that input does not map. Map it or correct its name.",
  MISSING_DISPLAY_TITLE: "display: title shows a title, and there is none.",
  UNREACHABLE_WORKER: "The worker is declared and never run.",
  NOT_AVAILABLE:
    "The server accepts this part of the language and does not run it yet: the block that needs it fails and says so.",
  IMPLICIT_DEFAULT: "A default applies that is worth knowing. Write it down to make it yours.",
  UNKNOWN_TAG: "A tag in a prompt means nothing, so the model reads it as it stands.",
  UNUSED_MAPPING: "The input maps a name that the prompt does not have. Use it or remove it.",
  UNANSWERED_MESSAGE: "A user's message is added, and no next-message lets the model answer it.",
  SUGGEST_AGENTIC: "The model has tools and may not go on after a call. agentic: true lets it.",
};

/** A code as words: `UNKNOWN_TOOL` is "Unknown tool". */
export function ruleTitle(code: string): string {
  const words = code.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A server may know codes that this command does not. */
export function ruleHelp(code: string): string {
  const known: Readonly<Record<string, string>> = help;
  return Object.hasOwn(known, code) ? (known[code] ?? "") : `${ruleTitle(code)}.`;
}
