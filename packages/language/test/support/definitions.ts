import fc from "fast-check";
import { definitionLimits } from "../../src/definition-limits.ts";
import type { DefinitionSource } from "../../src/source.ts";
import { Choices } from "./choices.ts";
import { damageDraft, damageText } from "./damage.ts";
import type { Draft } from "./draft.ts";
import { writePrompt } from "./prompt-text.ts";
import { sectionsOf, writeSection } from "./sections.ts";
import { anyText } from "./words.ts";
import { writeWorld } from "./world.ts";
import { Writer } from "./written-value.ts";
import { yamlText } from "./yaml-text.ts";

/** Valid definitions of both formats that use the whole language. Small seeds of small size shrink best. */
export function validDefinitions(): fc.Arbitrary<DefinitionSource> {
  return seeds.map(([seed, size]) => {
    const choices = new Choices(seed);
    return toSource(writeDraft(choices, size), choices);
  });
}

/** Valid definitions damaged in up to five places of their tree, and sometimes in their text. */
export function wildDefinitions(): fc.Arbitrary<DefinitionSource> {
  const damages = fc.tuple(seeds, fc.integer(), fc.nat({ max: 5 }), fc.constantFrom(0, 0, 0, 0, 1, 2));
  return damages.map(([[seed, size], damageSeed, inTree, inText]) => {
    const choices = new Choices(seed);
    const by = new Choices(damageSeed);
    let draft = writeDraft(choices, size);
    for (let count = 0; count < inTree; count++) draft = damageDraft(draft, by);
    let source = toSource(draft, choices);
    for (let count = 0; count < inText; count++) source = damageText(source, by);
    return source;
  });
}

const seeds = fc.tuple(fc.integer(), fc.integer({ min: 0, max: 5 }));

function writeDraft(choices: Choices, size: number): Draft {
  const world = writeWorld(choices, size);
  const writer = new Writer(choices, choices.pick([10, 50, 90]));
  const sections = choices.shuffled(sectionsOf(world)).map(([key, field]) => {
    return [key, writeSection(key, field, world, writer, choices)] as const;
  });
  const description = choices.chance(50) ? { description: anyText(choices) } : {};
  return {
    settings: {
      slug: world.slug,
      name: oneLine(`Name ${anyText(choices)}`),
      ...description,
      format: world.format,
    },
    protocol: Object.fromEntries(
      sections.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    ),
    prompts: world.prompts.map((name, index) => {
      return { name, content: writePrompt(choices, world.prompts.slice(index + 1)) };
    }),
    references: world.references.map((name) => {
      return { name, description: `Name ${anyText(choices)}`, content: anyText(choices) };
    }),
  };
}

function oneLine(text: string): string {
  const line = text.replaceAll(/[\t\n\r\u0085\u2028\u2029]/g, " ");
  return Array.from(line).slice(0, definitionLimits.nameLength).join("");
}

function toSource(draft: Draft, choices: Choices): DefinitionSource {
  return { ...draft, protocol: yamlText(draft.protocol, choices) };
}
