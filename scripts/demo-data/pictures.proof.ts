import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openConsole } from "@muster/console/testing";
import { startTestServer } from "@muster/local/testing/server";
import { TestClient, temporaryDirectory } from "@muster/testing";
import type { Page, Screen } from "@muster/testing/browser";
import { test } from "vitest";
import { fill } from "./fill.ts";
import { pageStates } from "./page-states.ts";

const desktop = { width: 1440, height: 900 } as const;
const phone = { width: 390, height: 844, isMobile: true } as const;
const screens: Readonly<Record<string, Screen>> = {
  "desktop-light": { ...desktop, scheme: "light" },
  "desktop-dark": { ...desktop, scheme: "dark" },
  "phone-light": { ...phone, scheme: "light" },
  "phone-dark": { ...phone, scheme: "dark" },
};

const docs = join(import.meta.dirname, "../../docs/images");
/** The pictures of docs/console.md: the page and its screen. */
const inDocs: Readonly<Record<string, string>> = {
  home: "desktop-light",
  session: "desktop-dark",
  workforce: "desktop-light",
  "agent-definition": "desktop-dark",
  approvals: "phone-light",
};

/** With PICTURES=<folder>, every page on every screen, and in a folder of each other state, on two of them. */
const folder = process.env.PICTURES;
const twoScreens = ["desktop-light", "phone-dark"];

test("every page of the console has its picture", async (t) => {
  const settings = { DATA_DIR: join(await temporaryDirectory(t), "data") };
  const sessions = Number(process.env.SESSIONS ?? 120);
  const { url, key } = await fill(t, { settings, sessions, seed: 1, isServed: true });
  const client = new TestClient(url, key);
  const first = async (path: string, list: string, id: string) => {
    const found = (await client.json(200, "GET", path))[list];
    assert.ok(Array.isArray(found) && found.length > 0, path);
    return String(found[0][id]);
  };
  const agent = await first("/api/agents", "agents", "id");
  const session = await first("/api/agent-sessions", "sessions", "sessionId");
  const teammate = await first("/api/admin/workforce/agents", "agents", "agentId");
  const thread = await first(
    `/api/admin/workforce/agents/${teammate}/threads?status=completed`,
    ...(["threads", "threadId"] as const),
  );
  const pages: Readonly<Record<string, string>> = {
    home: "/",
    sessions: "/sessions",
    session: `/sessions/${session}`,
    agents: "/agents",
    agent: `/agents/${agent}`,
    "agent-definition": `/agents/${agent}/definition`,
    "agent-versions": `/agents/${agent}/versions`,
    workforce: "/workforce",
    teammate: `/workforce/${teammate}`,
    thread: `/workforce/${teammate}/threads/${thread}`,
    hire: "/workforce/hire",
    computers: "/workforce/computers",
    approvals: "/approvals",
    schedules: "/automation",
    hooks: "/automation/hooks",
    webhooks: "/automation/webhooks",
    tools: "/tools",
    models: "/models",
    usage: "/usage",
    keys: "/settings",
    audit: "/settings/audit",
  };
  const page = await openConsole(t, { url, key });
  for (const [name, path] of Object.entries(pages)) {
    const wanted = inDocs[name];
    if (folder === undefined && wanted === undefined) continue;
    for (const screenName of folder === undefined && wanted !== undefined ? [wanted] : Object.keys(screens)) {
      const picture = await draw(page, `${url}/console${path}`, screenName);
      if (wanted === screenName) await writeFile(join(docs, `console-${name}.png`), picture);
      if (folder !== undefined) await keep(folder, `${name}-${screenName}`, picture);
    }
  }
  if (folder === undefined) return;
  const fresh = await startTestServer(t);
  for (const state of ["empty", ...Object.keys(pageStates)]) {
    const server = state === "empty" ? fresh : { url, key };
    const page = await openConsole(t, server);
    await page.before(pageStates[state] ?? "");
    const isReady = state === "loading" ? hasText : undefined;
    for (const [name, path] of Object.entries(pages))
      for (const screenName of twoScreens) {
        const picture = await draw(page, `${server.url}/console${path}`, screenName, isReady);
        await keep(join(folder, state), `${name}-${screenName}`, picture);
      }
  }
}, 7_200_000);

async function draw(page: Page, address: string, screenName: string, isReady = isRead): Promise<Buffer> {
  const screen = screens[screenName];
  assert.ok(screen);
  await page.show(screen);
  await page.go(address);
  await page.waitFor(isReady);
  await page.evaluate("document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 500)))");
  return page.screenshot();
}

const hasText = "document.querySelector('main')?.innerText.trim() > ''";
const isRead = `${hasText} && document.querySelector('[aria-label=Loading]') === null`;

async function keep(directory: string, name: string, picture: Buffer): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, `${name}.png`), picture);
}
