import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { createModels, readModelsConfig } from "@muster/models";
import {
  type ScriptedProvider,
  type ScriptedStep,
  type ScriptedTarget,
  startScriptedProvider,
} from "@muster/models/testing";
import { Secret } from "@muster/service";
import { createFiles, type FileRecord, type FileReference, pathOfFile } from "@muster/storage/files";
import type { TestScope } from "@muster/testing";
import type { SessionsConfig, SessionsOverrides } from "../../src/index.ts";
import { type Instance, projectId, startWorld, type World } from "./harness.ts";

export const keys = [new Secret("ab".repeat(32))];

/** A chat whose users send files, and whose tool returns some. */
export const fileAgent = {
  prompts: { message: "{{TEXT}}", note: "For the record." },
  protocol: `
input:
  MODEL: { type: string, default: demo/echo }
  MANUAL: { type: file, optional: true }
types:
  Case: { title: { type: string }, proof: { type: file } }
tools:
  scan: { description: Scans a page, display: stream }
  peek: { description: Scans a page secretly }
triggers:
  say:
    input:
      TEXT: { type: string }
      FILE: { type: file, optional: true }
      FILES: { type: "file[]", optional: true }
      CASE: { type: Case, optional: true }
agent:
  model: MODEL
  tools: [scan, peek]
  agentic: true
handlers:
  say:
    Add: { block: add-message, role: user, prompt: message, input: [TEXT], files: [FILE, FILES, MANUAL] }
    Answer: { block: next-message }
`,
};

export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
/** A black image. */
export function blackPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits of grey.
  header.set([8, 0, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer) => {
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), data])));
    return Buffer.concat([length, Buffer.from(type), data, check]);
  };
  const rows = deflateSync(Buffer.alloc((width + 1) * height));
  return Buffer.concat([
    png.subarray(0, 8),
    ...[chunk("IHDR", header), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))],
  ]);
}

export const pdf = Buffer.from(
  "%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n",
);
export const note = Buffer.from("The café opens at nine.\n");

export interface FileWorld {
  world: World;
  instance: Instance;
  provider: ScriptedProvider;
  modelId: string;
  directory: string;
  files: ReturnType<typeof createFiles>;
  open(input?: Record<string, unknown>): Promise<string>;
  /** Stores a file and returns the reference that its sender has. */
  upload(ownerId: string, content: Buffer, changes?: Partial<FileRecord>): Promise<FileReference>;
}

/** A session service with files, whose model is that of the target. */
export async function startFileWorld(
  t: TestScope,
  target: ScriptedTarget,
  steps: ScriptedStep[],
  overrides: Partial<SessionsOverrides> = {},
  config: Partial<SessionsConfig> = {},
): Promise<FileWorld> {
  const directory = await mkdtemp(join(tmpdir(), "muster-session-files-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const world = await startWorld(t);
  world.agents.set("agt_chat", [fileAgent]);
  const provider = await startScriptedProvider(t, { format: target.format, steps });
  const environment = { ...target.environment(provider.baseUrl), DEMO_WORD_DELAY_MS: "0" };
  const models = createModels(readModelsConfig(environment));
  const settings = { directory, keys, keepDays: 30 };
  const instance = await world.addInstance({ files: settings, ...config }, { models, ...overrides });
  const files = createFiles(settings, world.clock);
  let count = 0;
  return {
    ...{ world, instance, provider, modelId: target.modelId, directory, files },
    open: async (input = {}) => {
      const request = {
        agentId: "agt_chat",
        inputJson: JSON.stringify({ MODEL: target.modelId, ...input }),
      };
      return (await instance.client.createSession(request, world.as())).sessionId;
    },
    upload: async (ownerId, content, changes = {}) => {
      count += 1;
      const id = `file_${count}`;
      const named = { mediaType: "image/png", filename: `picture-${count}.png` };
      const record = { projectId, ownerId, id, size: content.length, ...named, ...changes };
      await files.storage.put(record, piecesOf(content));
      const url = `http://muster.test/base${pathOfFile({ id, signature: files.addresses.signDownload(record) })}`;
      const { mediaType, filename, size } = record;
      return { id, mediaType, url, filename, size };
    },
  };
}

async function* piecesOf(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}

/** A trigger in which a user says something and sends files. */
export function send(sessionId: string, text: string, input: Record<string, unknown> = {}) {
  return { sessionId, triggerName: "say", inputJson: JSON.stringify({ TEXT: text, ...input }) };
}
