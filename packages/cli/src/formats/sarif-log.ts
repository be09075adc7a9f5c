import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { Log, ReportingDescriptor, Result } from "sarif";
import type { Finding } from "../definition/findings.ts";
import { ruleHelp, ruleTitle } from "./rules.ts";

const levels = { error: "error", warning: "warning", info: "note" } as const;
const base = "SRCROOT";

/** The findings as SARIF 2.1.0. Files are relative to `root`, an absolute path. */
export function sarifLog(findings: readonly Finding[], root: string, version: string): Log {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "muster", semanticVersion: version, rules: codes.map(ruleOf) } },
        originalUriBaseIds: { [base]: { uri: pathToFileURL(`${root}/`).href } },
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => resultOf(finding, codes.indexOf(finding.code))),
      },
    ],
  };
}

function ruleOf(code: string): ReportingDescriptor {
  const help = ruleHelp(code);
  return {
    id: code,
    shortDescription: { text: ruleTitle(code) },
    fullDescription: { text: help },
    help: { text: help },
  };
}

function resultOf(finding: Finding, ruleIndex: number): Result {
  const { file, line, column, severity, code, message, path } = finding;
  const region = line === undefined ? {} : { region: { startLine: line, startColumn: column ?? 1 } };
  const key = createHash("sha256")
    .update(JSON.stringify([code, file, path, message]))
    .digest("hex");
  return {
    ruleId: code,
    ruleIndex,
    level: levels[severity],
    message: { text: message },
    locations: [{ physicalLocation: { artifactLocation: artifactOf(file), ...region } }],
    // A mistake that moves to another line remains the same alert.
    partialFingerprints: { "musterFinding/v1": key },
  };
}

function artifactOf(file: string): { uri: string; uriBaseId?: string } {
  if (isAbsolute(file)) return { uri: pathToFileURL(file).href };
  return { uri: file.split("/").map(encodeURIComponent).join("/"), uriBaseId: base };
}
