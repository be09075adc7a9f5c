import assert from "node:assert/strict";
import { type Chats, calls, startChats } from "@muster/local/testing/chats";
import type { TestScope } from "@muster/testing";
import type { Page } from "@muster/testing/browser";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { checkPage, openConsole, shows, tabTo } from "./support/open-console.ts";

async function activate(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.press("Enter", 13);
}

/** The text of an editor, which is in a shadow tree. */
const textOf = (label: string) =>
  `(document.querySelector("[aria-label='Editor of ${label}']")?.shadowRoot
    ?.querySelector(".cm-content")?.innerText ?? "")`;

const protocol = `agent:
  model: demo/echo

triggers:
  go:

handlers:
  go:
    Answer: { block: next-message }
`;

const workerProtocol = `input:
  TEXT: { type: string }
  LANGUAGE: { type: string, default: English }
variables:
  SUMMARY: { type: string }
steps:
  Open: { block: start-thread, thread: main, model: local/scripted }
  Ask: { block: add-message, role: user, prompt: task, input: [TEXT] }
  Summarize: { block: next-message, output: SUMMARY }
output: SUMMARY
`;

describe("the pages of agents", () => {
  const scope = suiteScope();
  let server: Chats;
  let agents = 0;
  beforeAll(async () => {
    server = await startChats(scope);
  });

  /** The page of a new agent. */
  async function openAgent(t: TestScope, tab: string, names: readonly string[] = ["Front"]) {
    const [name, ...later] = names;
    const settings = { slug: `agent-${++agents}`, name, format: "interactive" };
    const agentId = await server.client.field("agentId", 201, "POST", "/api/agents", {
      ...{ settings, protocol, prompts: [] },
    });
    const path = `/api/agents/${agentId}`;
    for (const next of later) await server.client.json(200, "PATCH", path, { settings: { name: next } });
    const page = await openConsole(t, server, `/agents/${agentId}${tab}`);
    return {
      page,
      path,
      stored: async () => String(await server.client.field("protocol", 200, "GET", path)),
    };
  }

  test("a typo in a definition is fixed with the compiler's help and saved, by keyboard alone", async (t) => {
    const { page, stored } = await openAgent(t, "/definition");
    await tabTo(page, "Editor of protocol.yaml");
    await page.type("skils: {}");
    await shows(page, 'Unknown key "skils". Did you mean skills?');
    await checkPage(page);
    await activate(page, "Use skills");
    await page.waitFor(`${textOf("protocol.yaml")}.startsWith("skills: {}")`);
    await activate(page, "Show changes");
    await page.waitFor(
      `document.querySelector("[role=group]")?.shadowRoot?.querySelector(".cm-changedLine") !== null`,
    );
    await activate(page, "Save version 2");
    await shows(page, "protocol.yaml · version 2");
    await page.waitFor("!document.body.innerText.includes('changed')");
    assert.equal(await stored(), `skills: {}\n${protocol}`);
  });

  test("a version that another author saves meanwhile replaces no text, and is compared with it", async (t) => {
    const { page, path, stored } = await openAgent(t, "/definition");
    await tabTo(page, "Editor of protocol.yaml");
    await page.type("# mine");
    await shows(page, "Save version 2");
    await server.client.json(200, "PATCH", path, { protocol: `# theirs\n${protocol}` });
    await shows(page, "Version 2 was saved while you were writing.");
    await activate(page, "Try");
    await shows(page, "Your changes to the definition are not saved.");
    await activate(page, "Definition");
    await page.waitFor(`${textOf("protocol.yaml")}.startsWith("# mine")`);
    await activate(page, "Compare with version 2");
    await page.waitFor(`${textOf("Changes of protocol.yaml")}.includes("# theirs")`);
    await checkPage(page);
    await activate(page, "Keep my text");
    await activate(page, "Save version 3");
    await shows(page, "protocol.yaml · version 3");
    assert.equal(await stored(), `# mine\n${protocol}`);
  });

  test("a save that another author overtakes is refused, keeps the text and shows the other version", async (t) => {
    const { page, path, stored } = await openAgent(t, "/definition");
    await tabTo(page, "Editor of protocol.yaml");
    await page.type("# mine");
    await shows(page, "Save version 2");
    // At once, so that the page has not heard of the other version.
    const refused = await page.evaluate(`(async () => {
      const send = window.fetch;
      const statuses = [];
      window.fetch = async (...request) => {
        const response = await send(...request);
        statuses.push(response.status);
        return response;
      };
      const body = JSON.stringify({ settings: { name: "Theirs" } });
      const headers = { "content-type": "application/json", "x-muster-login": "1" };
      await send(${JSON.stringify(path)}, { method: "PATCH", headers, body });
      [...document.querySelectorAll("button")].find((each) => each.textContent === "Save version 2").click();
      while (!statuses.some((status) => status === 409 || status === 412))
        await new Promise((resolve) => requestAnimationFrame(resolve));
      return true;
    })()`);
    assert.equal(refused, true);
    await shows(page, "Version 2 was saved while you were writing.");
    assert.equal(await page.evaluate(`${textOf("protocol.yaml")}.startsWith("# mine")`), true);
    await activate(page, "Use version 2");
    await shows(page, "Theirs");
    await page.waitFor(`${textOf("protocol.yaml")}.startsWith("agent:")`);
    assert.equal(await stored(), protocol);
  });

  test("two versions are compared by keyboard alone", async (t) => {
    const { page } = await openAgent(t, "/versions", ["Front", "Back", "Side"]);
    const diff = textOf("Changes of settings.json");
    await page.waitFor(`${diff}.includes("Back") && ${diff}.includes("Side")`);
    await tabTo(page, "From version");
    await page.press("ArrowDown", 40);
    await page.waitFor(`${diff}.includes("Front") && ${diff}.includes("Side")`);
    assert.equal(await page.evaluate("location.search"), "?from=1&to=3");
    await checkPage(page);
    await tabTo(page, "To version");
    await page.press("ArrowDown", 40);
    await activate(page, "Bring back version 2");
    await activate(page, "Save version 4");
    await shows(page, "protocol.yaml · version 4");
    await shows(page, "Back");
  });

  test("an agent is tried: its author answers tools by hand and approves a refund", async (t) => {
    const end = { parts: [{ text: "The money is on its way." }] };
    server.provider.add(calls("get-order", "c1"), calls("refund", "c2"), end);
    const page = await openConsole(t, server, `/agents/${server.agentId}`);
    await tabTo(page, "TEXT");
    await page.type("Refund order 7");
    await shows(page, "waits for its result");
    await checkPage(page);
    await tabTo(page, "Result of get-order");
    await page.type('{"status":"lost"}');
    await activate(page, "Send the result");
    await shows(page, "Refund 7");
    await activate(page, "Approve");
    await tabTo(page, "Result of refund");
    await page.type("done");
    await activate(page, "Send the result");
    await shows(page, "The money is on its way.");
    await activate(page, "Sessions");
    await page.waitFor("document.querySelector('[role=table] a') !== null");
    await checkPage(page);
  });

  test("a first message that the trigger refuses stays in the form", async (t) => {
    const settings = { slug: "counter", name: "Counter", format: "interactive" };
    const counting = protocol.replace("  go:\n", "  go:\n    input:\n      COUNT: { type: integer }\n");
    const agentId = await server.client.field("agentId", 201, "POST", "/api/agents", {
      ...{ settings, protocol: counting, prompts: [] },
    });
    const page = await openConsole(t, server, `/agents/${agentId}`);
    await tabTo(page, "COUNT");
    await page.type("1.5");
    await page.waitFor("document.querySelector('[aria-invalid=true]') !== null");
    assert.equal(await page.evaluate("document.querySelector('[aria-invalid=true]').value"), "1.5");
  });

  test("a worker is run with its inputs, and shows its output", async (t) => {
    server.provider.add({ parts: [{ text: "Short." }] });
    const settings = { slug: "summarizer", name: "Summarizer", format: "worker" };
    const task = { name: "task", content: "Summarize {{TEXT}}" };
    const agentId = await server.client.field("agentId", 201, "POST", "/api/agents", {
      ...{ settings, protocol: workerProtocol, prompts: [task] },
    });
    const page = await openConsole(t, server, `/agents/${agentId}`);
    await tabTo(page, "LANGUAGE (optional)");
    await activate(page, "Run");
    await shows(page, "TEXT is required.");
    await tabTo(page, "TEXT");
    await page.type("A long story");
    await activate(page, "Run");
    await page.waitFor("document.querySelector('main').innerText.includes('Output')");
    assert.match(String(await page.evaluate("document.querySelector('main').innerText")), /"Short\."/);
    await checkPage(page);
  });

  test("a key without the permission agents reads a definition, and is offered no change", async (t) => {
    const key = await server.client.field("key", 201, "POST", "/api/admin/keys", {
      ...{ name: "reader", permissions: ["sessions"] },
    });
    const reader = { url: server.url, key: String(key) };
    const page = await openConsole(t, reader, `/agents/${server.agentId}/definition`);
    await shows(page, "read only");
    const shown = String(await page.evaluate("document.querySelector('main').innerText"));
    for (const name of ["Archive", "Add a prompt"]) assert.ok(!shown.includes(name), shown);
  });

  test("the page of an agent that muster apply manages says so", async (t) => {
    const settings = { slug: "managed", name: "Managed", format: "interactive" };
    const agentId = await server.client.field("agentId", 201, "POST", "/api/agents", {
      ...{ settings, protocol, prompts: [], managed: true },
    });
    const page = await openConsole(t, server, `/agents/${agentId}/definition`);
    await shows(page, "muster apply manages this agent");
  });

  test("a new agent from a template is listed, and archived by typing its slug", async (t) => {
    const page = await openConsole(t, server, "/agents");
    await shows(page, "Desk");
    await checkPage(page);
    await activate(page, "New agent");
    await tabTo(page, "Name");
    await checkPage(page);
    await page.type("Night desk");
    await page.waitFor("location.pathname.endsWith('/definition')");
    await activate(page, "Archive");
    await tabTo(page, "Type night-desk to confirm");
    await page.type("night-desk");
    await activate(page, "Archive");
    await page.waitFor("location.pathname === '/console/agents'");
    await page.waitFor("document.querySelector('[role=table]')?.innerText.includes('night-desk') === false");
  });
});
