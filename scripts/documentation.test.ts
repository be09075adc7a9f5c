import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const pages = globSync("{*.md,bench/*.md,docs/**/*.md,{packages,services,deploy,examples}/*/README.md}", {
  cwd: root,
});
const read = (page: string) => readFileSync(join(root, page), "utf8");

/** Folders that a path in backticks can begin with. Files that only exist after a run are not checked. */
const folders = ["bench", "deploy", "docs", "examples", "packages", "proto", "scripts", "services"];
const pathPattern = new RegExp(`^(?:${folders.join("|")})/[\\w./<>{},*-]*[\\w>}*]$`);
const generated = ["coverage", "packages/cli/dist", "packages/client/dist", "packages/react/dist"];

/** The paths in backticks, with braces and placeholders such as <name> as glob patterns. */
function namedPaths(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, path = ""]) => path);
  return quoted.filter(
    (path) => pathPattern.test(path) && !generated.some((prefix) => path.startsWith(prefix)),
  );
}

/** A placeholder matches any name, so at least one such file has to exist. */
function exists(path: string): boolean {
  const pattern = path.replace(/<[^>]+>/g, "*");
  return globSync(pattern, { cwd: root }).length > 0;
}

const withoutCode = (text: string) => text.replace(/^```.*?^```/gms, "");

function linksOf(text: string): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return links.filter((target) => !/^(?:[a-z]+:|#)/.test(target) && !target.includes("/commit/"));
}

/** The anchors that a page's headings get. */
function anchorsOf(page: string): Set<string> {
  const headings = [...withoutCode(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title);
  return new Set(
    headings.map((title) =>
      title
        .toLowerCase()
        .replace(/[^\w\s-]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
}

describe("the documentation", () => {
  test("the pages of the documentation are found", () => {
    for (const page of ["README.md", "docs/recipes.md", "docs/decisions/README.md", "packages/rpc/README.md"])
      assert.ok(pages.includes(page), page);
  });

  for (const page of pages) {
    test(`every path that ${page} names exists`, () => {
      const missing = namedPaths(read(page)).filter((path) => !exists(path));
      assert.deepEqual(missing, []);
    });

    test(`every link of ${page} leads to an existing file`, () => {
      const targets = linksOf(read(page)).map((target) => target.split("#")[0] ?? "");
      const missing = targets.filter((target) => !existsSync(join(root, dirname(page), target)));
      assert.deepEqual(missing, []);
    });

    test(`every link of ${page} to a heading finds it`, () => {
      const missing = linksOf(read(page)).filter((link) => {
        const [target = "", anchor] = link.split("#");
        if (anchor === undefined || !target.endsWith(".md")) return false;
        return !anchorsOf(join(dirname(page), target)).has(anchor);
      });
      assert.deepEqual(missing, []);
    });
  }

  test("the pages of a user's first hour lead to the console", () => {
    const [, firstSteps = ""] = read("README.md").split(/^## First steps$|^## From a laptop/m);
    const pages = ["tutorial", "how-to", "running", "workforce", "approvals", "logs"];
    const texts = [firstSteps, ...pages.map((page) => read(`docs/${page}.md`))];
    for (const text of texts)
      assert.ok(
        linksOf(text).some((link) => /\bconsole\.md/.test(link)),
        text.slice(0, 80),
      );
  });

  test("the architecture page names every package and service", () => {
    const page = read("docs/architecture.md");
    const folders = globSync(["packages/*/package.json", "services/*/package.json"], { cwd: root });
    const missing = folders.map(dirname).filter((folder) => !page.includes(folder));
    assert.deepEqual(missing, []);
  });

  test("the index of the decisions lists every decision", () => {
    const listed = linksOf(read("docs/decisions/README.md"));
    const written = globSync("*.md", { cwd: join(root, "docs/decisions") });
    assert.deepEqual(listed.toSorted(), written.filter((page) => page !== "README.md").toSorted());
  });
});
