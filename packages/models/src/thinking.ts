import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";

/** How much the model thinks before it answers. `auto`: the provider or the model decides. */
export type Thinking = "off" | "low" | "medium" | "high" | "xhigh" | "max" | "auto";

/** A level that a provider may accept, in ascending order. */
const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

/** Models that accept the same levels. */
export interface ThinkingFamily {
  readonly models: RegExp;
  /** Empty if the models do not think, or accept no setting. */
  readonly efforts: readonly Effort[];
}

/** Every level: the package translates it to the model's own levels or budget. */
export const allEfforts: readonly Effort[] = efforts;

/** The family of a model. A fine-tuned one, `ft:<model>:<rest>`, accepts the levels of its base model. */
function familyOf(families: readonly ThinkingFamily[], model: string): ThinkingFamily | undefined {
  const base = baseModelOf(model);
  return families.find(({ models }) => models.test(base));
}

/** `gpt-5` for `ft:gpt-5:acme`; other models are returned unchanged. */
export function baseModelOf(model: string): string {
  return /^ft:([^:]+)/.exec(model)?.[1] ?? model;
}

/**
 * The level to send: the wanted one, else the next lower one, else the next higher one. Thinking is never switched off
 * unless `off` is wanted. Undefined without a wanted level, and for models that no family with levels matches.
 */
export function effortFor(
  families: readonly ThinkingFamily[],
  model: string,
  thinking: Thinking | undefined,
): Effort | undefined {
  if (thinking === undefined || thinking === "auto") return undefined;
  const accepted = familyOf(families, model)?.efforts ?? [];
  if (thinking === "off") return efforts.find((effort) => accepted.includes(effort));
  const wanted = efforts.indexOf(thinking);
  const levels = efforts.filter((effort) => effort !== "none" && accepted.includes(effort));
  return levels.findLast((effort) => efforts.indexOf(effort) <= wanted) ?? levels[0];
}

/** Whether the model thinks, as far as the families know. */
export function canThink(families: readonly ThinkingFamily[], model: string): boolean {
  return (familyOf(families, model)?.efforts ?? []).length > 0;
}

/** The part of the call options that most packages read. */
export function withEffort(effort: Effort | undefined): Pick<LanguageModelV4CallOptions, "reasoning"> {
  return effort === undefined ? {} : { reasoning: effort };
}
