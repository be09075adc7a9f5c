import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { newCredential } from "@muster/service/credentials";
import { describe, test } from "vitest";
import { loginCookie, loginOf, requireSite } from "./login-cookie.ts";

type Sent = Parameters<typeof loginOf>[0];

const secret = newCredential("login", randomBytes);
const publicUrl = "https://muster.example.com";
const own = { "x-muster-login": "1" };
const atHome = { protocol: "http", host: "localhost:8080", ip: "127.0.0.1" } as const;
const overHttps = { ...atHome, protocol: "https", host: "muster.example.com", ip: "192.0.2.1" } as const;

/** A request as Fastify shows it, behind the proxies that it trusts. */
function request(headers: Sent["headers"], place: Pick<Sent, "host" | "ip" | "protocol"> = atHome): Sent {
  const socket: Pick<Sent["socket"], "remoteAddress"> = { remoteAddress: "127.0.0.1" };
  return { headers, ...place, socket: Object.assign(Object.create(null), socket) };
}

const local = `muster-login=${secret}`;
const secure = `__Host-muster-login=${secret}`;
const unauthenticated = { code: "UNAUTHENTICATED" };
const forbidden = { code: "FORBIDDEN" };

describe("where a browser can log in", () => {
  test("plain http works at the names of this machine, for clients on it or at the port of a container, and nowhere else", () => {
    for (const host of ["localhost", "localhost:8080", "127.0.0.1:8080", "127.1.2.3", "[::1]:8080"])
      for (const ip of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "172.17.0.1", "fd00::1"])
        assert.equal(requireSite(request({}, { ...atHome, host, ip }), undefined).isSecure, false, host);
    for (const host of [
      "muster",
      "muster.example.com",
      "127.0.0.1.example.com",
      "localhost.example.com",
      "10.0.0.1",
    ])
      assert.throws(() => requireSite(request({}, { ...atHome, host }), undefined), forbidden, host);
    for (const host of ["", "a b", "128.0.0.1", "[::2]"])
      assert.throws(() => requireSite(request({}, { ...atHome, host }), undefined), forbidden, host);
    for (const ip of ["192.0.2.1", "::2", "2001:db8::1"])
      assert.throws(() => requireSite(request({}, { ...atHome, ip }), undefined), forbidden, ip);
  });

  test("a refusal over plain http names the remedy", () => {
    assert.throws(() => requireSite(request({}, { ...atHome, host: "muster" }), "http://muster"), {
      ...forbidden,
      message: /localhost.*https and set PUBLIC_URL .* docs\/console\.md/,
    });
  });

  test("https is that of the request, or of PUBLIC_URL if a proxy ends it", () => {
    assert.deepEqual(requireSite(request({}, overHttps), undefined), { origin: publicUrl, isSecure: true });
    const behind = { ...atHome, host: "10.0.0.7:8080", ip: "10.0.0.1" };
    for (const place of [behind, atHome])
      assert.deepEqual(requireSite(request({}, place), `${publicUrl}/muster`), {
        origin: publicUrl,
        isSecure: true,
      });
  });

  test("a page of another origin cannot log in", () => {
    const from = (headers: Sent["headers"]) => () => requireSite(request(headers, overHttps), undefined);
    assert.equal(from({ origin: publicUrl, "sec-fetch-site": "same-origin" })().isSecure, true);
    for (const origin of ["null", "http://muster.example.com", "https://example.com", `${publicUrl}:8443`])
      assert.throws(from({ origin }), forbidden, origin);
    for (const site of ["same-site", "cross-site", "none"])
      assert.throws(from({ "sec-fetch-site": site }), forbidden, site);
  });
});

describe("the cookie that a browser gets", () => {
  test("the cookie is for this host alone and for no script, and Secure with its prefix over https", () => {
    const isSecure = true;
    assert.equal(
      loginCookie({ origin: publicUrl, isSecure }, secret),
      `${secure}; Path=/; Secure; HttpOnly; SameSite=Strict`,
    );
    assert.equal(
      loginCookie({ origin: "http://localhost", isSecure: false }, secret),
      `${local}; Path=/; HttpOnly; SameSite=Strict`,
    );
    assert.equal(
      loginCookie({ origin: publicUrl, isSecure }, undefined),
      "__Host-muster-login=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0",
    );
  });
});

describe("the login of a request", () => {
  test("the cookie is found among others", () => {
    for (const cookie of [
      local,
      `a=b; ${local}`,
      `${local};c=d`,
      `xmuster-login=1; ${local}; muster-login2=x`,
    ])
      assert.equal(loginOf(request({ ...own, cookie }), undefined), secret, cookie);
  });

  test("a request without the cookie, with two of them or with a malformed one has no login", () => {
    const key = newCredential("key", randomBytes);
    for (const cookie of [
      undefined,
      "",
      "a=b",
      `${local}; ${local}`,
      `muster-login=; ${local}`,
      "muster-login",
      "muster-login=",
      `muster-login="${secret}"`,
      `MUSTER-LOGIN=${secret}`,
      `${local.slice(0, -1)}${secret.endsWith("0") ? "1" : "0"}`,
      `muster-login=${key}`,
    ])
      assert.equal(
        loginOf(request({ ...own, ...(cookie !== undefined && { cookie }) }), undefined),
        undefined,
      );
  });

  test("over https only the cookie with the prefix counts, over plain http only the one without", () => {
    assert.equal(loginOf(request({ ...own, cookie: secure }, overHttps), undefined), secret);
    assert.equal(loginOf(request({ ...own, cookie: local }, overHttps), undefined), undefined);
    assert.equal(loginOf(request({ ...own, cookie: `${secure}; ${local}` }, overHttps), undefined), secret);
    assert.equal(loginOf(request({ ...own, cookie: secure }), undefined), undefined);
    assert.equal(loginOf(request({ ...own, cookie: local }), publicUrl), undefined);
    assert.equal(loginOf(request({ ...own, cookie: secure }), publicUrl), secret);
  });

  test("where browsers cannot log in, no cookie counts", () => {
    const place = { ...atHome, host: "muster", ip: "192.0.2.1" };
    assert.equal(loginOf(request({ ...own, cookie: `${local}; ${secure}` }, place), undefined), undefined);
  });

  test("the cookie needs the header that no form and no page of another origin can send, and the error names it", () => {
    for (const value of [undefined, "", "0", "1, 1"]) {
      const headers = { cookie: local, ...(value !== undefined && { "x-muster-login": value }) };
      assert.throws(() => loginOf(request(headers), undefined), {
        ...unauthenticated,
        message: /X-Muster-Login: 1/,
      });
    }
  });

  test("the cookie counts only for pages of the server's own origin", () => {
    const headers = { ...own, cookie: local };
    const from = (more: Sent["headers"]) => () => loginOf(request({ ...headers, ...more }), undefined);
    assert.equal(from({ origin: "http://localhost:8080", "sec-fetch-site": "same-origin" })(), secret);
    for (const origin of ["null", "http://localhost", "http://localhost:3000", "https://localhost:8080"])
      assert.throws(from({ origin }), unauthenticated, origin);
    for (const site of ["same-site", "cross-site", "none"])
      assert.throws(from({ origin: "http://localhost:8080", "sec-fetch-site": site }), unauthenticated, site);
  });
});
