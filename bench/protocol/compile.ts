import { Report } from "@muster/language";
import { compileDefinition, parseYaml, printProtocol } from "@muster/language/compile";
import { parseDocument } from "yaml";
import { brokenDefinition, soundDefinition } from "./sample.ts";
import { type Effort, type Timing, timeSideBySide } from "./timing.ts";

export interface CompileTimings {
  /** `parseDocument` of the valid definition's protocol: the yardstick. */
  yaml: Timing;
  compile: Timing;
  /** `parseDocument` of the invalid definition's protocol. */
  yamlOfBroken: Timing;
  validate: Timing;
  print: Timing;
}

export function measureCompile(effort: Effort): CompileTimings {
  const [sound, broken] = [soundDefinition(), brokenDefinition()];
  const tree = parseYaml(sound.protocol, new Report());
  if (tree === undefined) throw new Error("The sample is not YAML");
  return timeSideBySide(
    {
      yaml: () => parseDocument(sound.protocol),
      compile: () => compileDefinition(sound),
      yamlOfBroken: () => parseDocument(broken.protocol),
      validate: () => compileDefinition(broken),
      print: () => printProtocol(tree),
    },
    effort,
  );
}
