import { Muster } from "@muster/client";
import { TestClient } from "@muster/testing";
import { pushAgents } from "./push-agents.ts";
import type { Platform } from "./start-platform.ts";
import type { tasks } from "./stories/tasks.ts";

type Prebuilt = keyof typeof tasks;

export interface Teammate {
  agentId: string;
  prebuilt: Prebuilt;
}

export interface Installation {
  /** With the bootstrap key. */
  admin: TestClient;
  /** With a key for the sessions of customers, one for colleagues, and one that approves and directs hired agents. */
  storefront: Muster;
  backOffice: Muster;
  operations: Muster;
  definitions: Muster;
  lou: Teammate;
  mika: Teammate;
  sam: Teammate;
  /** The webhook whose receiver is down for a day. */
  webhookId: string;
  /** The address of a hook, with its secret. */
  alerts: { url: string; secret: string };
}

const hookSecret = "sample-secret-of-the-alerts-0001";

/** Does everything that an administrator does on the first day. `receiver`: the origin of the webhooks. */
export async function setUp({ url, key }: Platform, receiver: string): Promise<Installation> {
  const admin = new TestClient(url, key);
  const withKey = (apiKey: string) => new Muster({ baseUrl: url, apiKey });
  const newKey = async (name: string, permissions: readonly string[], monthlyUsd: number) =>
    withKey(
      await admin.field("key", 201, "POST", "/api/admin/keys", { name, permissions, limits: { monthlyUsd } }),
    );
  await admin.json(200, "PATCH", "/api/admin/projects/default", {
    name: "Lantern & Co",
    limits: { monthlyUsd: 20, perSubject: { monthlyUsd: 1 }, workforceMonthlyUsd: 5 },
  });
  const storefront = await newKey("Storefront", ["sessions", "mint-tokens"], 4);
  const backOffice = await newKey("Back office", ["sessions", "agents"], 5);
  const operations = await newKey("Operations", ["approve", "workforce", "sessions"], 3);
  const definitions = withKey(key);
  await pushAgents(definitions);
  const hire = async (name: string, prebuilt: Prebuilt, model: string, monthlyUsd: number) => ({
    prebuilt,
    agentId: await admin.field("agentId", 201, "POST", "/api/admin/workforce/agents", {
      ...{ name, prebuilt, settings: { model }, limits: { monthlyUsd } },
    }),
  });
  const lou = await hire("Lou", "log-analyst", "anthropic/claude-sonnet-4-5", 2);
  const mika = await hire("Mika", "data-wrangler", "openai/gpt-5.1", 1);
  const sam = await hire("Sam", "site-checker", "openai/gpt-5-mini", 0.5);
  await admin.json(201, "POST", "/api/admin/mcp-servers", {
    ...{ slug: "issue-tracker", url: "https://mcp.example.com/mcp", tools: ["get_*", "create_comment"] },
    auth: { type: "bearer", token: "sample-token" },
  });
  const webhookId = await admin.field("id", 201, "POST", "/api/admin/webhooks", {
    ...{
      url: `${receiver}/agents`,
      slug: "shop-chat",
      description: "The shop's chat shows the work of agents.",
    },
    events: ["thread.completed", "thread.failed", "thread.cancelled", "approval.requested"],
  });
  await admin.json(201, "POST", "/api/admin/webhooks", {
    ...{
      url: `${receiver}/old-dashboard`,
      slug: "old-dashboard",
      description: "A dashboard that no longer exists.",
    },
    events: ["thread.completed"],
  });
  const hooksOf = ({ agentId }: Teammate) => `/api/admin/workforce/agents/${agentId}/hooks`;
  const alertsPath = await admin.field("url", 201, "POST", hooksOf(lou), {
    ...{ name: "Alerts", verify: { type: "bearer", secret: hookSecret } },
    filter: { properties: { severity: { enum: ["warning", "critical"] } }, required: ["host"] },
    message: "An alert of {{HOST}}: {{PROBLEM}}. Say what to look at first.",
  });
  await admin.json(201, "POST", hooksOf(sam), {
    ...{ name: "Published pages", verify: { type: "github", secret: "sample-secret-of-the-repository" } },
    message: "Check the pages of {{HEAD_COMMIT_ID}}: {{HEAD_COMMIT_MESSAGE}}",
  });
  return {
    ...{ admin, storefront, backOffice, operations, definitions, lou, mika, sam, webhookId },
    alerts: { url: url + alertsPath, secret: hookSecret },
  };
}
