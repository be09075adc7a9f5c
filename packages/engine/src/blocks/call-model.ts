import type { NextMessageBlock } from "@muster/language";
import type { Compaction } from "../boundary/compaction.ts";
import type { Repair } from "../boundary/frame.ts";
import type { ModelCall } from "../boundary/machine.ts";
import type { PromptFile } from "../conversation/files.ts";
import { type PromptOptions, toPrompt } from "../prompt/prompt.ts";
import type { BoundedOutput } from "../prompt/tool-output.ts";
import { showsContent } from "../shown/display.ts";
import { ModelStep } from "../steps/model-step.ts";
import { materialOf, type PromptMaterial, type Selection, select } from "../steps/prompt-material.ts";
import { crowdingOf } from "../steps/prompt-size.ts";
import { asSchema, hostedTools } from "../tools/offered-tools.ts";
import { outputMessage, type Readership, seenOn } from "../turn/output.ts";
import type { StepSettings } from "../turn/scope.ts";
import type { Turn } from "../turn/turn.ts";

/** Calls the model of a step. `material` and `compactions`: see `buildModelCall`. */
export function callModel(
  turn: Turn,
  block: NextMessageBlock,
  settings: StepSettings,
  material?: PromptMaterial,
  compactions?: readonly Compaction[],
): void {
  const { frame } = turn;
  const message = outputMessage(turn, readership(turn, block));
  if (frame.open) {
    frame.open.modelId = settings.modelId;
    frame.open.firstPart = message.parts.length;
  }
  turn.step = new ModelStep(turn, block, message);
  beginCall(turn, buildModelCall(turn, block, settings, material, compactions));
}

/** The call begins when everything that can continue now has, and after what is worth it is stored. */
export function beginCall({ frame, tree, origin }: Turn, call: ModelCall): void {
  const workerId = origin?.part.worker.workerId;
  frame.phase = "model";
  tree.calls.push({ type: "call-model", ...(workerId !== undefined && { workerId }), call });
}

/**
 * Only blocks with display `stream` write to messages that users read, on every thread alike: each live event of a
 * named thread carries `thread`, and on re-read its parts do, inside the turn's message. Users can find again what
 * they followed live, and it stays distinct from the main chat, whose model never reads it.
 */
export function readership({ frame }: Turn, { thread, display }: NextMessageBlock): Readership {
  const aside = frame.open?.asideThread;
  if (aside !== undefined) return { audience: "model", thread: aside };
  return showsContent(display) ? seenOn(thread) : { audience: "model", thread };
}

/**
 * Builds the model call for the block's next step. `material`: of the same state, if the caller has it. `compactions`: those
 * that have preceded it.
 */
function buildModelCall(
  turn: Turn,
  block: NextMessageBlock,
  settings: StepSettings,
  material = materialOf(turn, block, settings),
  compactions: readonly Compaction[] = [],
): ModelCall {
  const { config, temperature, thinking, speed } = settings;
  const { tools } = material;
  const { maxImageDimension } = config;
  const boundedOutputs: BoundedOutput[] = [];
  const files: PromptFile[] = [];
  const noteBounded = (output: BoundedOutput) => void boundedOutputs.push(output);
  const selection = select(turn, settings, material);
  const prompt = buildPrompt(turn, settings, material, selection, { noteBounded, files });
  turn.estimatedTokens = selection.tokens;
  const { measured } = material;
  const warning =
    measured && crowdingOf(turn, block.thread, settings.modelId, measured.room, measured.instructions);
  const made = selection.compaction === undefined ? compactions : [...compactions, selection.compaction];
  const hosted = hostedTools(config, settings.modelId);
  return {
    modelId: settings.modelId,
    options: {
      prompt,
      ...(tools.length > 0 && { tools }),
      ...(temperature !== undefined && { temperature }),
      ...(config.maxOutputTokens !== undefined && { maxOutputTokens: config.maxOutputTokens }),
      ...(block.responseType && { responseFormat: responseFormat(block.responseType) }),
    },
    ...(boundedOutputs.length > 0 && { boundedOutputs }),
    ...(files.length > 0 && { files }),
    ...(made.length > 0 && { compactions: [...made] }),
    ...(warning !== undefined && { warning }),
    ...(maxImageDimension !== undefined && { maxImageDimension }),
    ...(thinking !== undefined && { thinking }),
    ...(speed !== undefined && { speed }),
    ...(hosted && { hosted }),
    ...(config.cache !== undefined && { cache: config.cache }),
  };
}

function buildPrompt(
  turn: Turn,
  { config, modelId }: StepSettings,
  { threads, system }: PromptMaterial,
  { messages, summary, omitted, maxToolOutputTokens = config.maxToolOutputTokens }: Selection,
  { noteBounded, files }: Pick<PromptOptions, "noteBounded" | "files">,
): ModelCall["options"]["prompt"] {
  const { executionId, modelSteps, open, run } = turn.frame;
  const prompt = toPrompt(
    { messages },
    {
      threads,
      references: turn.program.references,
      // A workforce agent has the files of a message on its computer, whether or not its model can read them.
      ...(run === undefined && { executionId }),
      takesHostedCalls: hostedTools(config, modelId) !== undefined,
      ...(files && { files }),
      ...(system && { system }),
      ...(maxToolOutputTokens !== undefined && {
        maxToolOutputTokens,
        ...(noteBounded && { noteBounded }),
      }),
      ...(summary && { summary }),
      fence: turn.tree.root.conversation.fence,
      ...(omitted !== undefined && { omitted }),
    },
  );
  return open?.repair?.step === modelSteps ? prompt.concat(askForRepair(open.repair)) : prompt;
}

/** Only the repeated step reads this: the conversation keeps neither the failed object nor the request. */
function askForRepair({ text, problem }: Repair): ModelCall["options"]["prompt"] {
  const request = `Your response does not have the required type. ${problem} Respond again, with the corrected JSON only.`;
  return [
    { role: "assistant", content: [{ type: "text", text: text.trim() || "{}" }] },
    { role: "user", content: [{ type: "text", text: request }] },
  ];
}

function responseFormat({ name, schema }: NonNullable<NextMessageBlock["responseType"]>) {
  return { type: "json" as const, name, schema: asSchema(schema) };
}
