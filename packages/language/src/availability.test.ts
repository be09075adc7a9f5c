import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { compile, extended } from "../test/support/support-chat.ts";
import { threadKeysNotRunYet } from "./availability.ts";

const sections = `workers: { research: { description: x } }
mcpServers: { tracker: { description: x, source: remote } }
skills: { charts: }
resources: { PHOTO: { type: file } }
`;
const keys: Record<string, [value: string, none: string]> = {
  workers: ["[research]", "[]"],
  mcpServers: ["[tracker]", "[]"],
  skills: ["[charts]", "[]"],
  webSearch: ["true", "false"],
  imageModel: ["openai/x", "null"],
  contextManagement: ["{}", "null"],
  onDemandMcpServers: ["[remote]", "[]"],
  onDemandSkills: ["true", "false"],
  sandboxTimeout: ["1000", "null"],
  speechModel: ["openai/x", "null"],
  speechVoice: ["alloy", "null"],
  transcriptionModel: ["openai/x", "null"],
  videoModel: ["google/x", "null"],
  speed: ["fast", "standard"],
  maxImageDimension: ["1000", "null"],
  anthropic: ["{ tools: { web-search: } }", "null"],
  loopGuard: ["true", "false"],
  todoList: ["true", "false"],
};
/** Options of Anthropic need one of its models. */
const withKey = (key: string, value: string) =>
  extended({ sections, keys: `  ${key}: ${value}\n` }).replace("demo/echo", "anthropic/claude-sonnet-4-5");
const missing = (protocol: string) => {
  const { ok, issues } = compile({ protocol });
  assert.ok(ok);
  return issues.filter(({ code }) => code === "NOT_AVAILABLE").map(({ path }) => path);
};

test("only remote MCP servers are unavailable: the tools of the others come with the trigger", () => {
  const servers =
    "mcpServers: { page: { description: x, source: consumer }, mouse: { description: x, source: device } }\n";
  const keys = "  mcpServers: [page, mouse]\n  onDemandMcpServers: [device, consumer]\n";
  assert.deepEqual(missing(extended({ sections: servers, keys })), []);
});

describe("features that the engine does not run yet", () => {
  test("an unavailable feature is a warning only in a thread that asks for it", () => {
    for (const [key, [value, none]] of Object.entries(keys)) {
      const expected = Object.hasOwn(threadKeysNotRunYet, key) ? [`agent.${key}`] : [];
      assert.deepEqual(missing(withKey(key, value)), expected, key);
      assert.deepEqual(missing(withKey(key, none)), [], key);
    }
    for (const key of Object.keys(threadKeysNotRunYet)) assert.ok(Object.hasOwn(keys, key), key);
  });
});
