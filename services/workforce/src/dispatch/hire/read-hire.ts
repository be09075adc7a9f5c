import { type JsonValue, parseJsonObject } from "@muster/language";
import type { Computer, HireAgentRequest } from "@muster/proto/workforce";
import {
  type ApprovalRules,
  checkLimits,
  Issues,
  type MonthlyLimits,
  monthlyLimits,
  readApprovalRules,
} from "@muster/rpc";
import { oneOf, readCapabilities, readRunConfig } from "../../input/run-config.ts";
import { checkSlug } from "../../input/slug.ts";
import { checkName, checkStorable } from "../../input/texts.ts";
import { type AgentComputer, computerKinds, computerOses } from "../../store/agent-document.ts";
import type { StoredRunConfig } from "../../store/run-config.ts";
import type { DefinitionName } from "./definition.ts";

const maxIdLength = 200;
const maxInputLength = 100_000;

export interface HireCommand {
  /** Absent: derived from the name. */
  slug: string | undefined;
  managed: boolean;
  paused: boolean;
  name: string;
  definition: DefinitionName;
  /** `id` alone: a shared one. */
  computer: AgentComputer | Required<Pick<AgentComputer, "id">>;
  settings: StoredRunConfig;
  capabilities: Record<string, boolean>;
  limits: MonthlyLimits;
  approvals: ApprovalRules;
  input: Record<string, JsonValue>;
}

/** Throws INVALID_REQUEST with every issue. */
export function readHire(request: HireAgentRequest): HireCommand {
  const issues = new Issues();
  checkName(issues, "name", request.name);
  checkSlug(issues, request.slug);
  const command = {
    slug: request.slug,
    ...{ managed: request.managed, paused: request.paused },
    name: request.name,
    definition: readDefinition(issues, request.definition),
    computer: readComputer(issues, request.computer),
    settings: readRunConfig(issues, "settings", request.settings),
    capabilities: readCapabilities(issues, "capabilities", request.capabilities),
    limits: checkLimits(issues, monthlyLimits(request.limits)),
    approvals: readApprovalRules(issues, "approvals", request.approvals),
    input: readInput(issues, request.inputJson),
  };
  issues.refuse();
  return command;
}

function readDefinition(issues: Issues, definition: HireAgentRequest["definition"]): DefinitionName {
  if (definition.case === undefined) {
    issues.add("agentId", "or prebuilt is required");
    return { agentId: "" };
  }
  const path = definition.case === "prebuilt" ? "prebuilt" : "agentId";
  issues.checkLength(path, definition.value, { min: 1, max: maxIdLength });
  checkStorable(issues, path, definition.value);
  return path === "prebuilt" ? { prebuilt: definition.value } : { agentId: definition.value };
}

function readComputer(issues: Issues, computer: Computer | undefined): HireCommand["computer"] {
  if (computer === undefined) return { kind: "sandbox", os: "linux" };
  if (computer.id !== "") {
    issues.checkLength("computerId", computer.id, { max: maxIdLength });
    return { id: computer.id };
  }
  return readOwnComputer(issues, computer, "computer.");
}

/** A computer that dials in, or a sandbox. */
export function readOwnComputer(
  issues: Issues,
  computer: Pick<Computer, "kind" | "os">,
  within: "computer." | "",
): AgentComputer {
  const kind = oneOf(issues, `${within}kind`, computer.kind, computerKinds);
  const os = oneOf(issues, `${within}os`, computer.os, computerOses);
  if (kind === "sandbox" && os !== "linux") issues.add(`${within}os`, "must be linux for a sandbox");
  if (kind === "mac" && os !== "macos") issues.add(`${within}os`, "must be macos for a mac");
  return { kind, os };
}

function readInput(issues: Issues, json: string): Record<string, JsonValue> {
  if (json === "") return {};
  issues.checkLength("input", json, { max: maxInputLength });
  const parsed = json.length > maxInputLength ? undefined : parseJsonObject(json);
  if (parsed?.ok) return parsed.value;
  if (parsed !== undefined) issues.add("input", parsed.problem);
  return {};
}
