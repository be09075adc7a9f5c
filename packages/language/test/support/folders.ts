import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import type { DefinitionSource } from "../../src/index.ts";

/** Runs with a temporary folder that contains the files. */
export async function withFolder<T>(
  files: Readonly<Record<string, string | Uint8Array>>,
  run: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "muster-folder-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), content);
    }
    return await run(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** All files by path, in Latin-1, so that each byte is one character. */
export async function bytesOf(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(
    files.sort().map(async (file) => [file.slice(directory.length + 1), await readFile(file, "latin1")]),
  );
  return Object.fromEntries(contents);
}

export const rightFiles = {
  "settings.json": '{ "slug": "support", "name": "Support", "format": "interactive" }\n',
  "protocol.yaml": "agent: { model: demo/echo }\n",
  "prompts/system.md": "You help.\n",
  "references/prices.md": "---\ndescription: All prices\n---\n1 €\n",
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: definitions contain none
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** Text that a definition may contain, biased towards text that is hard to store in files. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "---",
        "\n---\n",
        "\r\n---\r\n",
        "---\n",
        "\n",
        "\r\n",
        "\r",
        "\u2028",
        "\ufeff",
        "...",
        "\t",
      ),
      fc.constantFrom(
        "description: x\n",
        "{{NAME}}",
        '"',
        "'",
        "\\",
        "#",
        ": ",
        "%YAML 1.1\n",
        "&a ",
        "*a",
        "|\n",
        "é",
        "🦉",
      ),
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.string({ maxLength: 20 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join("").replace(control, ""));

const word = fc.stringMatching(/^[a-z0-9]{1,6}(-[a-z0-9]{1,4}){0,2}$/);
const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join("/"));
const notBlank = (text: string) => text.trim() !== "";
const displayName = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
  .filter((text) => notBlank(text) && !/\p{Cc}/u.test(text));

const byName = <T extends { name: string }>(items: T[]) =>
  items.toSorted((a, b) => (a.name < b.name ? -1 : 1));
const plain = { noNullPrototype: true } as const;
const unique = { maxLength: 5, selector: (item: { name: string }) => item.name };

/** Any definition that a server would store, valid or not. Prompts and references are sorted by name. */
export const anyDefinition: fc.Arbitrary<DefinitionSource> = fc.record(
  {
    settings: fc.record(
      {
        slug: word,
        name: displayName,
        description: anyText.filter((text) => text !== "" && text.length <= 1_000),
        format: fc.constantFrom("interactive" as const, "worker" as const),
      },
      { requiredKeys: ["slug", "name", "format"], noNullPrototype: true },
    ),
    protocol: anyText,
    prompts: fc.uniqueArray(fc.record({ name, content: anyText }, plain), unique).map(byName),
    references: fc
      .uniqueArray(
        fc.record({ name, description: anyText.filter(notBlank), content: anyText }, plain),
        unique,
      )
      .map(byName),
  },
  plain,
);
