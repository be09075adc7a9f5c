import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { alike } from "./alike.ts";
import type { Scene } from "./scene.ts";
import { Shell } from "./shell.ts";

const root = resolve(import.meta.dirname, "../..");
/** The pause for readers before the next command is typed. */
const readMs = 1_800;

/** The commands of the recording, as typed. The README has the same ones, and a test compares the two. */
export const commands = {
  start: "npm start",
  push: "npx muster agents push examples/support-chat --yes",
  chat: "npx muster chat support-chat",
  tools: 'npx node examples/support-chat/client.mjs "Where is order 1042? Please use get-order."',
};

/** Starts Muster with a data folder of its own, takes the first steps in a second terminal, and stops it again. */
export async function recordSession(): Promise<Scene[]> {
  const folder = await mkdtemp("/tmp/muster-");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = new Shell(root, {
    PORT: String(port),
    DATA_DIR: join(folder, "data"),
    DEMO_WORD_DELAY_MS: "70",
    // The lines of requests differ in their times.
    LOG_LEVEL: "warn",
  });
  const client = new Shell(root, { MUSTER_URL: url });
  try {
    await server.prompt();
    await wait(readMs / 2);
    await server.type(commands.start);
    const shown = await server.shows("Stop with Ctrl-C.");
    const started = server.output.length;
    const [key = ""] = /svc_sk_\w+/.exec(shown) ?? [];
    await firstSteps(client, key);
    const scenes = [
      { title: "Terminal 1", output: server.output.slice(0, started) },
      { title: "Terminal 2", output: [...client.output] },
    ];
    return alike(scenes, { key, url, folder });
  } finally {
    await client.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function firstSteps(shell: Shell, key: string): Promise<void> {
  await shell.prompt();
  shell.press(`export MUSTER_API_KEY=${key}`);
  await wait(readMs / 2);
  shell.press("\r");
  await shell.prompt();
  await shell.type(commands.push);
  await shell.prompt();
  await wait(readMs);
  await shell.type(commands.chat);
  await shell.shows("> ");
  await wait(readMs / 2);
  await shell.type("Hello! Who are you?");
  await shell.shows("> ");
  await wait(readMs);
  shell.press("\u0004");
  await shell.prompt();
  await shell.type(commands.tools);
  await shell.prompt();
}

/** A port of four digits, so that the usual one can replace it in the picture without moving anything. */
async function freePort(): Promise<number> {
  for (let port = 8080; port < 10_000; port++) {
    const server = createServer();
    const isFree = await new Promise<boolean>((found) => {
      server.once("error", () => found(false)).listen(port, "127.0.0.1", () => found(true));
    });
    if (!isFree) continue;
    await new Promise((closed) => server.close(closed));
    return port;
  }
  throw new Error("No port between 8080 and 9999 is free.");
}
