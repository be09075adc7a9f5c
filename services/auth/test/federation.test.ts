import assert from "node:assert/strict";
import { createHmac, createSecretKey } from "node:crypto";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { PrincipalSchema } from "@muster/proto/auth";
import { Reason, readRpcError } from "@muster/rpc";
import { createLogger, type Logger, silentLogger } from "@muster/service";
import { newSigningKey, serve, startIssuer, type TestIssuer, until } from "@muster/testing";
import { SignJWT } from "jose";
import { describe, type TestContext, test } from "vitest";
import { as, createWorld, startAuth, type World } from "./support/start-auth.ts";

type Client = Awaited<ReturnType<typeof startAuth>>["client"];

interface Setup {
  world: World;
  client: Client;
  issuer: TestIssuer;
  providerId: string;
  audience: string;
  /** A payload that is accepted. */
  claims: Record<string, unknown>;
}

const scope = { agent: { case: "agentId", value: "agt_1" } } as const;
const conditions = [{ claim: "repository", equals: ["acme/app"] }];

async function setUp(
  t: TestContext,
  changed: Record<string, unknown> = {},
  log: Logger = silentLogger,
): Promise<Setup> {
  const issuer = await startIssuer(t);
  const world = await createWorld(t);
  const { client } = await startAuth(t, world, undefined, { privateOrigins: [issuer.url], log });
  const request = { name: "CI", issuer: issuer.url, conditions, scope, ...changed };
  const { identityProvider } = await client.createIdentityProvider(request, as(world));
  assert.ok(identityProvider);
  const { id: providerId, audience } = identityProvider;
  const nowS = world.clock.now() / 1_000;
  const claims = {
    ...{ iss: issuer.url, aud: audience, sub: "repo:acme/app", repository: "acme/app" },
    ...{ iat: nowS, nbf: nowS, exp: nowS + 300 },
  };
  return { world, client, issuer, providerId, audience, claims };
}

const principalOf = async ({ client }: Setup, credential: string) =>
  (await client.authenticate({ credential })).principal;

async function assertRefused({ client }: Pick<Setup, "client">, credential: string): Promise<void> {
  const error = await client.authenticate({ credential }).then(
    () => assert.fail("The token was accepted"),
    (reason: unknown) => readRpcError(reason),
  );
  const message = "Send a valid API key or token as Authorization: Bearer <API_KEY>.";
  assert.deepEqual([error.reason, error.message], [Reason.UNAUTHENTICATED, message]);
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("a token of a registered identity provider", () => {
  test("is a principal that uses sessions of its agent until the token expires", async (t) => {
    const setup = await setUp(t);
    const principal = await principalOf(setup, await setup.issuer.sign(setup.claims));
    assert.ok(principal?.expiresAt);
    const { projectId, keyId, permissions, anyProject, agentId, sessionId, tokenId = "" } = principal;
    assert.deepEqual(
      { projectId, keyId, permissions, anyProject, agentId, sessionId },
      {
        projectId: "default",
        keyId: setup.providerId,
        permissions: ["sessions"],
        anyProject: false,
        agentId: "agt_1",
        sessionId: undefined,
      },
    );
    assert.match(tokenId, /^jwt_[0-9A-Za-z_-]{24}$/);
    assert.equal(timestampMs(principal.expiresAt), setup.world.clock.now() + 330_000);
  });

  test("may have times with fractions of a second", async (t) => {
    const setup = await setUp(t);
    const nowS = setup.world.clock.now() / 1_000;
    const times = { iat: nowS - 0.123_456_7, nbf: nowS - 0.1, exp: nowS + 299.123_456_7 };
    const principal = await principalOf(setup, await setup.issuer.sign({ ...setup.claims, ...times }));
    assert.ok(principal?.expiresAt);
    // The message between processes; one process passes it on unchanged.
    const sent = fromBinary(PrincipalSchema, toBinary(PrincipalSchema, principal));
    assert.ok(sent.expiresAt);
    assert.equal(timestampMs(sent.expiresAt), setup.world.clock.now() + 329_123);
  });

  test("has the same id as other tokens of its subject, and another than those of other subjects", async (t) => {
    const setup = await setUp(t);
    const idOf = async (changed: object) =>
      (await principalOf(setup, await setup.issuer.sign({ ...setup.claims, ...changed })))?.tokenId;
    const [first, again, other] = [await idOf({}), await idOf({ jti: "x" }), await idOf({ sub: "other" })];
    assert.equal(first, again);
    assert.notEqual(first, other);
  });

  for (const algorithm of ["RS256", "PS384", "ES256", "ES512", "EdDSA"]) {
    test(`may be signed with ${algorithm} if the provider allows it`, async (t) => {
      const setup = await setUp(t, { algorithms: [algorithm] });
      await setup.issuer.addKey(algorithm);
      assert.ok(await principalOf(setup, await setup.issuer.sign(setup.claims)));
      await setup.issuer.addKey(algorithm === "ES256" ? "RS256" : "ES256");
      await assertRefused(setup, await setup.issuer.sign(setup.claims));
    });
  }

  test("may name its only audience as a list", async (t) => {
    const setup = await setUp(t);
    assert.ok(await principalOf(setup, await setup.issuer.sign({ ...setup.claims, aud: [setup.audience] })));
  });
});

type Wrong = (setup: Setup) => Promise<string>;
const withClaims =
  (changed: (setup: Setup, nowS: number) => Record<string, unknown>): Wrong =>
  (setup) =>
    setup.issuer.sign({ ...setup.claims, ...changed(setup, setup.world.clock.now() / 1_000) });

/** Each differs from a token that is accepted in one way. */
const wrongTokens: Record<string, Wrong> = {
  "without a signature": async ({ claims }) => `${part({ alg: "none", kid: "key-1" })}.${part(claims)}.`,
  "with alg none and a signature": async ({ claims }) =>
    `${part({ alg: "none", kid: "key-1" })}.${part(claims)}.AAAA`,
  "with alg None": async ({ claims }) => `${part({ alg: "None", kid: "key-1" })}.${part(claims)}.AAAA`,
  "signed with the public key as a secret": async ({ issuer, claims }) => {
    const text = `${part({ alg: "HS256", kid: "key-1" })}.${part(claims)}`;
    const signature = createHmac("sha256", JSON.stringify(issuer.keys[0])).update(text).digest("base64url");
    return `${text}.${signature}`;
  },
  "signed with a secret": ({ claims }) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", kid: "key-1" })
      .sign(createSecretKey(Buffer.alloc(32, 1))),
  "signed with another key of the same id": async ({ issuer, claims }) =>
    issuer.sign(claims, { key: await newSigningKey("key-1") }),
  "signed with an unknown key": async ({ issuer, claims }) =>
    issuer.sign(claims, { key: await newSigningKey("key-9") }),
  "with its own key in the header": async ({ issuer, claims }) => {
    const key = await newSigningKey("key-1");
    return issuer.sign(claims, { key, header: { jwk: key.jwk } });
  },
  "with the address of its own keys in the header": async ({ issuer, claims }) =>
    issuer.sign(claims, { key: await newSigningKey("key-1"), header: { jku: `${issuer.url}/evil` } }),
  "without a kid": ({ issuer, claims }) => issuer.sign(claims, { header: { kid: undefined } as object }),
  "with an empty kid": ({ issuer, claims }) => issuer.sign(claims, { header: { kid: "" } }),
  "with a long kid": ({ issuer, claims }) => issuer.sign(claims, { header: { kid: "k".repeat(301) } }),
  "with an unknown critical header": ({ issuer, claims }) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", kid: "key-1", crit: ["x"], x: 1 })
      .sign(issuer.signingKey.privateKey, { crit: { x: true } }),
  "of another issuer": withClaims(() => ({ iss: "https://evil.example" })),
  "of the issuer with a slash": withClaims(({ issuer }) => ({ iss: `${issuer.url}/` })),
  "without an issuer": withClaims(() => ({ iss: undefined })),
  "with several issuers": withClaims(({ issuer }) => ({ iss: [issuer.url] })),
  "for another audience": withClaims(() => ({ aud: "https://api.example" })),
  "for an audience that nobody registered": withClaims(() => ({ aud: `muster:idp_${"0".repeat(30)}` })),
  "for several audiences": withClaims(({ audience }) => ({ aud: [audience, "https://other.example"] })),
  "for the same audience twice": withClaims(({ audience }) => ({ aud: [audience, audience] })),
  "for the audience with a space": withClaims(({ audience }) => ({ aud: `${audience} ` })),
  "without an audience": withClaims(() => ({ aud: undefined })),
  "that has expired": withClaims((_, nowS) => ({ iat: nowS - 300, exp: nowS - 30 })),
  "without an expiry": withClaims(() => ({ exp: undefined })),
  "with an expiry of text": withClaims((_, nowS) => ({ exp: String(nowS + 300) })),
  "that lives for ten years": withClaims((_, nowS) => ({ exp: nowS + 10 * 365 * 86_400 })),
  "that lives a second longer than allowed": withClaims((_, nowS) => ({ exp: nowS + 3_601 })),
  "with an expiry beyond all numbers": withClaims(() => ({ exp: 1e308 })),
  "from the future": withClaims((_, nowS) => ({ iat: nowS + 31, exp: nowS + 300 })),
  "without the time of its issue": withClaims(() => ({ iat: undefined })),
  "with a negative time of its issue": withClaims(() => ({ iat: -1 })),
  "that is not valid yet": withClaims((_, nowS) => ({ nbf: nowS + 31 })),
  "with a nbf of text": withClaims(() => ({ nbf: "0" })),
  "without a subject": withClaims(() => ({ sub: undefined })),
  "with an empty subject": withClaims(() => ({ sub: "" })),
  "with a subject of 1,001 characters": withClaims(() => ({ sub: "s".repeat(1_001) })),
  "without the claim of the condition": withClaims(() => ({ repository: undefined })),
  "with another value of the claim": withClaims(() => ({ repository: "acme/app2" })),
  "with an object as the claim": withClaims(() => ({ repository: { "acme/app": true } })),
  "of 9 KiB": withClaims(() => ({ filler: "x".repeat(9_000) })),
  "whose payload was changed": async ({ issuer, claims }) => {
    const [header, , signature] = (await issuer.sign(claims)).split(".");
    return `${header}.${part({ ...claims, sub: "admin" })}.${signature}`;
  },
  "whose payload is a list": async ({ issuer, claims }) => {
    const [header, , signature] = (await issuer.sign(claims)).split(".");
    return `${header}.${part([])}.${signature}`;
  },
  "whose payload is not JSON": async ({ issuer, claims }) => {
    const [header, , signature] = (await issuer.sign(claims)).split(".");
    return `${header}.AAAA.${signature}`;
  },
};

describe("a wrong token is refused like every other", () => {
  for (const [name, make] of Object.entries(wrongTokens)) {
    test(`a token ${name} is refused`, async (t) => {
      const setup = await setUp(t);
      assert.ok(await principalOf(setup, await setup.issuer.sign(setup.claims)), "the right one is accepted");
      setup.world.clock.advance(1_000);
      const { claims } = setup;
      const nowS = setup.world.clock.now() / 1_000;
      await assertRefused(setup, await make({ ...setup, claims: { ...claims, iat: nowS, exp: nowS + 300 } }));
    });
  }

  test("a token is accepted 29 s after it expires and before it begins, and refused after 30 s", async (t) => {
    const setup = await setUp(t);
    const nowS = setup.world.clock.now() / 1_000;
    const accepted = [
      { iat: nowS - 300, nbf: nowS - 300, exp: nowS - 29 },
      { iat: nowS + 29, nbf: nowS + 29, exp: nowS + 300 },
    ];
    for (const times of accepted)
      assert.ok(await principalOf(setup, await setup.issuer.sign({ ...setup.claims, ...times })));
    await assertRefused(setup, await setup.issuer.sign({ ...setup.claims, ...accepted[0], exp: nowS - 30 }));
  });

  test("a token that its claims rule out causes no request to the issuer, and neither does one of an unknown issuer", async (t) => {
    const setup = await setUp(t);
    const names = Object.keys(wrongTokens).filter(
      (name) => !/key|critical header|payload was changed/.test(name),
    );
    assert.ok(names.length > 25);
    for (const name of names) await assertRefused(setup, (await wrongTokens[name]?.(setup)) ?? "");
    assert.deepEqual(setup.issuer.requests, []);
  });
});

describe("the agent and the session of a token", () => {
  const fromClaims = {
    agent: { case: "agentClaim", value: "agent" },
    session: { case: "sessionClaim", value: "constructor" },
  };

  test("are read from its claims if the provider says so", async (t) => {
    const setup = await setUp(t, { scope: fromClaims });
    const claims = { ...setup.claims, agent: "agt_2", constructor: "ses_2" };
    const principal = await principalOf(setup, await setup.issuer.sign(claims));
    assert.deepEqual([principal?.agentId, principal?.sessionId], ["agt_2", "ses_2"]);
  });

  test("must be there: a token without one of the claims, or with something that is not an id, is refused", async (t) => {
    const setup = await setUp(t, { scope: fromClaims });
    for (const changed of [
      { agent: "agt_2" },
      { constructor: "ses_2" },
      { agent: "agt_2", constructor: "" },
      { agent: "agt 2", constructor: "ses_2" },
      { agent: ["agt_2"], constructor: "ses_2" },
      { agent: "agt_2", constructor: "s".repeat(101) },
    ]) {
      const { repository, ...claims } = setup.claims;
      await assertRefused(setup, await setup.issuer.sign({ ...claims, repository, ...changed }));
    }
  });

  test("come with the subject that a claim names; a token without a usable one is refused", async (t) => {
    const setup = await setUp(t, { scope: { ...scope, subjectClaim: "email" } });
    const ada = { ...setup.claims, email: "ada@example.com" };
    assert.equal((await principalOf(setup, await setup.issuer.sign(ada)))?.subject, "ada@example.com");
    for (const email of [undefined, "", 7, "e".repeat(257)])
      await assertRefused(setup, await setup.issuer.sign({ ...setup.claims, email }));
    const plain = await setUp(t);
    assert.equal((await principalOf(plain, await plain.issuer.sign(plain.claims)))?.subject, undefined);
  });

  test("can be fixed", async (t) => {
    const fixed = { ...scope, session: { case: "sessionId", value: "ses_1" } };
    const setup = await setUp(t, { scope: fixed });
    const claims = { ...setup.claims, agent: "agt_2", agentId: "agt_2", sessionId: "ses_2" };
    const principal = await principalOf(setup, await setup.issuer.sign(claims));
    assert.deepEqual([principal?.agentId, principal?.sessionId], ["agt_1", "ses_1"]);
  });
});

describe("conditions", () => {
  test("must all be true; of a list one element is enough, and numbers and booleans compare as JSON", async (t) => {
    const setup = await setUp(t, {
      conditions: [
        { claim: "ref", startsWith: "refs/heads/" },
        { claim: "groups", equals: ["ops", "dev"] },
        { claim: "email_verified", equals: ["true"] },
        { claim: "level", equals: ["3"] },
        { claim: "__proto__", equals: ["x"] },
      ],
    });
    const good = { ref: "refs/heads/main", groups: ["all", "dev"], email_verified: true, level: 3 };
    const sign = (claims: object) => {
      const payload = JSON.stringify({ ...setup.claims, ...claims }).replace(/\}$/, ',"__proto__":"x"}');
      return setup.issuer.sign(JSON.parse(payload));
    };
    assert.ok(await principalOf(setup, await sign(good)));
    for (const bad of [
      { ref: "refs/tags/v1" },
      { ref: undefined },
      { groups: ["all"] },
      { groups: [] },
      { groups: [["dev"]] },
      { email_verified: "yes" },
      { email_verified: false },
      { level: 33 },
      { level: null },
    ])
      await assertRefused(setup, await sign({ ...good, ...bad }));
    await assertRefused(setup, await setup.issuer.sign({ ...setup.claims, ...good }));
  });
});

describe("the keys of an issuer", () => {
  const fetches = ({ issuer }: Setup) => issuer.requests.filter((path) => path === "/keys").length;

  test("are fetched once for many tokens at once, and not again while they are fresh", async (t) => {
    const setup = await setUp(t);
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, index) => setup.issuer.sign({ ...setup.claims, jti: String(index) })),
    );
    await Promise.all(tokens.map((token) => principalOf(setup, token)));
    setup.world.clock.advance(60_000);
    assert.ok(await principalOf(setup, tokens[0] ?? ""));
    assert.deepEqual(setup.issuer.requests, ["/.well-known/openid-configuration", "/keys"]);
  });

  test("are found without discovery at an address that the provider names", async (t) => {
    const issuer = await startIssuer(t);
    const jwksUri = `${issuer.url}/elsewhere`;
    const world = await createWorld(t);
    const { client } = await startAuth(t, world, undefined, { privateOrigins: [issuer.url] });
    const request = { name: "CI", issuer: "kubernetes/serviceaccount", jwksUri, conditions, scope };
    const { identityProvider } = await client.createIdentityProvider(request, as(world));
    const nowS = world.clock.now() / 1_000;
    const token = await issuer.sign({
      ...{ iss: "kubernetes/serviceaccount", aud: identityProvider?.audience, sub: "s", iat: nowS },
      ...{ exp: nowS + 60, repository: "acme/app" },
    });
    assert.ok((await client.authenticate({ credential: token })).principal);
    assert.deepEqual(issuer.requests, ["/elsewhere"]);
  });

  test("are fetched again for a new key, after the cool-down", async (t) => {
    const setup = await setUp(t);
    assert.ok(await principalOf(setup, await setup.issuer.sign(setup.claims)));
    await setup.issuer.addKey();
    const token = await setup.issuer.sign(setup.claims);
    await assertRefused(setup, token);
    setup.world.clock.advance(30_000);
    assert.ok(await principalOf(setup, token));
    assert.equal(fetches(setup), 2);
  });

  test("are not fetched per token with an invented key id", async (t) => {
    const setup = await setUp(t);
    for (let index = 0; index < 20; index++) {
      const header = { kid: `invented-${index}` };
      await assertRefused(setup, await setup.issuer.sign(setup.claims, { header }));
    }
    assert.equal(fetches(setup), 1);
  });

  test("are not fetched per token from an issuer that fails", async (t) => {
    const setup = await setUp(t);
    setup.issuer.answer = (_request, response) => response.writeHead(500).end();
    const token = await setup.issuer.sign(setup.claims);
    for (let index = 0; index < 20; index++) await assertRefused(setup, token);
    assert.equal(setup.issuer.requests.length, 1);
    setup.issuer.answer = undefined;
    setup.world.clock.advance(30_000);
    assert.ok(await principalOf(setup, token));
  });

  test("keep working for a day while the issuer fails, and no longer", async (t) => {
    const setup = await setUp(t, { maxLifetimeSeconds: 86_400 });
    const { clock } = setup.world;
    const sign = () => {
      const nowS = clock.now() / 1_000;
      return setup.issuer.sign({ ...setup.claims, iat: nowS, nbf: nowS, exp: nowS + 300 });
    };
    assert.ok(await principalOf(setup, await sign()));
    setup.issuer.answer = (_request, response) => response.writeHead(500).end();
    for (const afterMs of [11 * 60_000, 60 * 60_000, 22 * 60 * 60_000]) {
      clock.advance(afterMs);
      assert.ok(await principalOf(setup, await sign()));
    }
    clock.advance(60 * 60_000);
    await assertRefused(setup, await sign());
  });

  test("no longer count when the issuer has removed them and an hour has passed", async (t) => {
    const setup = await setUp(t);
    assert.ok(await principalOf(setup, await setup.issuer.sign(setup.claims)));
    setup.issuer.keys = [];
    setup.world.clock.advance(60 * 60_000);
    const nowS = setup.world.clock.now() / 1_000;
    await assertRefused(
      setup,
      await setup.issuer.sign({ ...setup.claims, iat: nowS, nbf: nowS, exp: nowS + 60 }),
    );
  });

  test("are refreshed in the background after ten minutes, so that no request waits", async (t) => {
    const setup = await setUp(t);
    assert.ok(await principalOf(setup, await setup.issuer.sign(setup.claims)));
    setup.world.clock.advance(10 * 60_000);
    setup.issuer.answer = () => undefined;
    const nowS = setup.world.clock.now() / 1_000;
    const token = await setup.issuer.sign({ ...setup.claims, iat: nowS, nbf: nowS, exp: nowS + 60 });
    assert.ok(await principalOf(setup, token));
    await until(() => setup.issuer.requests.length === 3);
  });

  const big = `{"keys":[${'{"kty":"EC","kid":"x"},'.repeat(10)}`;
  const bad: Record<string, (issuer: TestIssuer) => TestIssuer["answer"]> = {
    "200 MB": () => (_request, response) => {
      const write = () => {
        while (!response.destroyed && response.write(" ".repeat(65_536)));
        if (!response.destroyed) response.once("drain", write);
      };
      response.on("error", () => undefined).write(big);
      write();
    },
    "a length of 200 MB": () => (_request, response) => {
      response.writeHead(200, { "content-length": "200000000" }).flushHeaders();
    },
    "51 keys": (issuer) => (_request, response) => {
      response.end(JSON.stringify({ keys: Array.from({ length: 51 }, () => issuer.keys[0]) }));
    },
    "the same key twice": (issuer) => (_request, response) => {
      response.end(JSON.stringify({ keys: [issuer.keys[0], issuer.keys[0]] }));
    },
    "no list": () => (_request, response) => response.end('{"keys":{"length":1}}'),
    "a list instead of an object": () => (_request, response) => response.end("[]"),
    HTML: () => (_request, response) => response.end("<html>"),
    "a redirect to a private address": () => (_request, response) => {
      response.writeHead(302, { location: "https://169.254.169.254/keys" }).end();
    },
    "status 404": () => (_request, response) => response.writeHead(404).end('{"keys":[]}'),
  };
  for (const [name, answer] of Object.entries(bad)) {
    test(`an issuer that answers with ${name} has no keys`, async (t) => {
      const setup = await setUp(t);
      const jwksUri = `${setup.issuer.url}/keys`;
      await setup.client.updateIdentityProvider({ id: setup.providerId, jwksUri }, as(setup.world));
      setup.issuer.answer = answer(setup.issuer);
      await assertRefused(setup, await setup.issuer.sign(setup.claims));
      assert.equal(setup.issuer.requests.length, 1);
    });
  }

  test("a redirect to another server of the private network never reaches it", async (t) => {
    let reached = 0;
    const other = await serve(t, (_request, response) => {
      reached++;
      response.end("{}");
    });
    const setup = await setUp(t);
    setup.issuer.answer = (_request, response) =>
      response.writeHead(302, { location: `${other}/keys` }).end();
    await assertRefused(setup, await setup.issuer.sign(setup.claims));
    assert.equal(reached, 0);
  });

  test("a discovery document of another issuer, or with a private address of the keys, is not used", async (t) => {
    for (const documentOf of [
      (url: string) => ({ issuer: "https://other.example", jwks_uri: `${url}/keys` }),
      (url: string) => ({ issuer: `${url}/`, jwks_uri: `${url}/keys` }),
      (url: string) => ({ issuer: url, jwks_uri: "http://127.0.0.1:1/keys" }),
      (url: string) => ({ issuer: url, jwks_uri: 7 }),
      (url: string) => ({ issuer: url }),
    ]) {
      const setup = await setUp(t);
      const { url, keys } = setup.issuer;
      setup.issuer.answer = (request, response) =>
        response.end(JSON.stringify(request.url === "/keys" ? { keys } : documentOf(url)));
      await assertRefused(setup, await setup.issuer.sign(setup.claims));
      assert.equal(setup.issuer.requests.length, 1);
    }
  });

  test("that are private, symmetric, for encryption or too large are not used", async (t) => {
    const setup = await setUp(t);
    const key = await setup.issuer.addKey("RS256");
    const { n = "", ...rest } = key.jwk;
    const token = await setup.issuer.sign(setup.claims);
    for (const jwk of [
      { ...key.jwk, d: "AQAB" },
      { kty: "oct", k: n, kid: key.kid },
      { ...key.jwk, use: "enc" },
      { ...rest, n: "q".repeat(1_367) },
      { ...key.jwk, e: n },
      { ...key.jwk, kid: 2 },
      "key",
      null,
    ]) {
      setup.world.clock.advance(30_000);
      setup.issuer.keys = [jwk as object];
      await assertRefused(setup, token);
    }
    setup.world.clock.advance(30_000);
    setup.issuer.keys = [key.jwk];
    assert.ok(await principalOf(setup, token));
  });
});

describe("without FEDERATION_PRIVATE_ORIGINS", () => {
  test("an issuer on loopback is refused when it is registered", async (t) => {
    const issuer = await startIssuer(t);
    const world = await createWorld(t);
    const { client } = await startAuth(t, world);
    for (const url of [
      issuer.url,
      "https://127.0.0.1/",
      "https://[::1]",
      "http://idp.example",
      "https://10.0.0.1",
    ]) {
      const error = await client
        .createIdentityProvider({ name: "CI", issuer: url, conditions, scope }, as(world))
        .catch(readRpcError);
      assert.ok("reason" in error && error.reason === Reason.INVALID_REQUEST, url);
    }
  });
});

describe("an identity provider that is registered", () => {
  const ends: Record<string, (setup: Setup) => Promise<unknown>> = {
    deleted: ({ client, world, providerId: id }) => client.deleteIdentityProvider({ id }, as(world)),
    changed: ({ client, world, providerId: id }) =>
      client.updateIdentityProvider({ id, conditions: [{ claim: "sub", equals: ["x"] }] }, as(world)),
  };
  for (const [name, end] of Object.entries(ends)) {
    test(`and ${name} while a token waits for the issuer's keys, refuses that token`, async (t) => {
      const setup = await setUp(t);
      const asked = Promise.withResolvers<() => void>();
      setup.issuer.answer = (request, response) => {
        if (request.url !== "/keys") {
          const { url } = setup.issuer;
          return response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }));
        }
        return asked.resolve(() => response.end(JSON.stringify({ keys: setup.issuer.keys })));
      };
      const checking = assertRefused(setup, await setup.issuer.sign(setup.claims));
      const answer = await asked.promise;
      await end(setup);
      answer();
      await checking;
    });
  }

  test("is announced with an event, unless only its name has changed", async (t) => {
    const { world, client, providerId: id } = await setUp(t);
    const announced: string[] = [];
    await world.bus.subscribe(
      "auth.identity-provider-changed",
      { broadcast: true },
      async ({ providerId }) => {
        announced.push(providerId);
      },
    );
    await client.updateIdentityProvider({ id, name: "Other" }, as(world));
    await client.updateIdentityProvider({ id }, as(world));
    await client.updateIdentityProvider({ id, maxLifetimeSeconds: 60 }, as(world));
    await client.deleteIdentityProvider({ id }, as(world));
    await until(() => announced.length === 2);
    await client.deleteIdentityProvider({ id }, as(world));
    assert.deepEqual(announced, [id, id]);
  });

  test("is not created by a key that was deleted meanwhile, and not changed by one either", async (t) => {
    const { world, client, issuer, providerId: id } = await setUp(t);
    const { apiKey } = await client.createApiKey({ name: "k", permissions: ["admin"] }, as(world));
    assert.ok(apiKey);
    const caller = as(world, { keyId: apiKey.id, anyProject: false });
    await client.deleteApiKey({ id: apiKey.id }, as(world));
    const request = { name: "CI", issuer: issuer.url, conditions, scope };
    for (const call of [
      () => client.createIdentityProvider(request, caller),
      () => client.updateIdentityProvider({ id, name: "x" }, caller),
    ]) {
      const error = await call().then(() => assert.fail("It was accepted"), readRpcError);
      assert.equal(error.reason, Reason.UNAUTHENTICATED);
    }
    const { identityProviders } = await client.listIdentityProviders({}, as(world));
    assert.deepEqual(
      identityProviders.map(({ name }) => name),
      ["CI"],
    );
  });
});

test("the log has the reason of a refusal, once a minute, and never the token or its subject", async (t) => {
  const lines: string[] = [];
  const log = createLogger({
    name: "auth",
    level: "info",
    destination: { write: (line) => lines.push(line) },
  });
  const setup = await setUp(t, {}, log);
  const token = await setup.issuer.sign({ ...setup.claims, repository: "evil/app" });
  const logged = () => lines.filter((line) => line.includes("condition not fulfilled"));
  for (let times = 0; times < 3; times++) await assertRefused(setup, token);
  assert.equal(logged().length, 1);
  setup.world.clock.advance(60_001);
  await assertRefused(setup, token);
  assert.equal(logged().length, 2);
  assert.ok(!/eyJ|repo:acme|evil/.test(lines.join("")), lines.join(""));
});
