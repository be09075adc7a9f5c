import assert from "node:assert/strict";
import { test } from "vitest";
import { compile, edited, extended, replaced, settings } from "../test/support/support-chat.ts";
import type { DefinitionSource } from "./source.ts";

/** The messages for the errors of the valid definition with some changes, without line and column. */
function said(changes: Partial<DefinitionSource>): string[] {
  const errors = compile(changes).issues.filter(({ severity }) => severity === "error");
  return errors.map(({ path, message }) => `${path}: ${message.replace(/^Line \d+, column \d+: /, "")}`);
}

const block = (text: string) => extended({ blocks: `    More: { block: ${text} }\n` });
const sectioned = (sections: string) => extended({ sections });
const more = "handlers.user-message.More";

/** Mistakes that authors make, each with all of its messages. */
const slips: Record<string, readonly [protocol: string, ...said: string[]]> = {
  "trigger input in the system prompt": [
    edited(["[COMPANY,", "[COMPANY, USER_MESSAGE,"]),
    'agent.input.1: "USER_MESSAGE" is input of the trigger "user-message"; only that trigger\'s handler can read it.',
  ],
  "braces around a name, as in prompts": [
    edited(["[COMPANY,", '["{{COMPANY}}",']),
    'agent.input.0: "{{COMPANY}}" is not declared in input, variables or resources. Did you mean COMPANY?',
  ],
  "a name in lower case": [
    edited(["[COMPANY,", "[company,"]),
    'agent.input.0: "company" is not declared in input, variables or resources. Did you mean COMPANY?',
  ],
  "a prompt named by its file": [
    edited(["prompt: user", "prompt: user.md"]),
    'handlers.user-message.Add the message.prompt: There is no prompt "user.md". Did you mean user?',
  ],
  "a prompt without its folder": [
    edited(["prompt: user", "prompt: pro"]),
    'handlers.user-message.Add the message.prompt: There is no prompt "pro". Did you mean parts/pro?',
  ],
  "output into input": [
    block("next-message, output: COMPANY"),
    `${more}.output: "COMPANY" is input, which never changes; output must name one of variables.`,
  ],
  "output into the input of a trigger": [
    block("next-message, output: USER_MESSAGE"),
    `${more}.output: "USER_MESSAGE" is input, which never changes; output must name one of variables.`,
  ],
  "output into an undeclared variable": [
    block("next-message, output: SUMARY"),
    `${more}.output: "SUMARY" is not declared; output must name one of variables. Did you mean SUMMARY?`,
  ],
  "a variable as a resource": [
    block("set-resource, resource: SUMMARY, value: SUMMARY"),
    `${more}.resource: "SUMMARY" is a variable; set-resource must name one of resources.`,
  ],
  "output into a variable that is read-only": [
    edited(["SUMMARY: { type: string }", "SUMMARY: { type: string, readonly: true }"]),
    'handlers.user-message.Look up.output: The variable "SUMMARY" is declared readonly, so no block can write it.',
  ],
  "a list as a response type": [
    replaced(
      sectioned(""),
      "Order: {",
      "Orders: { type: array, items: { type: Order } }\n  Order: {",
    ).replace("responseType: Ticket, output: TICKET", "responseType: Orders"),
    'handlers.user-message.Answer.responseType: responseType needs an object type declared in types; "Orders" is an array type. Did you mean Order?',
  ],
  "a platform tool": [
    edited(["tools: [get-account]", "tools: [get-account, platform_web_search]"]),
    'agent.tools.1: The platform tool "platform_web_search" cannot be listed. Keys such as references, todoList and webSearch give the model the platform\'s tools.',
  ],
  "a name in another style": [
    edited(["  get-account:\n", "  getAccount:\n"]),
    'tools.getAccount: The name "getAccount" must be lowercase-with-dashes (such as get-user-account) and at most 64 characters long. Did you mean get-account?',
  ],
  "a name that every object inherits": [
    edited(
      ["tools: [get-account]", "tools: [get-account, constructor]"],
      ["  get-account:\n", "  constructor: { description: Builds }\n  get-account:\n"],
    ),
    'tools.constructor: The name "constructor" is not allowed because every object already has it.',
  ],
  "a type of another language": [
    edited(["deep: { type: boolean", "deep: { type: bool"]),
    'tools.get-account.parameters.deep.type: Unknown type "bool". Built-in types are string, number, integer, boolean, unknown, file; declare others in types. Did you mean boolean?',
  ],
  "parameters as a JSON Schema": [
    edited([
      "      userId: { type: string }\n      deep: { type: boolean, optional: true }\n",
      "      type: object\n      required: [userId]\n      properties:\n" +
        "        userId: { type: string, description: Whose account }\n" +
        "        tags: { type: array, items: { type: string } }\n",
    ]),
    "tools.get-account.parameters: Parameters are listed by name, not as a JSON Schema. " +
      "Write parameters: { userId: { type: string }, tags: { type: string[], optional: true } }; " +
      "parameters are required unless they have optional: true.",
  ],
  "a Python type name": [
    edited(["SUMMARY: { type: string }", "SUMMARY: { type: str }"]),
    'variables.SUMMARY.type: Unknown type "str". Built-in types are string, number, integer, boolean, unknown, file; declare others in types. Did you mean string?',
  ],
  "the text of a prompt instead of its name": [
    edited(["system: system", "system: You are a helpful assistant."]),
    "agent.system: This must be the name of a prompt, not its text. Move the text into a file such as prompts/system.md, and write its name here: system.",
  ],
  "a type written as JSON Schema": [
    edited(["Order: {", "Note: { type: object, properties: { text: { type: string } } }\n  Order: {"]),
    "types.Note.type: An object type lists its properties by name, without type: object; a list has type: array and items; a union has anyOf and discriminator.",
  ],
  "one type in a union": [
    edited(["Order: {", "Any: { anyOf: Order, discriminator: id }\n  Order: {"]),
    "types.Any.anyOf: This must be a list of type names, not text.",
  ],
  "a union whose variants look alike": [
    edited([
      "Order: {",
      "A: { is: { type: string, const: a } }\n  B: { is: { type: string, const: a } }\n" +
        "  Any: { anyOf: [A, B], discriminator: is }\n  Order: {",
    ]),
    'types.Any: A union needs at least two object types, each with a required property "is" that has its own const: "A" and "B" have the same one.',
  ],
  "a variant without its discriminator": [
    edited(["Order: {", "Any: { anyOf: [Order, Ticket], discriminator: id }\n  Order: {"]),
    'types.Any: A union needs at least two object types, each with a required property "id" that has its own const: "Order" has none.',
  ],
  "values that a property cannot have": [
    edited([
      "title: { type: string,",
      "size: { type: integer, enum: [1, two] }\n    kind: { type: string, const: 1 }\n    title: { type: string,",
    ]),
    "types.Ticket.size.enum.1: The value must be an integer.",
    "types.Ticket.kind.const: The const must be a string.",
  ],
  "a const that the enum does not list": [
    edited([
      "title: { type: string,",
      "kind: { type: string, enum: [a, b], const: c }\n    title: { type: string,",
    ]),
    'types.Ticket.kind.const: The const must be one of "a", "b".',
  ],
  "numbers where text is expected": [
    edited(["enum: [free, pro]", "enum: [2024, pro]"]),
    "input.PLAN.enum.0: The value must be a string.",
  ],
  "a number out of its range": [
    edited(["maxSteps: 5", "maxSteps: 0"]),
    "agent.maxSteps: This must be a whole number from 1 to 1000, not 0.",
  ],
  "a misspelt handler": [
    edited(["handlers:\n  user-message:", "handlers:\n  user-mesage:"]),
    'handlers.user-mesage: The handler "user-mesage" has no trigger. Did you mean user-message?',
  ],
  "a response on a thread that only a later block opens": [
    extended({
      blocks:
        "    Title: { block: next-message, thread: side }\n    Open: { block: start-thread, thread: side, model: demo/echo }\n",
    }),
    'handlers.user-message.Title.thread: The thread "side" is opened only by a later block.',
  ],
  "a missing section": [
    edited(
      ["triggers:\n  user-message:\n    input: { USER_MESSAGE: { type: string } }\n", ""],
      ["[USER_MESSAGE]", "[]"],
      ["userId: USER_MESSAGE", "userId: x"],
    ),
    'triggers: "triggers" is required here.',
    'handlers.user-message: The handler "user-message" has no trigger.',
  ],
  "text with a colon": [
    edited(["Reads an account", "Reads: an account"]),
    "protocol: A colon followed by a space starts a map, which is not allowed here. Put text that contains it in quotes.",
  ],
  "a placeholder as a value": [
    edited(["model: demo/echo", "model: {{COMPANY}}"]),
    "protocol: A key must be text. Text that starts with { or [ needs quotes.",
  ],
  "text that starts with a YAML indicator": [
    edited(["Reads an account", "*all"]),
    "protocol: Aliases are not allowed. Text that starts with * needs quotes.",
  ],
};

for (const [slip, [protocol, ...expected]] of Object.entries(slips)) {
  test(`the message explains a mistake: ${slip}`, () => assert.deepEqual(said({ protocol }), expected));
}

test("the message explains a mistake: a worker block that names no thread", () => {
  const steps =
    "steps:\n  Open: { block: start-thread, thread: work, model: demo/echo }\n  Ask: { block: next-message }\n";
  assert.deepEqual(said({ settings: { ...settings, format: "worker" }, protocol: steps, prompts: [] }), [
    'steps.Ask: A worker\'s threads are opened by start-thread, and none opens "main". ' +
      'Set thread to one that is open, such as "work".',
  ]);
});
