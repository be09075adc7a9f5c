import { providers as allProviders, switchVariable } from "@muster/models";

export interface BannerFacts {
  url: string;
  /** The user has the repository, whose command and examples the first steps use. */
  isInRepository: boolean;
  /** Set only by the start that generated it. */
  adminKey: string | undefined;
  /** A key preset by MUSTER_ADMIN_KEY. */
  presetKey: boolean;
  data: string;
  providers: ReadonlyArray<{ name: string; models?: string; baseUrl?: string }>;
}

const variables = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** The text that helps a user after the start: the address, the key, the first steps. */
export function banner(facts: BannerFacts): string {
  const providers = facts.providers.map(({ name, models, baseUrl }) =>
    `  ${(models ?? name).padEnd(14)} ${baseUrl ?? ""}`.trimEnd(),
  );
  return [
    "",
    `Muster is running at ${facts.url}   (API reference: ${facts.url}/docs)`,
    "",
    `Console:    ${facts.url}/console`,
    ...keyLines(facts),
    `Data:       ${facts.data}`,
    "Models:",
    ...providers,
    `  (set ${variables.format(allProviders.map(switchVariable))} for more)`,
    "",
    ...firstLines(facts),
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
      "            Keep it: it is shown only once and stored only as a hash.",
      "",
    ];
  return [
    "Admin key:  shown by the first start (lost it? start once with MUSTER_ADMIN_KEY=svc_sk_… to set a new one)",
  ];
}

function firstLines({ url, isInRepository, adminKey, presetKey }: BannerFacts): string[] {
  const key = adminKey ?? (presetKey ? "$MUSTER_ADMIN_KEY" : "svc_sk_…");
  const settings = `  export MUSTER_URL=${url} MUSTER_API_KEY=${key}`;
  if (!isInRepository)
    return [
      "Try it (paste into another terminal; npm install --global @muster/cli installs the command):",
      settings,
      "  muster doctor",
      "  muster agents new shop-help",
      "  muster agents push shop-help --yes",
      '  muster chat shop-help --message "Hello! Who are you?"',
    ];
  return [
    "Try it (paste into another terminal, in the folder of Muster):",
    settings,
    "  npx muster doctor",
    "  npx muster agents push examples/support-chat --yes",
    '  npx muster chat support-chat --message "Hello! Who are you?"',
  ];
}
