import { parseJsonObject } from "@muster/language";
import type { Hello, Tool } from "@muster/proto/computer-frames";
import type { ComputerOs, ComputerTool } from "../computer.ts";
import { FrameProblem, type FromComputer, protocolVersion } from "./frames.ts";
import type { MachineDocument, MachineReport } from "./machine-document.ts";

const oses = ["linux", "windows", "macos"] as const satisfies readonly ComputerOs[];
const maxTools = 100;
const maxToolBytes = 64 * 1024;
const maxTextLength = 100;
const toolName = /^[A-Za-z0-9_-]{1,64}$/;
const plainText = /^[^\p{Cc}]*$/u;

/** The report of a computer, checked like anything from outside. */
export interface ReadHello {
  report: MachineReport;
  peer: NonNullable<MachineDocument["peer"]>;
  tools: readonly ComputerTool[];
}

/** Throws {@link FrameProblem}. */
export function readHello(frame: FromComputer): ReadHello {
  if (frame.case !== "hello") throw new FrameProblem("The first frame must be a hello.");
  const {
    protocolVersion: version,
    runtimeVersion,
    os: sentOs,
    region,
    tools,
    processId,
    connection,
  } = frame.value;
  if (version !== protocolVersion) {
    throw new FrameProblem(
      `This computer speaks version ${version} of the protocol, but the platform speaks version ${protocolVersion}. ` +
        `Install the muster-computer of the platform's release.`,
    );
  }
  const os = oses.find((name) => name === sentOs);
  if (os === undefined) throw new FrameProblem(`The operating system must be one of ${oses.join(", ")}.`);
  if (!isText(runtimeVersion) || runtimeVersion === "")
    throw new FrameProblem(`The version of the runtime must be 1-${maxTextLength} characters.`);
  if (!isText(region)) throw new FrameProblem(`The region must be at most ${maxTextLength} characters.`);
  if (!isText(processId))
    throw new FrameProblem(`The name of the process must be at most ${maxTextLength} characters.`);
  return {
    peer: { processId, connection },
    report: { runtimeVersion, os, region: region || null, tools: tools.map(({ name }) => name) },
    tools: readTools(tools),
  };
}

function readTools(tools: Hello["tools"]): ComputerTool[] {
  if (tools.length > maxTools) throw new FrameProblem(`A computer offers at most ${maxTools} tools.`);
  if (new Set(tools.map(({ name }) => name)).size < tools.length)
    throw new FrameProblem("Two tools have the same name.");
  return tools.map(readTool);
}

function readTool({ name, description, inputSchemaJson }: Tool): ComputerTool {
  if (!toolName.test(name))
    throw new FrameProblem("The name of a tool must be 1-64 letters, digits, hyphens or underscores.");
  if (Buffer.byteLength(description) + Buffer.byteLength(inputSchemaJson) > maxToolBytes)
    throw new FrameProblem(`The definition of the tool ${name} has more than 64 KiB.`);
  const schema = parseJsonObject(inputSchemaJson);
  if (!schema.ok) throw new FrameProblem(`The schema of the tool ${name} ${schema.problem}.`);
  return { name, description: description.toWellFormed(), inputSchema: schema.value };
}

function isText(text: string): boolean {
  return text.length <= maxTextLength && text.isWellFormed() && plainText.test(text);
}
