import assert from "node:assert/strict";
import { startChats } from "@muster/local/testing/chats";
import { startTestServer } from "@muster/local/testing/server";
import { test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";

test("the page of usage shows by keyboard which agent spent most, and the days as a table", async (t) => {
  const answer = { parts: [{ text: "Hello" }], usage: { inputTokens: 40, outputTokens: 2 } };
  const server = await startChats(t, [answer, answer, answer]);
  const other = {
    settings: { slug: "other", name: "Other", format: "interactive" },
    protocol: `
triggers:
  user-message: { input: { TEXT: { type: string } } }
agent: { model: local/scripted }
handlers:
  user-message:
    Add: { block: add-message, role: user, prompt: say, input: [TEXT] }
    Answer: { block: next-message }
`,
    prompts: [{ name: "say", content: "{{TEXT}}" }],
  };
  const otherId = await server.client.field("agentId", 201, "POST", "/api/agents", other);
  for (const agentId of [otherId, server.agentId, otherId]) {
    const sessionId = await server.client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
    const turn = await fetch(`${server.url}/api/agent-sessions/${sessionId}/trigger`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
      body: JSON.stringify({ triggerName: "user-message", input: { TEXT: "Hello" } }),
    });
    await turn.text();
  }
  const page = await openConsole(t, server, "/usage?of=tokens");
  await page.waitFor("document.querySelectorAll('tbody th').length >= 2");
  const agents =
    "[...document.querySelectorAll('section:last-of-type tbody th')].map((cell) => cell.innerText.trim().split('\\n')[0])";
  await page.waitFor(`JSON.stringify(${agents}) === '["Other","Desk"]'`);
  await page.waitFor(
    "[...document.querySelectorAll('main ul li')].map((part) => part.innerText.trim()).join() === 'Other,Desk'",
  );
  await tabTo(page, "Table of days");
  await page.press("Enter", 13);
  await shows(page, new Date().toISOString().slice(0, 10));
  await checkPage(page);

  await page.evaluate(
    "const make = URL.createObjectURL; URL.createObjectURL = (file) => { file.text().then((text) => (window.csv = text)); return make(file) }",
  );
  await tabTo(page, "CSV");
  await page.press("Enter", 13);
  await page.waitFor("window.csv !== undefined");
  assert.match(
    String(await page.evaluate("window.csv")),
    /^agent,name,calls,.*\r\nagt_\w+,(?:Desk|Other),\d/,
  );

  await tabTo(page, "Agent");
  await page.press("ArrowRight", 39);
  await page.waitFor("location.search.includes('by=model')");
  await shows(page, "local/scripted");
  assert.equal(await page.evaluate("document.querySelector('canvas') !== null"), true);
});

test("the page of models finds a model by its name and shows the state of each provider", async (t) => {
  const server = await startTestServer(t);
  const page = await openConsole(t, server, "/models");
  await tabTo(page, "Filter by name");
  await page.type("haiku");
  await page.waitFor("location.search.includes('text=haiku')");
  await page.waitFor(
    "[...document.querySelectorAll('[role=row] code')].every((id) => /haiku/.test(id.textContent))",
  );
  await shows(page, "no key");
  await checkPage(page);
  await tabTo(page, "Filter by name");
  await page.type("nothing like it");
  await shows(page, "No model matches");
});

test("a month with very many subjects shows those that cost the most, and says how many it leaves out", async (t) => {
  const page = await openConsole(t, await startTestServer(t), "/usage?by=subject");
  await page.before(`
    const send = window.fetch.bind(window);
    window.fetch = async (input, init) => {
      const response = await send(input, init);
      const url = String(input.url ?? input);
      if (!url.includes("/api/usage")) return response;
      const report = await response.json();
      const total = { ...report.total, calls: 1_000 };
      const subjects = Array.from({ length: 1_000 }, (_, at) => ({ ...total, name: "u-" + at, totalFeeUsd: String(at) }));
      return Response.json({ ...report, total, groups: url.includes("groupBy=subject") ? subjects : report.groups });
    };`);
  await page.evaluate("location.reload()");
  await shows(page, "800 more are not listed here.");
  const names =
    "[...document.querySelectorAll('section:last-of-type tbody th')].map((cell) => cell.innerText.trim())";
  assert.deepEqual(await page.evaluate(`[${names}.length, ${names}[0].split("\\n")[0]]`), [200, "u-999"]);
});
