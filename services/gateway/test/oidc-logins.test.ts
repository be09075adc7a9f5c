import assert from "node:assert/strict";
import { type TestScope, until } from "@muster/testing";
import { describe, test } from "vitest";
import type { OidcGrant } from "../src/auth/read-oidc-settings.ts";
import { createBrowser } from "./support/browser-cookies.ts";
import { type LoginProvider, startLoginProvider } from "./support/login-provider.ts";
import { type Edge, startEdge } from "./support/start-edge.ts";

const support: OidcGrant = {
  ...{ claim: "groups", test: "contains", value: "support", projectId: "default" },
  permissions: ["sessions", "approve"],
};
const ada: OidcGrant = {
  ...{ claim: "email", test: "equals", value: "ada@example.com", projectId: "default" },
  permissions: ["agents"],
};

interface World {
  edge: Edge;
  provider: LoginProvider;
  browser: ReturnType<typeof createBrowser>;
}

async function start(t: TestScope, grants: readonly OidcGrant[] = [support, ada]): Promise<World> {
  const provider = await startLoginProvider(t, grants);
  const edge = await startEdge(t, {}, { port: provider.port, oidc: provider.settings });
  return { edge, provider, browser: createBrowser() };
}

const begin = (edge: Edge, to = "/console/sessions/ses_1?tab=log") =>
  `${edge.url}/api/logins/oidc?to=${encodeURIComponent(to)}`;

/** Where the browser is in the end. */
const logIn = ({ edge, browser }: World, to?: string) =>
  browser.follow(begin(edge, to), `${edge.url}/console`);

/** The address to which the provider sends the browser. */
const callbackIn = ({ edge, browser }: World) =>
  browser.follow(begin(edge), `${edge.url}/api/logins/oidc/callback`);

const use = ({ edge, browser }: World, path = "/api/credential") =>
  edge.call("GET", path, {
    key: null,
    headers: { cookie: browser.cookies(edge.url), "x-muster-login": "1" },
  });

const resultOf = (address: string) => new URL(address).searchParams.get("login");

describe("a login with an identity provider", () => {
  test("a user has the permissions of all grants that match, arrives at the page that was wanted, and nothing else is kept", async (t) => {
    const world = await start(t);
    const end = await logIn(world);
    assert.equal(end, `${world.edge.url}/console/sessions/ses_1?tab=log`);
    assert.match(world.browser.cookies(world.edge.url), /^muster-login=svc_log_\w+$/);
    const { status, json } = await use(world);
    assert.equal(status, 200);
    assert.deepEqual(json.permissions, ["sessions", "agents", "approve"]);
    assert.deepEqual([json.projectId, json.anyProject], ["default", false]);
    assert.equal((await use(world, "/api/admin/keys")).status, 403);
    assert.equal((await use(world, "/api/agents")).status, 200);
  });

  test("a user has one key, with the permissions of the latest login, and deleting it ends the logins", async (t) => {
    const world = await start(t);
    await logIn(world);
    const { json: first } = await use(world);
    world.provider.claims = { ...world.provider.claims, groups: [] };
    const again = { ...world, browser: createBrowser() };
    await logIn(again);
    const { json: second } = await use(again);
    assert.deepEqual([second.keyId, second.permissions], [first.keyId, ["agents"]]);
    assert.notEqual(second.loginId, first.loginId);
    const { json } = await world.edge.call("GET", "/api/admin/keys");
    const own = json.keys.find(({ id }: { id: string }) => id === first.keyId);
    assert.equal(own.name, "ada@example.com");
    assert.equal((await world.edge.call("DELETE", `/api/admin/keys/${first.keyId}`)).status, 200);
    await until(async () => (await use(again)).status === 401);
    await logIn(again);
    assert.equal((await use(again)).status, 200);
    assert.equal((await use(world)).status, 401);
  });

  test("an address that the provider has not verified grants nothing", async (t) => {
    const world = await start(t, [ada]);
    world.provider.claims = { ...world.provider.claims, email_verified: false };
    assert.equal(resultOf(await logIn(world)), "no-grant");
  });

  test("the way of logging in is public, and absent without a provider", async (t) => {
    const { edge, provider } = await start(t);
    const ways = await edge.call("GET", "/api/logins/ways", { key: null });
    assert.deepEqual(ways.json, { apiKey: true, oidc: { name: provider.settings.issuer.host } });
    const other = await edge.startGateway({});
    const without = await other.call("GET", "/api/logins/ways", { key: null });
    assert.deepEqual(without.json, { apiKey: true, oidc: null });
    assert.equal((await fetch(`${other.url}/api/logins/oidc`, { redirect: "manual" })).status, 404);
  });
});

describe("the refusals of a login with an identity provider", () => {
  const refusals: Record<string, (world: World) => unknown> = {
    "no-grant": ({ provider }) => {
      provider.claims = { sub: "user-8", groups: ["sales"] };
    },
    denied: ({ provider }) => {
      provider.does = "refuse";
    },
    unreachable: ({ provider }) => {
      provider.isDown = true;
    },
  };
  for (const [code, arrange] of Object.entries(refusals))
    test(`the console learns that a login is refused as ${code}, at the page that was wanted`, async (t) => {
      const world = await start(t);
      await arrange(world);
      const end = await logIn(world);
      assert.equal(end, `${world.edge.url}/console/sessions/ses_1?tab=log&login=${code}`);
      assert.equal((await use(world)).status, 401);
      assert.equal(world.browser.cookies(world.edge.url), "");
    });

  test("a provider that was down is asked again with the next login", async (t) => {
    const world = await start(t);
    world.provider.isDown = true;
    assert.equal(resultOf(await logIn(world)), "unreachable");
    world.provider.isDown = false;
    assert.equal(resultOf(await logIn(world)), null);
  });

  test("a grant for a project that does not exist is reported as such", async (t) => {
    const world = await start(t, [{ ...support, projectId: "prj_none" }]);
    assert.equal(resultOf(await logIn(world)), "no-project");
  });

  test("a callback counts only in the browser that began, only with its state, and only once", async (t) => {
    const world = await start(t);
    const callback = await callbackIn(world);
    const kept = world.browser.cookies(world.edge.url);
    const send = async (address: string, cookie: string) => {
      const response = await fetch(address, { redirect: "manual", headers: { cookie } });
      const cookies = response.headers.getSetCookie().join();
      return [
        resultOf(new URL(response.headers.get("location") ?? "", address).href),
        /=svc_log_/.test(cookies),
      ];
    };
    const wrong = callback.replace(/state=[^&]+/, "state=wrong");
    assert.deepEqual(await send(callback, ""), ["expired", false]);
    assert.deepEqual(await send(callback, "muster-login-attempt=abc"), ["expired", false]);
    assert.deepEqual(await send(wrong, kept), ["expired", false]);
    assert.deepEqual(await send(callback, kept), [null, true]);
    assert.deepEqual(await send(callback, kept), ["expired", false]);
  });

  test("a login leads only to pages of the console", async (t) => {
    const world = await start(t);
    const foreign = [
      "https://evil.example/console",
      "//evil.example/console",
      "/console/../api",
      "/consolex",
    ];
    for (const to of [...foreign, "\\\\evil.example", "javascript:alert(1)"])
      assert.equal(await logIn({ ...world, browser: createBrowser() }, to), `${world.edge.url}/console`, to);
  });
});
