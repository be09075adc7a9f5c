import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { test } from "vitest";
import { readExample } from "./support/example.ts";
import { startTestServer } from "./support/server.ts";

const docs = resolve(import.meta.dirname, "../../../docs");
/** In the order in which a reader needs the ids of earlier responses. */
const order = [
  "agents",
  "sessions",
  "turns",
  "approvals",
  "workers",
  "workforce",
  "recordings",
  "files",
  "keys",
  "models",
  "tools",
  "webhooks",
  "hooks",
  "schedules",
];

test("the requests of the API's pages get the responses that the pages show", async (t) => {
  const pages = globSync("api/*.md", { cwd: docs }).map((page) => basename(page, ".md"));
  assert.deepEqual(pages.toSorted(), order.toSorted());
  const { url, key, client } = await startTestServer(t);
  await client.json(201, "POST", "/api/agents", await readExample("second-opinion/workers/sceptic"));
  const environment: Record<string, string> = {
    MUSTER_URL: url,
    MUSTER_API_KEY: key,
    ISSUE_TRACKER_TOKEN: "a",
  };
  let assignments = "";
  for (const page of ["../api", ...order]) {
    const text = readFileSync(resolve(docs, `api/${page}.md`), "utf8");
    for (const [, request = "", form, response = ""] of text.matchAll(example)) {
      const printed = await paste(assignments + request, environment);
      assignments += (request.match(/^[A-Z_]+=.*\n/gm) ?? []).join("");
      Object.assign(environment, idsIn(printed));
      if (form === "json")
        assertShown(JSON.parse(response), JSON.parse(printed), `${page}: ${request}${printed}`);
      if (form === "text") assert.deepEqual(typesIn(printed, typesIn(response)), typesIn(response), printed);
    }
  }
});

/** A request, and the response that follows it at once. */
const example = /^```sh\n(.*?)^```\n(?:\n```(json|text)\n(.*?)^```\n)?/gms;

function paste(script: string, environment: Record<string, string>): Promise<string> {
  const env = { PATH: process.env.PATH, ...environment };
  return new Promise((done, failed) => {
    execFile("bash", ["--norc", "-ec", script], { env, maxBuffer: 10_000_000 }, (error, out) =>
      error === null ? done(out) : failed(error),
    );
  });
}

const forms: Readonly<Record<string, RegExp>> = {
  SESSION_ID: /ses_\w+/,
  EXECUTION_ID: /exe_\w+/,
  AGENT_ID: /agt_\w{30}\b(?<!svc_.*)/,
  THREAD_ID: /thr_\w+/,
  MUSTER_AGENT_KEY: /svc_agt_\w+/,
  UPLOAD_URL: /(?<="uploadUrl":")[^"]+/,
};

/** The variables that stand for ids of a response. */
function idsIn(printed: string): Record<string, string> {
  const found = Object.entries(forms).map(([name, form]) => [name, form.exec(printed)?.[0] ?? ""]);
  return Object.fromEntries(found.filter(([, value]) => value !== ""));
}

/** The types of events, of which `only` may be shown. */
function typesIn(stream: string, only?: string[]): string[] {
  const types = [...stream.matchAll(/^data: (?:\{"type":"([\w-]+)"|\[DONE\])/gm)].map(
    ([, type = "done"]) => type,
  );
  return [...new Set(types)].filter((type) => only === undefined || only.includes(type));
}

/** A page shows members of the response with their types, and texts without digits literally. */
function assertShown(shown: unknown, real: unknown, place: string): void {
  if (shown === null || real === null) return;
  assert.equal(typeof real, typeof shown, place);
  if (typeof shown === "string" && !/\d/.test(shown)) assert.equal(real, shown, place);
  if (typeof shown !== "object" || typeof real !== "object") return;
  assert.equal(Array.isArray(real), Array.isArray(shown), place);
  const members = new Map(Object.entries(real));
  for (const [name, value] of Object.entries(shown)) {
    assert.ok(members.has(name), `${name} of ${place}`);
    if (name !== "status") assertShown(value, members.get(name), place);
  }
}
