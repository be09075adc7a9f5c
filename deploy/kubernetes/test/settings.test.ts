import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, test } from "vitest";
import { environmentOf, type RenderedEnvironment } from "./support/environment.ts";
import { chart, render, type Values } from "./support/helm.ts";
import { namesRead, readConfig } from "./support/processes.ts";
import { isRecord, type Json } from "./support/records.ts";
import { type ComponentName, componentNames, componentsOf } from "./support/rendered.ts";
import { minimal, valueSets } from "./support/value-sets.ts";

/** Read by every process before its own settings. */
const general = ["LOG_LEVEL"];
/** Decided by the chart or by other values than those of `config`, or built into the image. Only root needs `SANDBOX_UIDS`. */
const ownSettings =
  /^(?:(?:[A-Z]+_)?(?:HOST|PORT)|[A-Z]+_ADDRESSES|DATA_DIR|FILES_DIRECTORY|MUSTER_DEPLOYMENT_ID|MUSTER_COMMIT_SHA|COMPUTER_RUNTIME|SANDBOX_(?:ROOT|UIDS|HOMES_DIRECTORY))$/;
const secrets =
  /^(?:CONSOLE_OIDC_CLIENT_SECRET|MUSTER_(?:PRINCIPAL_SECRET|ADMIN_KEY|SECRETS_KEY)|MONGODB_URI|NATS_URL|[A-Z]+_API_KEY)$/;

/** Valid values of the settings whose schema is a pattern. */
const samples: Readonly<Record<string, string>> = {
  BANDWIDTH_FEE_PER_1M: "0.05",
  CONSOLE_OIDC_CLIENT_ID: "muster",
  CONSOLE_OIDC_GRANTS: '[{"claim":"groups","contains":"ops","projectId":"default","permissions":["admin"]}]',
  CONSOLE_OIDC_ISSUER: "https://login.example.com/realms/main",
  CONSOLE_OIDC_SCOPES: "openid groups",
  CORS_ORIGINS: "https://app.example.com, http://localhost:5173",
  FILES_MEDIA_TYPES: "text/csv, application/xml",
  FEDERATION_PRIVATE_ORIGINS: "https://idp.corp.internal,http://10.0.0.7:8080",
  MCP_ALLOWED_HOSTS: "mcp.corp.internal, .tools.internal,10.0.0.7",
  MUSTER_DATABASE_PREFIX: "muster-2",
  PUBLIC_URL: "https://muster.example.com/base",
  SANDBOX_ALLOWED_HOSTS: "example.com, *.example.org",
  TOOL_ALLOWED_HOSTS: "orders.corp.internal",
  WEBHOOK_ALLOWED_HOSTS: ".corp.internal",
  TRUSTED_PROXIES: "10.0.0.0/8,fd00::/8",
};

const configSchema = readConfigSchema();

function readConfigSchema(): Record<string, Json> {
  const schema: unknown = JSON.parse(readFileSync(join(chart, "values.schema.json"), "utf8"));
  let properties = schema;
  for (const key of ["properties", "config", "properties"])
    properties = isRecord(properties) ? properties[key] : undefined;
  assert.ok(isRecord(properties));
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      assert.ok(isRecord(property));
      return [name, property];
    }),
  );
}

/** A valid value of each setting of `config`. */
function filledConfig(): Values {
  const entries = Object.entries(configSchema).map(([name, { minimum, enum: choices }]) => {
    const url = name.endsWith("_BASE_URL") ? "https://models.example.com/v1" : undefined;
    return [name, samples[name] ?? url ?? minimum ?? (Array.isArray(choices) ? choices[0] : undefined)];
  });
  return Object.fromEntries(entries);
}

async function environments(values: Values): Promise<Map<ComponentName, RenderedEnvironment>> {
  const manifests = await render(values);
  return new Map(
    componentsOf(manifests).map((component) => [component.name, environmentOf(manifests, component)]),
  );
}

for (const [name, values] of Object.entries(valueSets)) {
  test(`every process accepts the environment that the values ${name} give it, and nothing in it is unknown to it`, async () => {
    const page = readFileSync(resolve(import.meta.dirname, "../../../docs/configuration.md"), "utf8");
    for (const [component, env] of await environments(values)) {
      const read = namesRead(component, env);
      const extra = ["HTTPS_PROXY", "UV_THREADPOOL_SIZE"];
      const unknown = Object.keys(env).filter(
        (variable) => ![...read, ...general, ...extra].includes(variable),
      );
      assert.deepEqual(unknown, [], component);
      const undocumented = read.filter((variable) => !page.includes(`\`${variable}\``));
      assert.deepEqual(undocumented, [], component);
    }
  });
}

describe("the settings in config", () => {
  const filled = filledConfig();
  let rendered: Map<ComponentName, RenderedEnvironment>;
  beforeAll(async () => {
    rendered = await environments({
      ...minimal,
      secrets: {
        principalSecret: "0123456789abcdef0123456789abcdef",
        adminKey: "svc_sk_0123456789abcdef0123456789abcdef",
        secretsKey: "0123456789abcdef".repeat(4),
        oidcClientSecret: "a-secret",
      },
      config: filled,
    });
  });

  for (const component of componentNames) {
    test(`${component} gets each setting of config that its process reads, unchanged, and no other`, () => {
      const env = rendered.get(component) ?? {};
      const settings = namesRead(component, env).filter(
        (name) => !ownSettings.test(name) && !secrets.test(name),
      );
      const expected = Object.fromEntries(
        [...settings, "LOG_LEVEL"].map((name) => [
          name,
          name in filled ? String(filled[name]) : "not in config",
        ]),
      );
      const given = Object.entries(env).filter(
        ([name]) => !ownSettings.test(name) && !secrets.test(name) && name !== "METRICS_PORT",
      );
      assert.deepEqual(Object.fromEntries(given), expected, "see `settings` in templates/_components.tpl");
    });
  }

  for (const [name, { minimum, maximum, enum: choices }] of Object.entries(configSchema)) {
    if (name === "LOG_LEVEL") continue;
    test(`config.${name} has exactly the bounds of the process that reads it`, () => {
      const readers = componentNames.filter((component) => name in (rendered.get(component) ?? {}));
      assert.ok(readers.length > 0, "no process reads it");
      for (const component of readers) {
        const read = (value: unknown) =>
          readConfig[component]({ ...rendered.get(component), [name]: String(value) });
        if (typeof minimum === "number" && typeof maximum === "number") {
          for (const value of [minimum, maximum]) assert.doesNotThrow(() => read(value), `${value}`);
          for (const value of [minimum - 1, maximum + 1]) assert.throws(() => read(value), `${value}`);
        } else if (Array.isArray(choices)) {
          for (const value of choices) assert.doesNotThrow(() => read(value), `${value}`);
          assert.throws(() => read("something else"));
        } else {
          assert.doesNotThrow(() => read(filled[name]));
          if (name !== "MUSTER_DATABASE_PREFIX") assert.throws(() => read("not a value!"));
          else assert.throws(() => read("not/a/prefix"));
        }
      }
    });
  }

  test("a large number keeps its digits", async () => {
    const manifests = await environments({
      ...minimal,
      config: { MODEL_FILES_MEMORY_BYTES: 12_345_678_901 },
      sessions: { resources: { limits: { memory: "32Gi" } } },
    });
    assert.equal(manifests.get("sessions")?.MODEL_FILES_MEMORY_BYTES, "12345678901");
  });

  test("every setting of docs/configuration.md for separate processes can be set", () => {
    const missing = componentNames.flatMap((component) =>
      namesRead(component, rendered.get(component) ?? {}).filter(
        (name) => !(name in configSchema) && !ownSettings.test(name) && !secrets.test(name),
      ),
    );
    assert.deepEqual(
      missing,
      [],
      "add these to config in values.schema.json and to templates/_components.tpl",
    );
  });
});
