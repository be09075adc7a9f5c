import assert from "node:assert/strict";
import { ConfigError } from "@muster/service";
import { test } from "vitest";
import { readOidcSettings } from "./read-oidc-settings.ts";

const grant = { claim: "groups", contains: "support", projectId: "default", permissions: ["sessions"] };
const env = {
  CONSOLE_OIDC_ISSUER: "https://login.example.com/realms/main",
  CONSOLE_OIDC_CLIENT_ID: "muster",
  CONSOLE_OIDC_CLIENT_SECRET: "a-secret",
  CONSOLE_OIDC_GRANTS: JSON.stringify([grant, { ...grant, contains: undefined, equals: "x" }]),
};

test("the settings of the identity provider are read, and absent without an issuer", () => {
  const { issuer, scopes, grants } = readOidcSettings(env) ?? {};
  assert.deepEqual([issuer?.href, scopes], [env.CONSOLE_OIDC_ISSUER, "openid email profile"]);
  const { contains, ...others } = grant;
  assert.deepEqual(grants, [
    { ...others, test: "contains", value: contains },
    { ...others, test: "equals", value: "x" },
  ]);
  assert.equal(readOidcSettings({ ...env, CONSOLE_OIDC_ISSUER: "" }), undefined);
});

const grantsWith = (changed: object) => JSON.stringify([{ ...grant, ...changed }]);
const wrong: Array<[variable: keyof typeof env | "CONSOLE_OIDC_SCOPES", value: string]> = [
  ["CONSOLE_OIDC_ISSUER", "login.example.com"],
  ["CONSOLE_OIDC_ISSUER", "https://login.example.com/?a=b"],
  ["CONSOLE_OIDC_CLIENT_ID", ""],
  ["CONSOLE_OIDC_CLIENT_ID", "a b"],
  ["CONSOLE_OIDC_CLIENT_SECRET", ""],
  ["CONSOLE_OIDC_SCOPES", "email"],
  ["CONSOLE_OIDC_GRANTS", ""],
  ["CONSOLE_OIDC_GRANTS", "["],
  ["CONSOLE_OIDC_GRANTS", "[]"],
  ["CONSOLE_OIDC_GRANTS", "[7]"],
  ["CONSOLE_OIDC_GRANTS", grantsWith({ equals: "x" })],
  ["CONSOLE_OIDC_GRANTS", grantsWith({ contains: 7 })],
  ["CONSOLE_OIDC_GRANTS", grantsWith({ claim: "" })],
  ["CONSOLE_OIDC_GRANTS", grantsWith({ projectId: undefined })],
  ["CONSOLE_OIDC_GRANTS", grantsWith({ project: "default" })],
  ["CONSOLE_OIDC_GRANTS", grantsWith({ permissions: [] })],
  ["CONSOLE_OIDC_GRANTS", grantsWith({ permissions: ["sessions", "everything"] })],
];
for (const [variable, value] of wrong) {
  test(`the setting ${variable}=${value} is refused with the variable's name`, () => {
    assert.throws(
      () => readOidcSettings({ ...env, [variable]: value }),
      (error) => error instanceof ConfigError && error.variable === variable,
    );
  });
}
