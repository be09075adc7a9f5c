import type { NextMessageBlock } from "@muster/language";
import type { Compaction } from "../boundary/compaction.ts";
import type { Repair } from "../boundary/frame.ts";
import type { ModelCall } from "../boundary/machine.ts";
import type { BoundedOutput } from "../prompt/bound-output.ts";
import type { PromptFile } from "../prompt/files.ts";
import { type PromptOptions, toPrompt } from "../prompt/prompt.ts";
import { hostedTools } from "../tools/hosted-tools.ts";
import { asSchema } from "../tools/offered-tools.ts";
import type { Turn } from "../turn/turn.ts";
import { materialOf, type PromptMaterial, type Selection, select } from "./prompt-material.ts";
import { crowdingOf } from "./prompt-size.ts";
import type { StepSettings } from "./settings.ts";

/**
 * Builds the model call for the block's next step. `material`: of the same state, if the caller has it. `compactions`: those
 * that have preceded it.
 */
export function buildModelCall(
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
