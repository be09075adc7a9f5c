import { invalid } from "./refusals.ts";

const modelPattern = /^muster\/(?<slug>[a-z0-9]+(?:-[a-z0-9]+)*)(?:@(?<version>[1-9][0-9]{0,8}))?$/;

/** The name of an agent among the models. */
export function modelOfAgent(slug: string): string {
  return `muster/${slug}`;
}

/** The agent that a model names: `muster/<slug>`, or `muster/<slug>@3` for its third version. Throws INVALID_REQUEST. */
export function agentOfModel(model: string): { agentSlug: string; agentVersion: number } {
  const { slug, version = "0" } = modelPattern.exec(model)?.groups ?? {};
  if (slug === undefined) throw invalid("model", "must be muster/<slug> or muster/<slug>@<version>");
  return { agentSlug: slug, agentVersion: Number(version) };
}
