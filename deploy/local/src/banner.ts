import { relative, resolve } from "node:path";

export interface BannerFacts {
  url: string;
  /** Given only by the start that made it up. */
  adminKey: string | undefined;
  /** A key preset by MUSTER_ADMIN_KEY. */
  presetKey: boolean;
  data: string;
  /** The example agent is there already: the first line looks it up instead of creating it. */
  hasExample: boolean;
  providers: ReadonlyArray<{ name: string; models?: string; baseUrl?: string }>;
}

const bundle = resolve(import.meta.dirname, "../../../examples/bundle.mjs");

/** What a person needs after the start: where it is, how to get in, what to try. */
export function banner(facts: BannerFacts): string {
  const providers = facts.providers.map(({ name, models, baseUrl }) =>
    `  ${(models ?? name).padEnd(14)} ${baseUrl ?? ""}`.trimEnd(),
  );
  return [
    "",
    `Muster is running at ${facts.url}   (API reference: ${facts.url}/docs)`,
    "",
    ...keyLines(facts),
    `Data:       ${facts.data}`,
    "Models:",
    ...providers,
    "  (set ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_API_KEY, XAI_API_KEY, OPENROUTER_API_KEY or LOCAL_BASE_URL for more)",
    "",
    "Try it (paste into another terminal):",
    ...curlLines(facts),
    "",
    "Stop with Ctrl-C.",
    "",
  ].join("\n");
}

function keyLines({ adminKey, presetKey }: BannerFacts): string[] {
  if (presetKey) return ["Admin key:  the one in MUSTER_ADMIN_KEY"];
  if (adminKey)
    return [
      `Admin key:  ${adminKey}`,
      "            Keep it: it is shown this once and stored only as a hash.",
      "",
    ];
  return [
    "Admin key:  shown by the first start (lost it? start once with MUSTER_ADMIN_KEY=svc_sk_… to set a new one)",
  ];
}

function curlLines({ url, adminKey, presetKey, hasExample }: BannerFacts): string[] {
  const key = adminKey ?? (presetKey ? "$MUSTER_ADMIN_KEY" : "svc_sk_…");
  const request = (path: string) =>
    `curl -s ${url}${path} -H "Authorization: Bearer $MUSTER_API_KEY" -H "Content-Type: application/json"`;
  const pick = (field: string) => `sed -n 's/.*"${field}":"\\([^"]*\\)".*/\\1/p'`;
  const script = relative(process.cwd(), bundle).startsWith("..") ? bundle : relative(process.cwd(), bundle);
  const agent = hasExample
    ? `AGENT_ID=$(${request("/api/agents/support-chat?by=slug")} | sed 's/^{"id":"\\([^"]*\\)".*/\\1/')`
    : `AGENT_ID=$(node ${script} support-chat | ${request("/api/agents")} -d @- | ${pick("agentId")})`;
  return [
    `  export MUSTER_API_KEY=${key}`,
    `  ${agent}`,
    `  SESSION_ID=$(${request("/api/agent-sessions")} -d '{"agentId":"'$AGENT_ID'"}' | ${pick("sessionId")})`,
    `  ${request("/api/agent-sessions/$SESSION_ID/trigger").replace("curl -s", "curl -sN")} -d '{"triggerName":"user-message","input":{"USER_MESSAGE":"Hello! Who are you?"}}'`,
  ];
}
