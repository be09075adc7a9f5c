// An MCP server with the issues of a repository: node examples/github-triage/server.mjs
// With GITHUB_REPOSITORY (owner/name) and GITHUB_TOKEN those of GitHub, otherwise those of issues.json.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";

const { GITHUB_REPOSITORY, GITHUB_TOKEN, PORT = "4200" } = process.env;

async function github(method, path, body) {
  const response = await fetch(`https://api.github.com/repos/${GITHUB_REPOSITORY}/issues${path}`, {
    method,
    headers: { authorization: `Bearer ${GITHUB_TOKEN}`, accept: "application/vnd.github+json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`GitHub answered with HTTP ${response.status}.`);
  return response.json();
}

const stored = JSON.parse(readFileSync(new URL("issues.json", import.meta.url), "utf8"));
function find(number) {
  const issue = stored.find((each) => each.number === number);
  if (issue === undefined) throw new Error(`Issue ${number} does not exist.`);
  return issue;
}

const short = ({ number, title, body, labels }) => ({
  number,
  title,
  body,
  labels: labels.map((label) => label.name ?? label),
});
const source = GITHUB_REPOSITORY
  ? {
      list: async () =>
        (await github("GET", "?state=open")).filter(({ pull_request }) => !pull_request).map(short),
      label: (number, label) => github("POST", `/${number}/labels`, { labels: [label] }),
      close: (number) => github("PATCH", `/${number}`, { state: "closed", state_reason: "not_planned" }),
    }
  : {
      list: async () => stored.filter(({ isClosed }) => !isClosed).map(short),
      label: async (number, label) => void find(number).labels.push(label),
      close: async (number) => Object.assign(find(number), { isClosed: true }),
    };

const number = { type: "integer", description: "The number of the issue" };
const input = (properties) =>
  fromJsonSchema({ type: "object", properties, required: Object.keys(properties) });
const text = (value) => ({ content: [{ type: "text", text: value }] });

function createIssueServer() {
  const server = new McpServer({ name: "github-triage", version: "1.0.0" });
  const reads = { readOnlyHint: true };
  server.registerTool(
    "list_issues",
    { description: "Lists the open issues.", annotations: reads },
    async () => text(JSON.stringify(await source.list())),
  );
  const label = { type: "string", description: "bug, feature or question" };
  const labelling = { description: "Labels an issue.", inputSchema: input({ number, label }) };
  server.registerTool(
    "label_issue",
    { ...labelling, annotations: { idempotentHint: true } },
    async (args) => {
      await source.label(args.number, args.label);
      console.log(`Labelled ${args.number} as ${args.label}.`);
      return text("Labelled.");
    },
  );
  const closing = { description: "Closes an issue that is spam.", inputSchema: input({ number }) };
  server.registerTool("close_issue", closing, async (args) => {
    await source.close(args.number);
    console.log(`Closed ${args.number}.`);
    return text("Closed.");
  });
  return server;
}

createServer(toNodeHandler(createMcpHandler(createIssueServer)))
  .listen(Number(PORT), "127.0.0.1")
  .on("listening", function () {
    console.log(`MCP server at http://127.0.0.1:${this.address().port}/mcp`);
  });
