import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { shipped } from "@muster/service/shipped";
import { Html, html, nothing } from "./html.ts";

/** A whole page, and the policy that allows exactly its own style and script. */
export interface Page {
  readonly text: string;
  readonly policy: string;
}

interface Parts {
  readonly title: string;
  /** More of the head. */
  readonly head?: Html;
  readonly body: Html;
  readonly script?: Asset;
  /** True if other pages may show it in a frame. */
  readonly mayBeFramed?: boolean;
}

interface Asset {
  readonly text: string;
  /** The hash as in a content security policy. */
  readonly hash: string;
}

/** A file that pages contain. */
export function readAsset(file: URL): Asset {
  const text = readFileSync(file, "utf8");
  return { text, hash: `'sha256-${createHash("sha256").update(text).digest("base64")}'` };
}

const style = readAsset(shipped("./page.css", import.meta.url));

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='6' fill='%231f2937'/%3E%3Cpath d='M12 9l12 7-12 7z' fill='%23fff'/%3E%3C/svg%3E";

/** The beginning of each page's head. */
export function headOf(title: string, icon: string): Html {
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}">
`;
}

export function documentOf({ title, head = nothing, body, script, mayBeFramed = false }: Parts): Page {
  const code = script === undefined ? nothing : new Html(`<script type="module">${script.text}</script>\n`);
  const { text } = html`<!doctype html>
<html lang="en">
<head>
${headOf(title, icon)}${head}<style>${new Html(style.text)}</style>
</head>
<body>
${body}
${code}</body>
</html>
`;
  return { text, policy: policyOf(script, mayBeFramed) };
}

function policyOf(script: Asset | undefined, mayBeFramed: boolean): string {
  return [
    "default-src 'none'",
    `style-src ${style.hash}`,
    `script-src ${script === undefined ? "'none'" : script.hash}`,
    "media-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${mayBeFramed ? "*" : "'none'"}`,
    "require-trusted-types-for 'script'",
  ].join("; ");
}

/** A page that keeps its address, which can contain a signature, to itself. */
export function pageHeaders(policy: string): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}
