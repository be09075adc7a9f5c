import type { DiagnosticCode } from "@muster/language";

/** The cause of each code and its remedy. Code scanning shows it next to an alert. */
const help: Readonly<Record<DiagnosticCode | "INVALID_FOLDER", string>> = {
  INVALID_FOLDER:
    "The folder is not a valid agent folder: a file is missing, too large, malformed or not UTF-8. See docs/cli.md.",
  INVALID_YAML:
    "The protocol is not a single YAML 1.2 document, or it uses aliases, tags or too many levels, which are not allowed.",
  DUPLICATE_KEY: "A key or name appears twice. Remove one of them.",
  UNKNOWN_KEY: "The key is not allowed here. Correct its spelling or remove it.",
  WRONG_TYPE: "The value has the wrong type for its key.",
  MISSING_FIELD: "A required key or value is missing.",
  INVALID_SLUG:
    "A slug consists of lowercase letters, digits and single dashes, and has at most 64 characters.",
  INVALID_NAME:
    "The name does not follow the convention of its kind: lower case with dashes for tools and prompts, upper case with underscores for variables, PascalCase for types, camelCase for properties.",
  UNKNOWN_TYPE: "The type is neither built in nor declared under types.",
  CIRCULAR_TYPE: "The type contains itself, directly or through other types. Types cannot be recursive.",
  INVALID_UNION:
    "The union has no discriminator: a property that each variant declares with a different const.",
  UNKNOWN_PROMPT: "The prompt does not exist in this definition.",
  CIRCULAR_PROMPT: "The prompt includes itself, directly or through other prompts.",
  UNBALANCED_CONDITION: "An {{#if}}, {{else}} or {{/if}} has no counterpart.",
  UNDECLARED_VARIABLE: "The variable is not declared in input, variables or resources, or by the trigger.",
  ENUM_MISMATCH: "The value is not listed in enum.",
  UNKNOWN_TOOL: "The tool is not declared under tools.",
  UNKNOWN_PARAMETER: "The approval of a tool names a parameter that the tool does not declare.",
  UNKNOWN_WORKER: "The worker is not declared under workers, or does not exist in the project.",
  WORKER_CYCLE: "Workers call each other in a cycle, so none of them would ever end.",
  UNKNOWN_MCP_SERVER: "The MCP server is not declared under mcpServers.",
  UNKNOWN_SKILL: "The skill is not declared under skills.",
  UNKNOWN_REFERENCE: "The reference does not exist in this definition.",
  MISSING_HANDLER: "The trigger has no handler with the same name.",
  MISSING_TRIGGER: "The handler has no trigger with the same name.",
  UNKNOWN_THREAD: "No start-thread block starts this thread.",
  UNKNOWN_BLOCK: "This kind of block does not exist.",
  INVALID_MODEL: "A model is written as provider/model-id, with an existing provider.",
  PROVIDER_MISMATCH: "Options of a provider are only for its own models.",
  RESERVED_NAME: "The name is reserved for the platform. Choose another one.",
  INVALID_RESPONSE_TYPE: "Structured output requires an object type.",
  FORMAT_MISMATCH:
    "The key belongs to the other format: agent, triggers and handlers to interactive, steps and output to worker.",
  READONLY_RESOURCE: "A block writes to a resource or variable that is declared readonly.",
  DUPLICATE_PROMPT: "Two prompts have the same name.",
  INVALID_TEXT: "The text contains control characters or incomplete characters. Remove them.",
  LIMIT_EXCEEDED: "The definition exceeds a limit. See docs/limits.md.",
  DEPRECATED_FIELD: "The key still works but will be removed. The message names its replacement.",
  UNKNOWN_MODEL: "The model is not in the catalog. To list the available models, run: muster models",
  UNUSED_PROMPT: "The prompt is not used. Use it or remove its file.",
  UNUSED_REFERENCE: "The reference is not listed by any thread. List it or remove its file.",
  UNUSED_VARIABLE: "The variable is never read. Use it or remove its declaration.",
  UNWRITTEN_VARIABLE: "The variable is read but never written. Add a default, or a block that writes it.",
  UNUSED_TOOL:
    "The tool, MCP server or skill is not listed by any thread. List it or remove its declaration.",
  UNMATCHED_PATTERN: "No tool of a computer has this name or matches this pattern.",
  UNMAPPED_PLACEHOLDER: "The input does not map a placeholder of the prompt. Map it or correct its name.",
  MISSING_DISPLAY_TITLE: "display: title is set but there is no title to show.",
  UNREACHABLE_WORKER: "The worker is declared but never run.",
  UNREGISTERED_MCP_SERVER: "The project has no MCP server with this slug.",
  NOT_AVAILABLE:
    "The server accepts this part of the language but does not run it yet: a block that needs it fails with an error.",
  IMPLICIT_DEFAULT: "A default with a noticeable effect applies. Set the value to make it explicit.",
  UNKNOWN_TAG: "The tag is not part of the prompt syntax, so the model receives it unchanged.",
  UNUSED_MAPPING: "The input maps a name that the prompt does not use. Use it or remove the mapping.",
  UNANSWERED_MESSAGE: "The handler adds a user message but has no next-message block to reply to it.",
  SUGGEST_AGENTIC: "The model has tools but stops after one call. To let it continue, set agentic: true.",
};

/** A code in words: `UNKNOWN_TOOL` becomes "Unknown tool". */
export function ruleTitle(code: string): string {
  const words = code.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A newer server may report codes that this command does not know. */
export function ruleHelp(code: string): string {
  const known: Readonly<Record<string, string>> = help;
  return Object.hasOwn(known, code) ? (known[code] ?? "") : `${ruleTitle(code)}.`;
}
