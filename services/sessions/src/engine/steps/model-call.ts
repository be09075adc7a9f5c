import type { NextMessageBlock } from "@muster/protocol";
import type { Repair } from "../boundary/frame.ts";
import type { ModelCall } from "../boundary/machine.ts";
import type { BoundedOutput } from "../prompt/bound-output.ts";
import type { PromptFile } from "../prompt/files.ts";
import { type PromptOptions, toPrompt } from "../prompt/prompt.ts";
import { hostedTools } from "../tools/hosted-tools.ts";
import { asSchema, offeredTools } from "../tools/offered-tools.ts";
import { renderPrompt } from "../turn/scope.ts";
import type { Turn } from "../turn/turn.ts";
import type { StepSettings } from "./settings.ts";

/** Builds the model call for the block's next step. */
export function buildModelCall(turn: Turn, block: NextMessageBlock, settings: StepSettings): ModelCall {
  const { config, temperature, thinking, speed } = settings;
  const tools = offeredTools(turn, block.thread, config);
  const boundedOutputs: BoundedOutput[] = [];
  const files: PromptFile[] = [];
  const noteBounded = (output: BoundedOutput) => void boundedOutputs.push(output);
  const prompt = buildPrompt(turn, block.thread, settings, { noteBounded, files });
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
    ...(thinking !== undefined && { thinking }),
    ...(speed !== undefined && { speed }),
    ...(hosted && { hosted }),
    ...(config.cache !== undefined && { cache: config.cache }),
  };
}

function buildPrompt(
  turn: Turn,
  thread: string,
  { config, modelId }: StepSettings,
  { noteBounded, files }: Pick<PromptOptions, "noteBounded" | "files">,
): ModelCall["options"]["prompt"] {
  const { asideThread: aside, repair } = turn.frame.open ?? {};
  const { system, maxToolOutputTokens } = config;
  const prompt = toPrompt(turn.conversation, {
    threads: aside === undefined ? [thread] : [thread, aside],
    references: turn.program.references,
    executionId: turn.frame.executionId,
    takesHostedCalls: hostedTools(config, modelId) !== undefined,
    ...(files && { files }),
    ...(system && { system: renderPrompt(turn, system) }),
    ...(maxToolOutputTokens !== undefined && { maxToolOutputTokens, ...(noteBounded && { noteBounded }) }),
  });
  return repair?.step === turn.frame.modelSteps ? prompt.concat(askForRepair(repair)) : prompt;
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
