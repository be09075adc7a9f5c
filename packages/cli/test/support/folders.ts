import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestScope } from "@muster/testing";

/** An agent on demo/echo with one tool, without any findings. */
export const helper = {
  "settings.json": '{ "slug": "helper", "name": "Helper", "format": "interactive" }\n',
  "protocol.yaml": `triggers:
  user-message:
    input:
      USER_MESSAGE: { type: string }
tools:
  get-order:
    description: Looks up an order.
    parameters:
      orderNumber: { type: string }
agent:
  model: demo/echo
  system: system
  tools: [get-order]
  agentic: true
  maxSteps: 5
handlers:
  user-message:
    Add the message:
      block: add-message
      role: user
      prompt: user
      input: [USER_MESSAGE]
    Answer:
      block: next-message
`,
  "prompts/system.md": "You help.\n",
  "prompts/user.md": "{{USER_MESSAGE}}",
};

type Files = Readonly<Record<string, string>>;

/** Creates a folder with the files, which is removed after the test. */
export async function makeFolder(t: TestScope, files: Files = {}): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "muster-cli-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await writeFiles(directory, files);
  return directory;
}

export async function writeFiles(directory: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
}

/** Reads all files by path, in Latin-1, so that each byte is one character. */
export async function bytesOf(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(
    files.sort().map(async (file) => [file.slice(directory.length + 1), await readFile(file, "latin1")]),
  );
  return Object.fromEntries(contents);
}
