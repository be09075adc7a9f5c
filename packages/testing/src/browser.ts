import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { record } from "./events.ts";
import type { TestScope } from "./scope.ts";
import { atEndOfFile } from "./suite-scope.ts";
import { until } from "./until.ts";

export interface Screen {
  width: number;
  height: number;
  scheme?: "light" | "dark";
  isMobile?: boolean;
}

/** A page in a headless Chromium, driven through the DevTools protocol. */
export class Page {
  /** Messages of the console and uncaught errors. */
  readonly problems: string[] = [];
  readonly #chromium: Chromium;
  #contextId: unknown;
  #sessionId = "";

  constructor(chromium: Chromium) {
    this.#chromium = chromium;
  }

  async open(url: string): Promise<void> {
    const { browserContextId } = await this.#call("Target.createBrowserContext", {});
    this.#contextId = browserContextId;
    const { targetId } = await this.#call("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await this.#call("Target.attachToTarget", { targetId, flatten: true });
    this.#sessionId = String(sessionId);
    this.#chromium.problems.set(this.#sessionId, this.problems);
    for (const domain of ["Runtime", "Log", "Page"]) await this.#call(`${domain}.enable`, {});
    await this.#call("Emulation.setDeviceMetricsOverride", {
      ...{ width: 900, height: 700, deviceScaleFactor: 1, mobile: false },
    });
    await this.go(url);
  }

  /** Removes the page with its cookies, storage and permissions. */
  async close(): Promise<void> {
    if (this.#contextId === undefined) return;
    await this.#chromium.call("Target.disposeBrowserContext", { browserContextId: this.#contextId });
  }

  async go(url: string): Promise<void> {
    await this.#call("Page.navigate", { url });
    await this.waitFor("document.readyState === 'complete' && location.href !== 'about:blank'");
  }

  /** Runs a program in each page that is opened from now on, before the page's own. */
  async before(source: string): Promise<void> {
    await this.#call("Page.addScriptToEvaluateOnNewDocument", { source });
  }

  /** The value of an expression in the page. */
  async evaluate(expression: string): Promise<unknown> {
    const options = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.#call("Runtime.evaluate", options);
    assert.equal(exceptionDetails, undefined, JSON.stringify(exceptionDetails));
    return record(result).value;
  }

  /** Waits until the expression is true. */
  async waitFor(expression: string): Promise<void> {
    await until(expression, async () => (await this.evaluate(expression)) === true);
  }

  /** Types into the element that has the focus. */
  async insert(text: string): Promise<void> {
    await this.#call("Input.insertText", { text });
  }

  /** Types into the element that has the focus, and presses Enter. */
  async type(text: string): Promise<void> {
    await this.insert(text);
    const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 };
    await this.#call("Input.dispatchKeyEvent", { type: "keyDown", text: "\r", ...key });
    await this.#call("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  }

  /** Presses a key, such as `Tab` or `Enter`, at the element that has the focus. */
  async press(key: string, code: number): Promise<void> {
    const pressed = { key, code: key, windowsVirtualKeyCode: code, ...(key === "Enter" && { text: "\r" }) };
    await this.#call("Input.dispatchKeyEvent", { type: "keyDown", ...pressed });
    await this.#call("Input.dispatchKeyEvent", { type: "keyUp", ...pressed });
  }

  /** Shows the page as another screen and other preferences of its user do. */
  async show({ width, height, scheme = "light", isMobile = false }: Screen): Promise<void> {
    const size = { width, height, deviceScaleFactor: 1, mobile: isMobile };
    await this.#call("Emulation.setDeviceMetricsOverride", size);
    const features = [{ name: "prefers-color-scheme", value: scheme }];
    await this.#call("Emulation.setEmulatedMedia", { features });
  }

  /** Permits pages to use something that browsers ask about, such as `clipboard-write`. */
  async permit(name: string): Promise<void> {
    await this.#call("Browser.setPermission", {
      ...{ permission: { name }, setting: "granted", browserContextId: this.#contextId },
    });
  }

  /** Everything that a screen reader announces. */
  async accessible(): Promise<Array<{ role: string; name: string }>> {
    const { nodes } = await this.#call("Accessibility.getFullAXTree", {});
    const shown = (Array.isArray(nodes) ? nodes : []).map(record).filter(({ ignored }) => ignored !== true);
    // Releases of Chromium differ in the space at the ends of a name.
    const textOf = (value: unknown) => (value === undefined ? "" : String(record(value).value ?? "").trim());
    return shown.map(({ role, name }) => ({ role: textOf(role), name: textOf(name) }));
  }

  /** The rules that axe finds violated, each with the elements. `options`: of `axe.run`. */
  async violations(options: object = {}): Promise<unknown> {
    if ((await this.evaluate("'axe' in window")) !== true) await this.evaluate(`${await axe()};0`);
    return this.evaluate(
      `axe.run(${JSON.stringify({ resultTypes: ["violations"], ...options })})
        .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`,
    );
  }

  /** `isWhole`: also the parts beyond the screen. */
  async screenshot({ isWhole = false } = {}): Promise<Buffer> {
    const options = { format: "png", captureBeyondViewport: isWhole };
    const { data } = await this.#call("Page.captureScreenshot", options);
    return Buffer.from(String(data), "base64");
  }

  #call(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    const session = this.#sessionId === "" ? {} : { sessionId: this.#sessionId };
    return this.#chromium.call(method, params, session);
  }
}

/** A rule checker for pages. Its readable edition is more than twice as long, for each page that compiles it. */
const axe = () => readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** A browser from a snap cannot write to most other folders. */
const profiles = process.platform === "linux" ? "/tmp" : tmpdir();

/** The Chromium that the tests of the current file share. */
let chromium: Promise<Chromium> | undefined;

/**
 * Opens a page without the cookies, storage and permissions of others, in a Chromium that the tests of a file share. Fails
 * with a sentence that says how to install it.
 */
export async function openPage(t: TestScope, url: string): Promise<Page> {
  chromium ??= startChromium();
  const page = new Page(await chromium);
  t.onTestFinished(() => page.close());
  await page.open(url);
  return page;
}

async function startChromium(): Promise<Chromium> {
  const program = process.env.CHROMIUM;
  assert.ok(program, "Chromium was not found: see the message of the setup, or set CHROMIUM to its path.");
  const profile = await mkdtemp(join(profiles, "muster-chromium-"));
  const started = new Chromium(program, profile);
  atEndOfFile(async () => {
    chromium = undefined;
    await started.end();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  return started;
}

/** A Chromium that ends with the process that drives it, because the pipes of its debugger close then. */
class Chromium {
  /** By the session of a page: where its messages and uncaught errors are collected. */
  readonly problems = new Map<unknown, string[]>();
  readonly #commands: Writable;
  readonly #closed: Promise<unknown>;
  /** Rejects when the browser has ended, with its last words. */
  readonly #failed: Promise<never>;
  readonly #waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  #calls = 0;
  #errors = "";

  constructor(program: string, profile: string) {
    const browser = spawn(
      program,
      [
        ...["--headless=new", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "--no-first-run"],
        ...["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions"],
        ...["--disable-background-networking", "--disable-component-update", "--disable-sync", "about:blank"],
      ],
      { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] },
    );
    const [, , errors, commands, replies] = browser.stdio;
    assert.ok(commands instanceof Writable && replies instanceof Readable && errors instanceof Readable);
    this.#commands = commands;
    errors.setEncoding("utf8").on("data", (text) => {
      this.#errors = (this.#errors + text).slice(-2_000);
    });
    let rest = "";
    replies.setEncoding("utf8").on("data", (text) => {
      const messages = `${rest}${text}`.split("\0");
      rest = messages.pop() ?? "";
      for (const message of messages) this.#received(record(JSON.parse(message)));
    });
    // A command to a browser that has ended fails with its last words instead.
    commands.on("error", () => {});
    this.#closed = once(browser, "close");
    this.#failed = this.#closed.then(() => assert.fail(`Chromium has ended: ${this.#errors}`));
    // Each command that waits reports it. At a regular end none does.
    this.#failed.catch(() => {});
  }

  call(
    method: string,
    params: object,
    session: { sessionId?: string } = {},
  ): Promise<Record<string, unknown>> {
    const id = ++this.#calls;
    const waiting = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set(id, waiting);
    this.#commands.write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    return Promise.race([waiting.promise, this.#failed]);
  }

  async end(): Promise<void> {
    this.#commands.destroy();
    await this.#closed;
  }

  #received({ id, result, error, method, params, sessionId }: Record<string, unknown>): void {
    if (method === "Runtime.exceptionThrown" || method === "Log.entryAdded") {
      this.problems.get(sessionId)?.push(JSON.stringify(params));
    }
    if (typeof id !== "number") return;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    const problem = JSON.stringify(error) ?? "";
    if (error === undefined) waiting?.resolve(record(result));
    // The page was left at that moment: an expression has no value, and `waitFor` asks the next page.
    else if (problem.includes("navigated or closed")) waiting?.resolve({ result: {} });
    else waiting?.reject(new Error(problem));
  }
}
