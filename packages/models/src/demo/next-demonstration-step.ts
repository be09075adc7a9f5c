import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** The tools of a computer that the demonstration uses. */
const runCommand = "shell__run_command";
const readFile = "files__read";

/** The limit of the message that is put into a file: a command line is bounded. */
const maxTaskLength = 20_000;
/** On a computer that dials in, it is below the folder that its user has chosen. */
const folder = "muster-demo";

export interface DemonstrationCall {
  toolName: string;
  input: Record<string, unknown>;
}

/** One step of the demonstration: a sentence, and the call that it announces. */
export interface DemonstrationStep {
  text: string;
  call: DemonstrationCall;
}

/**
 * For an agent with a computer: two commands about the user's message, and a file that is read. Undefined if the model
 * has no computer, or once the demonstration has ended.
 */
export function nextDemonstrationStep(
  { prompt, tools = [] }: Pick<LanguageModelV4CallOptions, "prompt" | "tools">,
  message: string,
): DemonstrationStep | undefined {
  const offered = new Set(tools.map(({ name }) => name));
  if (!offered.has(runCommand) || !offered.has(readFile)) return undefined;
  return steps(message)[callsSinceUser(prompt)];
}

function steps(message: string): DemonstrationStep[] {
  const task = quote(message.slice(0, maxTaskLength));
  const count = [
    `cd ${folder}`,
    "tr -s '[:space:]' '\\n' < task.txt | sort | uniq -c | sort -rn | head -n 5 > report.txt",
    'echo "The 5 most frequent words are in report.txt."',
  ];
  return [
    {
      text: "I put your message into a file and count its lines, words and bytes.",
      call: command(`mkdir -p ${folder} && cd ${folder} && printf '%s\\n' ${task} > task.txt && wc task.txt`),
    },
    { text: "Now I look for the words that occur most often.", call: command(count.join(" && ")) },
    {
      text: "I read the report.",
      call: { toolName: readFile, input: { path: `${folder}/report.txt` } },
    },
  ];
}

function command(line: string): DemonstrationCall {
  return { toolName: runCommand, input: { command: line } };
}

/** The text as one word of a shell: nothing in the message is interpreted. */
function quote(text: string): string {
  return `'${text.replaceAll("\0", "").replaceAll("'", "'\\''")}'`;
}

function callsSinceUser(prompt: LanguageModelV4Prompt): number {
  const start = prompt.findLastIndex(({ role }) => role === "user") + 1;
  return prompt
    .slice(start)
    .flatMap((message) => (message.role === "assistant" ? message.content : []))
    .filter((part) => part.type === "tool-call" && [runCommand, readFile].includes(part.toolName)).length;
}
