import assert from "node:assert/strict";
import { test } from "vitest";
import {
  compile,
  edited,
  errorsIn,
  extended,
  type Finding,
  programOf,
} from "../../test/support/support-chat.ts";

const sections = `
workers:
  research: { description: Looks things up, display: stream, title: Research, tools: { find-user: get-account } }
mcpServers:
  issue-tracker: { description: Issues, source: remote, connection: eager }
  browser: { description: The user's browser, source: device, title: Browser }
skills:
  charts: { description: Draws charts, execution: device, title: Charts }
  plain:
capabilities:
  accounts: { description: Reads accounts, default: true, tools: [get-account], mcpServers: [browser], skills: [plain] }
`;
const keys = `  workers: [research, research]
  mcpServers: [issue-tracker]
  skills: [charts]
  references: [returns]
  loopGuard: true
  webSearch: true
  imageModel: openai/gpt-image-1
  todoList: true
  contextManagement: { summarizerWorker: research, thresholdPercent: 70 }
`;
const references = [{ name: "returns", description: "How goods are returned", content: "By post." }];
const program = () => programOf({ protocol: extended({ sections, keys }), references });

test("workers, MCP servers, skills, capabilities and references compile, with their defaults", () => {
  const { workers, mcpServers, skills, capabilities, references: compiled } = program();
  const tools = { "find-user": "get-account" };
  assert.deepEqual(workers, {
    research: {
      slug: "research",
      description: "Looks things up",
      display: "stream",
      title: "Research",
      tools,
    },
  });
  assert.deepEqual(mcpServers.browser, {
    namespace: "browser",
    description: "The user's browser",
    source: "device",
    display: "description",
    title: "Browser",
    connection: "lazy",
    execution: "sandbox",
  });
  assert.equal(mcpServers["issue-tracker"]?.connection, "eager");
  assert.deepEqual(skills, {
    charts: {
      slug: "charts",
      description: "Draws charts",
      display: "description",
      title: "Charts",
      execution: "device",
    },
    plain: { slug: "plain", display: "description", execution: "sandbox" },
  });
  assert.deepEqual(capabilities.accounts, {
    slug: "accounts",
    description: "Reads accounts",
    default: true,
    tools: ["get-account"],
    mcpServers: ["browser"],
    skills: ["plain"],
  });
  assert.deepEqual(compiled, { returns: references[0] });
});

test("a thread lists the tools, workers, servers, skills and references that it may use", () => {
  const { agent } = program();
  const { workers, mcpServers, skills, references: names, loopGuard, webSearch, todoList } = agent;
  assert.deepEqual(
    [workers, mcpServers, skills, names],
    [["research"], ["issue-tracker"], ["charts"], ["returns"]],
  );
  assert.ok(loopGuard && webSearch && todoList);
  assert.equal(agent.imageModel, "openai/gpt-image-1");
  assert.deepEqual(agent.contextManagement, {
    summarizerWorker: "research",
    thresholdPercent: 70,
    recentPercent: 20,
  });
});

test("a compilation lists the declared workers with their places", () => {
  const result = compile({ protocol: extended({ sections, keys }), references });
  assert.ok(result.ok);
  const [worker] = result.workers;
  assert.equal(worker?.slug, "research");
  assert.equal(worker.place.path, "workers.research");
  assert.match(
    extended({ sections, keys }).split("\n")[(worker.place.position?.line ?? 0) - 1] ?? "",
    /^ {2}research/,
  );
});

test("shares of the context window are percentages, as whole numbers or as fractions", () => {
  const shares = (written: string) => {
    const { agent } = programOf({ protocol: extended({ keys: `  contextManagement: { ${written} }\n` }) });
    return [agent.contextManagement?.thresholdPercent, agent.contextManagement?.recentPercent];
  };
  assert.deepEqual(shares("thresholdPercent: 0.57, recentPercent: 0.005"), [57, 0.5]);
  assert.deepEqual(shares("thresholdPercent: 57, recentPercent: 1"), [57, 1]);
  assert.deepEqual(shares("thresholdPercent: 1, recentPercent: 0"), [1, 0]);
  for (const wrong of ["0", "57.5", "101", "-0.5"]) {
    assert.deepEqual(
      errorsIn({ protocol: extended({ keys: `  contextManagement: { thresholdPercent: ${wrong} }\n` }) }),
      [["WRONG_TYPE", "agent.contextManagement.thresholdPercent"]],
      wrong,
    );
  }
});

test("a number of recent messages compiles with a warning, because a share of the window decides", () => {
  const { ok, issues } = compile({
    protocol: extended({ keys: "  contextManagement: { recentWindow: 30 }\n" }),
  });
  assert.ok(ok);
  assert.deepEqual(
    issues.map(({ code, path }) => [code, path]),
    [["NOT_AVAILABLE", "agent.contextManagement.recentWindow"]],
  );
});

test("a resource or a property without a type is unknown, which is pointed out", () => {
  const protocol = edited(
    ["  TICKET: { type: Ticket }\n", "  TICKET: { type: Ticket }\nresources: { NOTES: { default: 7 } }\n"],
    ["title: { type: string, description: What it is about }", "title: { description: What it is about }"],
  );
  const { issues } = compile({ protocol });
  assert.deepEqual(
    issues.flatMap(({ code, path }) => (code === "IMPLICIT_DEFAULT" ? path : [])),
    ["types.Ticket.title.type", "resources.NOTES.type"],
  );
  const { resources } = programOf({ protocol });
  assert.deepEqual(resources.NOTES?.type, { kind: "unknown" });
  assert.deepEqual([resources.NOTES.schema, resources.NOTES.default], [{}, 7]);
  const untyped = edited(["SUMMARY: { type: string }", "SUMMARY: { description: x }"]);
  assert.deepEqual(errorsIn({ protocol: untyped }), [["MISSING_FIELD", "variables.SUMMARY.type"]]);
});

test("the keys of a thread compile to typed fields", () => {
  const more = `  speed: fast
  maxImageDimension: 1568
  sandboxTimeout: 60000
  speechModel: elevenlabs/eleven_v3
  speechVoice: alloy
  onDemandMcpServers: [remote, remote]
  onDemandSkills: [device]
  anthropic: { tools: { web-search: , code-execution: { display: name } }, skills: { pdf: { type: anthropic, version: 20251013 } } }
`;
  const changed = extended({ keys: more }).replace("demo/echo", "anthropic/claude-sonnet-4-5");
  const { agent } = programOf({ protocol: changed });
  assert.deepEqual([agent.speed, agent.maxImageDimension, agent.sandboxTimeoutMs], ["fast", 1_568, 60_000]);
  assert.deepEqual([agent.speechModel, agent.speechVoice], ["elevenlabs/eleven_v3", "alloy"]);
  assert.deepEqual([agent.onDemandMcpServers, agent.onDemandSkills], [["remote"], ["device"]]);
  assert.deepEqual(agent.anthropic, {
    tools: { "web-search": { display: "description" }, "code-execution": { display: "name" } },
    skills: { pdf: { type: "anthropic", version: "20251013", display: "description" } },
  });
});

const wrong: Record<string, [sections: string, keys: string, ...findings: Finding[]]> = {
  "a namespace with an underscore": [
    "mcpServers: { issue__tracker: { description: x, source: remote } }\n",
    "",
    ["INVALID_NAME", "mcpServers.issue__tracker"],
  ],
  "the platform's namespace": [
    "mcpServers: { platform: { description: x, source: remote } }\n",
    "",
    ["RESERVED_NAME", "mcpServers.platform"],
  ],
  "an unknown source": [
    "mcpServers: { a: { description: x, source: local } }\n",
    "",
    ["WRONG_TYPE", "mcpServers.a.source"],
  ],
  "a worker's tool mapped to an unknown tool": [
    "workers: { research: { description: x, tools: { find: get-acount } } }\n",
    "",
    ["UNKNOWN_TOOL", "workers.research.tools.find"],
  ],
  "members of a capability that are not declared": [
    "capabilities: { a: { description: x, default: true, tools: [x], mcpServers: [x], skills: [x] } }\n",
    "",
    ["UNKNOWN_TOOL", "capabilities.a.tools.0"],
    ["UNKNOWN_MCP_SERVER", "capabilities.a.mcpServers.0"],
    ["UNKNOWN_SKILL", "capabilities.a.skills.0"],
  ],
  "a capability without a default": [
    "capabilities: { a: { description: x } }\n",
    "",
    ["MISSING_FIELD", "capabilities.a.default"],
  ],
  "a tool and a worker with the same name": [
    "workers: { get-account: { description: x } }\n",
    "  workers: [get-account]\n",
    ["DUPLICATE_KEY", "agent.workers.0"],
  ],
  "a summary by an unknown worker": [
    "",
    "  contextManagement: { summarizerWorker: sum }\n",
    ["UNKNOWN_WORKER", "agent.contextManagement.summarizerWorker"],
  ],
  "a recent share above the threshold": [
    "",
    "  contextManagement: { thresholdPercent: 20 }\n",
    ["WRONG_TYPE", "agent.contextManagement"],
  ],
  "a threshold of zero": [
    "",
    "  contextManagement: { thresholdPercent: 0 }\n",
    ["WRONG_TYPE", "agent.contextManagement.thresholdPercent"],
  ],
  "options of a provider for another one's model": [
    "",
    "  anthropic: { tools: { web-search: } }\n",
    ["PROVIDER_MISMATCH", "agent.anthropic"],
  ],
  "an unknown tool of a provider": [
    "",
    "  anthropic: { tools: { web-serch: } }\n",
    ["UNKNOWN_KEY", "agent.anthropic.tools.web-serch"],
    ["PROVIDER_MISMATCH", "agent.anthropic"],
  ],
  "a script that may run for longer than an hour": [
    "",
    "  sandboxTimeout: 3600001\n",
    ["WRONG_TYPE", "agent.sandboxTimeout"],
  ],
  "an unknown source of on-demand servers": [
    "onDemandMcpServers: { remot: { description: x } }\n",
    "  onDemandMcpServers: [remot]\n",
    ["UNKNOWN_KEY", "onDemandMcpServers.remot"],
    ["WRONG_TYPE", "agent.onDemandMcpServers.0"],
  ],
  "an image model named by a variable": [
    "",
    "  imageModel: COMPANY\n",
    ["INVALID_MODEL", "agent.imageModel"],
  ],
  "a limit of zero output tokens": ["", "  maxOutputTokens: 0\n", ["WRONG_TYPE", "agent.maxOutputTokens"]],
};
for (const [what, [extra, more, ...findings]] of Object.entries(wrong)) {
  test(`a definition is rejected for ${what}`, () => {
    assert.deepEqual(errorsIn({ protocol: extended({ sections: extra, keys: more }) }), findings);
  });
}

test("a setting rejects a variable whose type does not fit", () => {
  const settingsOf = (name: string, type: string) =>
    errorsIn({
      protocol: edited(
        ["variables:\n", `variables:\n  V: { type: '${type}' }\n`],
        ["  maxSteps: 5\n", ""],
        ["  temperature: off\n", ""],
        ["agentic: true\n", `agentic: true\n  ${name}: V\n`],
        ...(name === "backupModel" ? [["  backupModel: demo/other\n", ""] as const] : []),
      ),
    });
  for (const [name, right, wrongTypes] of [
    ["backupModel", ["string", "unknown"], ["integer", "file", "string[]", "Ticket"]],
    ["maxSteps", ["integer", "number", "unknown"], ["string", "boolean"]],
    ["temperature", ["number", "string", "integer"], ["boolean", "Ticket"]],
    ["thinking", ["string"], ["boolean", "number"]],
  ] as const) {
    for (const type of right) assert.deepEqual(settingsOf(name, type), [], `${name} ${type}`);
    for (const type of wrongTypes)
      assert.deepEqual(settingsOf(name, type), [["WRONG_TYPE", `agent.${name}`]], `${name} ${type}`);
  }
});
