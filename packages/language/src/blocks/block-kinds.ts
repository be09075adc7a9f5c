import { checkPlaceholders } from "../checks/placeholders.ts";
import type { BlockKind, SerializeThreadBlock } from "../program.ts";
import { defaulted, optional, required } from "../readers/fields.ts";
import { argumentMapping, inputMapping } from "../readers/input-mapping.ts";
import { modelSetting } from "../readers/model-readers.ts";
import {
  fileVariable,
  newThreadName,
  promptName,
  responseType,
  toolName,
  variableName,
  workerName,
} from "../readers/name-readers.ts";
import { outputName, resourceName } from "../readers/output-readers.ts";
import { defined, listOf } from "../readers/readers.ts";
import { flag, oneOf } from "../readers/value-readers.ts";
import { startedConfig, threadFields } from "../sections/thread.ts";
import { checkAnswer, checkSerialized, checkStored } from "./block-checks.ts";
import { type BlockKindEntry, blockKind, type ThreadUse } from "./block-kind.ts";
import { checkToolArguments } from "./check-tool-arguments.ts";
import { generateImage, generateSpeech, transcribeAudio } from "./media-blocks.ts";

/** The kinds of blocks. docs/recipes.md lists the other places of a new one. */
const kinds: Readonly<Record<BlockKind, BlockKindEntry>> = {
  "add-message": blockKind({
    doc: "Adds a message to a thread.",
    display: "hidden",
    threadUse: "adds",
    fields: {
      role: required(oneOf("user", "assistant", "system"), "The author of the message."),
      prompt: required(promptName, "The prompt whose text becomes the message."),
      input: defaulted(inputMapping, [], "The variables that fill the placeholders of the prompt."),
      files: defaulted(
        listOf(fileVariable, "variables"),
        [],
        "Variables of type file or file[] whose files are attached.",
      ),
      visible: defaulted(flag, true, "false: the model reads the message, but clients do not see it."),
      uiContent: optional(variableName, "The variable that clients see instead of the prompt's text."),
    },
    check: (values, node, context) => checkPlaceholders(values, node, "prompt", context),
    build: ({ prompt, input, ...values }) => {
      return defined({ kind: "add-message" as const, prompt: { ...prompt, input }, ...values });
    },
  }),
  "next-message": blockKind({
    doc: "Lets the model of a thread respond.",
    display: "stream",
    threadUse: "answers",
    fields: {
      responseType: optional(responseType, "The object type of the response. Default: the response is text."),
      independent: defaulted(flag, false, "true: the response does not appear in the main chat."),
      output: optional(outputName, "The variable that receives the response."),
    },
    check: checkAnswer,
    build: (values) => defined({ kind: "next-message" as const, ...values }),
  }),
  "tool-call": blockKind({
    doc: "Calls a tool.",
    display: "description",
    threadUse: "none",
    fields: {
      tool: required(toolName, "The declared tool."),
      input: defaulted(argumentMapping, [], "The arguments: variables or literal values."),
      output: optional(outputName, "The variable that receives the result."),
    },
    checkSyntax: checkToolArguments,
    build: (values) => defined({ kind: "tool-call" as const, ...values }),
  }),
  "start-thread": blockKind({
    doc: "Opens a named thread or reconfigures it. It inherits nothing from agent but its model.",
    display: "hidden",
    threadUse: "none",
    fields: {
      thread: optional(newThreadName, "The name of the thread. Default: the name of the block."),
      ...threadFields,
      model: optional(
        modelSetting,
        "The model: provider/model-id, or a variable that contains one. Default: the agent's; a worker has none.",
      ),
    },
    build: ({ thread, ...values }, { node, name, context }) => {
      const config = startedConfig(values, node, context);
      return config && { kind: "start-thread" as const, thread: thread ?? name, config };
    },
  }),
  "serialize-thread": blockKind({
    doc: "Writes the messages of a thread into a variable.",
    display: "hidden",
    threadUse: "reads",
    fields: {
      format: defaulted<SerializeThreadBlock["format"]>(
        oneOf("markdown", "json"),
        "markdown",
        "markdown: text. json: a list of messages with role and content.",
      ),
      output: required(outputName, "The variable that receives the messages."),
    },
    check: checkSerialized,
    build: (values) => ({ kind: "serialize-thread" as const, ...values }),
  }),
  "set-resource": blockKind({
    doc: "Stores the value of a variable in a resource.",
    display: "name",
    threadUse: "none",
    fields: {
      resource: required(resourceName, "The resource to write."),
      value: required(variableName, "The variable whose value is stored."),
    },
    check: checkStored,
    build: (values) => ({ kind: "set-resource" as const, ...values }),
  }),
  "run-worker": blockKind({
    doc: "Runs a worker and waits for it to finish.",
    display: "stream",
    threadUse: "none",
    fields: {
      worker: required(workerName, "The declared worker."),
      input: defaulted(argumentMapping, [], "Its input: variables or literal values."),
      output: optional(outputName, "The variable that receives the worker's result."),
    },
    build: (values) => defined({ kind: "run-worker" as const, ...values }),
  }),
  "generate-image": generateImage,
  "generate-speech": generateSpeech,
  "transcribe-audio": transcribeAudio,
};

export function threadUseOf(kind: BlockKind): ThreadUse {
  return kinds[kind].threadUse;
}

export const blockKinds: ReadonlyMap<string, BlockKindEntry> = new Map(Object.entries(kinds));
