import { canonicalModelId, closest, modelIdPattern } from "@muster/language";
import type { RunConfig } from "@muster/proto/workforce";
import { type Issues, Reason, rpcError, shortPath } from "@muster/rpc";
import {
  recordVisibilities,
  type StoredRunConfig,
  type Thinking,
  thinkingLevels,
} from "../store/run-config.ts";

const maxModelIdLength = 200;
const maxCapabilities = 100;

/** The form of a run's settings. Whether its models run and its capabilities are declared is checked later. */
export function readRunConfig(issues: Issues, path: string, config: RunConfig | undefined): StoredRunConfig {
  if (config === undefined) return {};
  const { model, backupModel, thinking, capabilities, record, recordVisibility } = config;
  return {
    ...(model !== undefined && { model: readModel(issues, `${path}.model`, model) }),
    ...(backupModel !== undefined && { backupModel: readModel(issues, `${path}.backupModel`, backupModel) }),
    ...(thinking !== undefined && { thinking: readThinking(issues, `${path}.thinking`, thinking) }),
    ...(Object.keys(capabilities).length > 0 && {
      capabilities: readCapabilities(issues, `${path}.capabilities`, capabilities),
    }),
    ...(record !== undefined && { record }),
    ...readVisibility(issues, `${path}.recordVisibility`, { record, recordVisibility }),
  };
}

/** Without `record`, a wrong value is ignored; a right one applies if the agent's settings record. */
function readVisibility(
  issues: Issues,
  path: string,
  { record, recordVisibility: text }: Pick<RunConfig, "record" | "recordVisibility">,
): Pick<StoredRunConfig, "recordVisibility"> {
  if (text === undefined) return {};
  const isKnown = recordVisibilities.some((known) => known === text);
  return record || isKnown ? { recordVisibility: oneOf(issues, path, text, recordVisibilities) } : {};
}

export function readCapabilities(
  issues: Issues,
  path: string,
  capabilities: Record<string, boolean>,
): Record<string, boolean> {
  const names = Object.keys(capabilities);
  if (names.length > maxCapabilities) issues.add(path, `must have at most ${maxCapabilities} entries`);
  return capabilities;
}

/** Throws CAPABILITY_NOT_DECLARED with every undeclared one. */
export function assertDeclared(
  declared: Record<string, boolean>,
  asked: ReadonlyArray<{ path: string; capabilities: Record<string, boolean> | undefined }>,
): void {
  const issues = asked.flatMap(({ path, capabilities = {} }) =>
    Object.keys(capabilities)
      .filter((slug) => !Object.hasOwn(declared, slug))
      .map((slug) => ({
        path: `${path}.${slug}`,
        message: "is not declared by the agent's definition",
        suggestions: closest(slug, Object.keys(declared)),
      })),
  );
  const [first] = issues;
  if (first === undefined) return;
  const known = Object.keys(declared);
  const remedy = known.length === 0 ? "It declares none." : `It declares ${known.slice(0, 10).join(", ")}.`;
  const sentence = `The agent's definition does not declare ${shortPath(first.path)}. ${remedy}`;
  throw rpcError(Reason.CAPABILITY_NOT_DECLARED, sentence, { issues });
}

function readModel(issues: Issues, path: string, text: string): string {
  const id = canonicalModelId(text);
  if (text.length > maxModelIdLength || !modelIdPattern.test(id)) {
    issues.add(path, "must be a model id of the form provider/model-id");
  }
  return id;
}

function readThinking(issues: Issues, path: string, text: string): Thinking {
  return oneOf(issues, path, text, thinkingLevels);
}

/** The first one replaces a wrong value, whose request is refused. */
export function oneOf<const T extends string>(
  issues: Issues,
  path: string,
  text: string,
  allowed: readonly [T, ...T[]],
): T {
  const found = allowed.find((candidate) => candidate === text);
  if (found === undefined) issues.add(path, `must be one of ${allowed.join(", ")}`);
  return found ?? allowed[0];
}
