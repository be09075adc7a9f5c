import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { columns, rows } from "./size.ts";

/** A piece of a terminal's output, with the time since its shell started. */
export interface Output {
  readonly atMs: number;
  readonly text: string;
}

/** Marks the prompt in the output, by the escape sequence that shells use for that. Terminals do not show it. */
const promptMark = "\u001b]133;A\u0007";
const keystrokeMs = 28;
const answerTimeoutMs = 60_000;

/** An interactive bash in a pseudo-terminal of `script`, driven by keystrokes, with everything that it shows. */
export class Shell {
  readonly output: Output[] = [];
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #startedAt = performance.now();
  #seen = "";

  /** `env` is added to the environment. */
  constructor(folder: string, env: Record<string, string>) {
    const bash = `stty cols ${columns} rows ${rows}; exec env PS1="$PROMPT" bash --noprofile --norc -i`;
    this.#process = spawn("script", ["-qfec", bash, "/dev/null"], {
      cwd: folder,
      env: {
        ...ownEnvironment(),
        PROMPT: "\\[\\e]133;A\\a\\e[1;32m\\]$\\[\\e[0m\\] ",
        TERM: "xterm-256color",
        SHELL: "/bin/bash",
        ...env,
      },
    });
    this.#process.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.output.push({ atMs: performance.now() - this.#startedAt, text });
      this.#seen += text;
    });
  }

  /** Types a line key by key, then presses Return. Later waits consider only the output that follows. */
  async type(line: string): Promise<void> {
    for (const key of line) {
      this.#process.stdin.write(key);
      await wait(keystrokeMs);
    }
    await wait(10 * keystrokeMs);
    this.press("\r");
  }

  /** Sends keys at once. */
  press(keys: string): void {
    this.#seen = "";
    this.#process.stdin.write(keys);
  }

  /** Resolves when the shell asks for the next command. */
  async prompt(): Promise<void> {
    await this.shows(promptMark);
  }

  /** Resolves with all output since the last keystroke, once it contains `text`. */
  async shows(text: string): Promise<string> {
    const deadline = AbortSignal.timeout(answerTimeoutMs);
    while (!this.#seen.includes(text)) {
      await once(this.#process.stdout, "data", { signal: deadline }).catch((cause) => {
        throw new Error(`The terminal never showed ${JSON.stringify(text)}, but: ${this.#seen}`, { cause });
      });
    }
    return this.#seen;
  }

  async close(): Promise<void> {
    this.#process.stdin.end("\u0003exit\r");
    if (this.#process.exitCode === null) await once(this.#process, "exit");
  }
}

/** The environment without the settings that npm passes to its scripts, which would make another npm warn. */
function ownEnvironment(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  return {
    ...Object.fromEntries(kept),
    NPM_CONFIG_USERCONFIG: "/dev/null",
    NPM_CONFIG_UPDATE_NOTIFIER: "false",
  };
}
