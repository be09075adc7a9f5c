import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import type { PromptStray } from "../prompts/compile-prompts.ts";

const tags = "Tags are {{NAME}}, {{@prompt.md}}, {{#if …}}, {{else if …}}, {{else}} and {{/if}}.";

/** Reports tags that mean nothing but resemble a declared name or a tag of another language. */
export function reportStrays(strays: readonly PromptStray[], context: Context): void {
  const { report, names, placeholders } = context;
  for (const { raw, prompt, path, position, name } of strays) {
    const text = `In the prompt ${quote(prompt)}: ${quote(raw)} is not a tag, so it stays unchanged.`;
    const meant = name === undefined ? [] : meantBy(name, context);
    if (meant.length > 0) report.add("UNMAPPED_PLACEHOLDER", { path, position }, text, meant);
    else if (name === undefined) report.add("UNKNOWN_TAG", { path, position }, `${text} ${tags}`);
    for (const candidate of meant) {
      placeholders.meant.add(candidate);
      names.session.use(candidate);
      names.triggers.get(names.triggerOf.get(candidate) ?? "")?.use(candidate);
    }
  }
}

/** The declared names that a tag may mean, such as USER for `USER.name`. */
function meantBy(name: string, { report, names }: Context): readonly string[] {
  if (names.session.has(name) || names.triggerOf.has(name)) return [name];
  return report.closest(name, allNames(names), 2);
}

function* allNames({ session, triggerOf }: Context["names"]): Generator<string> {
  yield* session.keys();
  for (const name of triggerOf.keys()) if (!session.has(name)) yield name;
}
