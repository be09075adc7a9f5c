import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { proxyFor } from "./proxy-for.ts";

const server = "https://muster.example.com";

describe("the proxy of the environment", () => {
  test("is that of the protocol, and a name in small letters comes first", () => {
    const env = { HTTPS_PROXY: "http://secure:1", HTTP_PROXY: "http://open:2/" };
    assert.equal(proxyFor(server, env)?.host, "secure:1");
    assert.equal(proxyFor("http://muster.lan", env)?.host, "open:2");
    assert.equal(proxyFor(server, { ...env, https_proxy: "small:3" })?.host, "small:3");
    assert.equal(proxyFor(server, { ...env, https_proxy: "" }), undefined);
    assert.equal(proxyFor(server, { HTTP_PROXY: "http://open:2" }), undefined);
  });

  test("is not used for this machine", () => {
    const env = { HTTPS_PROXY: "http://proxy:1", HTTP_PROXY: "http://proxy:1" };
    for (const url of [
      "http://localhost:3000",
      "http://127.0.0.1",
      "http://[::1]:3000",
      "https://a.localhost",
    ])
      assert.equal(proxyFor(url, env), undefined, url);
  });

  const cases: Array<[list: string, url: string, isDirect: boolean]> = [
    ["*", server, true],
    ["muster.example.com", server, true],
    ["MUSTER.example.com.", `${server}.`, false],
    ["other.com, example.com", server, true],
    ["other.com example.com", server, true],
    [".example.com", server, true],
    ["*.example.com", server, true],
    ["ample.com", server, false],
    ["com.", server, false],
    [" , .", server, false],
    ["muster.example.com:443", server, true],
    ["muster.example.com:8443", server, false],
    ["example.com:8443", `${server}:8443`, true],
    ["10.0.0.0/8", "https://10.1.2.3", true],
    ["10.0.0.0/8", "https://11.1.2.3", false],
    ["10.0.0.0/99,10.0.0.0/x", "https://10.1.2.3", false],
    ["10.1.2.3:443", "https://10.1.2.3", true],
    ["10.1.2.3:80", "https://10.1.2.3", false],
    ["fd00::/8", "https://[fd12::1]", true],
    ["[fd12::1]:443", "https://[fd12::1]", true],
    ["fd12::2", "https://[fd12::1]", false],
    ["0.0.0.0/0", "https://[fd12::1]", false],
  ];
  for (const [list, url, isDirect] of cases)
    test(`is ${isDirect ? "not used" : "used"} for ${url} with NO_PROXY=${list}`, () => {
      assert.equal(proxyFor(url, { HTTPS_PROXY: "http://proxy", NO_PROXY: list }) === undefined, isDirect);
    });

  test("is refused if it is not one that Muster speaks to, without its password", () => {
    for (const value of ["socks5://user:secret@proxy:1080", "http://user:secret@:x"])
      assert.throws(() => proxyFor(server, { HTTPS_PROXY: value }), {
        name: "ConnectError",
        message:
          /^HTTPS_PROXY must be the address of an HTTP proxy, such as http:\/\/proxy\.example\.com:3128\.$/,
      });
  });
});
