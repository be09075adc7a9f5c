import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isMap, isScalar, parse, parseDocument, type YAMLMap } from "yaml";

export const chart = resolve(import.meta.dirname, "../muster");

interface Value {
  path: string;
  fallback: string;
  text: string;
}

interface Section {
  name: string;
  text: string;
  values: Value[];
}

/** The README of the chart: `introduction`, and tables made from the comments of values.yaml and from its schema. */
export function readmeOf(introduction: string): string {
  const read = (path: string) => readFileSync(join(chart, path), "utf8");
  const sections = sectionsOf(read("values.yaml")).map(tableOf);
  const settings = settingsTable(read("values.schema.json"), read("templates/_components.tpl"));
  return `${[introduction.trim(), "## Values", ...sections, "## Settings in config", settings].join("\n\n")}\n`;
}

/** One section for the values without a group, and one for each group. */
export function sectionsOf(text: string): Section[] {
  const { contents } = parseDocument(text);
  if (!isMap(contents)) throw new Error("values.yaml is not a map");
  const general: Section = { name: "General", text: "", values: [] };
  const groups: Section[] = [];
  for (const { name, comment, value } of entriesOf(contents)) {
    if (comment.startsWith("-- "))
      general.values.push({ path: name, fallback: shown(value), text: comment.slice(3) });
    else if (isMap(value)) groups.push({ name, text: comment, values: valuesIn(value, name) });
  }
  return [general, ...groups];
}

function valuesIn(map: YAMLMap, prefix: string): Value[] {
  return entriesOf(map).flatMap(({ name, comment, value }): Value[] => {
    const path = `${prefix}.${name}`;
    if (comment.startsWith("-- ")) return [{ path, fallback: shown(value), text: comment.slice(3) }];
    if (isMap(value)) return valuesIn(value, path);
    throw new Error(`${path} in values.yaml has no comment that begins with "-- "`);
  });
}

/** The comment before the first entry of a map belongs to the map. */
function entriesOf(map: YAMLMap) {
  return map.items.map(({ key, value }, index) => {
    if (!isScalar(key)) throw new Error("a key of values.yaml is not a word");
    const comment = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined) ?? "";
    const paragraphs = comment.split("\n\n");
    return { name: String(key.value), comment: joined(paragraphs.at(-1) ?? ""), value };
  });
}

const joined = (comment: string) =>
  comment
    .split("\n")
    .map((line) => line.trim())
    .join(" ");

function shown(value: unknown): string {
  const plain: unknown = isMap(value) || isScalar(value) ? value.toJSON() : JSON.parse(JSON.stringify(value));
  return plain === "" ? "" : `\`${JSON.stringify(plain)}\``;
}

const cell = (text: string) => text.replaceAll("|", "\\|");

function tableOf({ name, text, values }: Section): string {
  const rows = values.map(
    ({ path, fallback, text }) => `| \`${path}\` | ${cell(fallback)} | ${cell(text)} |`,
  );
  const title = name === "General" ? `### ${name}` : `### \`${name}\``;
  return [
    title,
    ...(text ? ["", text] : []),
    "",
    "| value | default | meaning |",
    "|---|---|---|",
    ...rows,
  ].join("\n");
}

interface Setting {
  description: string;
  minimum?: number;
  maximum?: number;
  enum?: unknown[];
}

function settingsTable(schemaText: string, componentsText: string): string {
  const schema: { properties: { config: { properties: Record<string, Setting> } } } = JSON.parse(schemaText);
  const components: Record<string, { settings: string[] }> = parse(
    /\{\{- define "muster\.components" -\}\}\n([\s\S]*?)\{\{- end/.exec(componentsText)?.[1] ?? "",
  );
  const readers = (setting: string) =>
    Object.entries(components).flatMap(([name, { settings }]) => (settings.includes(setting) ? [name] : []));
  const rows = Object.entries(schema.properties.config.properties).map(([name, setting]) => {
    const read = setting.description === undefined ? [] : readers(name);
    return `| \`${name}\` | ${rangeOf(setting)} | ${read.join(", ") || "all"} | ${cell(setting.description)} |`;
  });
  return ["| setting | values | read by | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

function rangeOf({ minimum, maximum, enum: choices }: Setting): string {
  if (choices) return choices.map((choice) => `\`${JSON.stringify(choice)}\``).join(", ");
  return minimum === undefined ? "text" : `${minimum} to ${maximum}`;
}
