import { bytes } from "../frame/format.ts";
import { type EventRecord, numberOf, recordsOf, textOf } from "../scene/record.ts";

export interface CallWords {
  /** Beside the tool's icon in the conversation. */
  detail: string;
  /** The agent's activity, for the foot of the frame. */
  activity: string;
  /** The agent's action, for the transcript. */
  sentence: string;
}

const maxLength = 400;

/** Describes a call of a tool. */
export function wordsOfCall(tool: string, input: EventRecord): CallWords {
  const path = shortPath(textOf(input, "path").slice(0, maxLength));
  switch (tool) {
    case "shell__run_command": {
      const command = oneLine(textOf(input, "command"));
      return { detail: command, activity: "Running a command", sentence: `Runs a command: ${command}` };
    }
    case "files__read":
      return { detail: path, activity: `Reading ${path}`, sentence: `Reads ${path}` };
    case "files__write": {
      const [doing, does] = input.append === true ? ["Adding to", "Adds to"] : ["Writing", "Writes"];
      return { detail: path, activity: `${doing} ${path}`, sentence: `${does} ${path}` };
    }
    case "files__list": {
      const folder = path || "~";
      return {
        detail: `${folder}/`.replace("//", "/"),
        activity: `Listing ${folder}`,
        sentence: `Lists ${folder}`,
      };
    }
    default: {
      const name = shownTool(tool);
      const argument = oneLine(Object.values(input).find((value) => typeof value === "string") ?? "");
      const detail = argument === "" ? name : `${name} ${argument}`;
      return { detail, activity: `Using ${name}`, sentence: `Uses ${detail}` };
    }
  }
}

/** A few words about what a call returned. */
export function noteOfOutput(tool: string, output: EventRecord): string {
  const exitCode = numberOf(output, "exitCode");
  if (tool === "shell__run_command")
    return exitCode === undefined || exitCode === 0 ? "" : `exit ${exitCode}`;
  if (tool === "files__read") {
    const lines = numberOf(output, "totalLines");
    return lines === undefined ? "" : `${lines} ${lines === 1 ? "line" : "lines"}`;
  }
  if (tool === "files__list") return `${recordsOf(output, "entries").length} entries`;
  const size = numberOf(output, "size") ?? numberOf(output, "bytes");
  return tool === "files__write" && size !== undefined ? bytes(size) : "";
}

/** `weather: forecast` for `weather__forecast`. */
export function shownTool(tool: string): string {
  return tool.slice(0, 80).replace("__", ": ").replaceAll("_", " ");
}

/** The home directory is `~`. */
export function shortPath(path: string): string {
  return path.replace(/^\/home\/agent(?=\/|$)/, "~");
}

function oneLine(value: unknown): string {
  return typeof value === "string" ? value.slice(0, maxLength).replace(/\s+/g, " ").trim() : "";
}
