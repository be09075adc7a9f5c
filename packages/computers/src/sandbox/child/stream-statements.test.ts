import assert from "node:assert/strict";
import { Bash, InMemoryFs } from "just-bash";
import { describe, test } from "vitest";
import { Volume } from "../../files/volume.ts";
import { ShellFs } from "./shell-fs.ts";
import { streamStatements } from "./stream-statements.ts";

interface Ran {
  stdout: string;
  stderr: string;
  exitCode: number;
  /** The output shown while it ran. */
  pieces: string[];
}

const home = "/home/agent";

/** Runs the script as in a sandbox, without its process. */
async function runStreamed(script: string): Promise<Ran> {
  const shown = { stdout: "", stderr: "" };
  const pieces: string[] = [];
  const fs = new ShellFs({
    volume: new Volume(Date.now),
    load: () => assert.fail("nothing is stored"),
    output: (stream, text) => {
      shown[stream] += text;
      pieces.push(text);
    },
  });
  const bash = new Bash({ fs, cwd: home, env: { HOME: home } });
  fs.mkdirSync(home, { recursive: true });
  fs.mkdirSync("/tmp", { recursive: true });
  let isOuter = true;
  bash.registerTransformPlugin({
    name: "stream",
    transform: ({ ast }) => {
      const streamed = isOuter ? streamStatements(ast, script) : ast;
      isOuter = false;
      return { ast: streamed };
    },
  });
  const { stdout, stderr, exitCode } = await bash.exec(script, { rawScript: true });
  return { stdout: shown.stdout + stdout, stderr: shown.stderr + stderr, exitCode, pieces };
}

/** The shell as its authors ship it. */
async function runPlain(script: string): Promise<Omit<Ran, "pieces">> {
  const bash = new Bash({ fs: new InMemoryFs(), cwd: home, env: { HOME: home } });
  await bash.exec("mkdir -p /tmp");
  const { stdout, stderr, exitCode } = await bash.exec(script, { rawScript: true });
  return { stdout, stderr, exitCode };
}

const scripts = {
  "several statements": "echo one; echo two >&2; echo three",
  "variables and the directory": "a=1; mkdir -p d; cd d; a=$((a + 1)); pwd; echo $a",
  functions: "f() { echo in $1; return 4; }; f x; echo $?; f y || echo failed",
  "a loop with break and continue":
    "for i in 1 2 3 4; do if [ $i = 2 ]; then continue; fi; if [ $i = 4 ]; then break; fi; echo $i; done; echo end",
  "nested loops": "for i in 1 2; do for j in a b; do echo $i$j; [ $j = a ] || continue 2; done; done",
  "while with read": "printf 'a\\nb\\nc' > f; while read -r x; do echo [$x]; done < f; echo done",
  "until and arithmetic": "i=0; until (( i >= 3 )); do echo $i; ((i++)); done",
  "a C-style loop": "for ((i = 0; i < 3; i++)); do echo $i; done",
  case: "for x in a b c; do case $x in a) echo is a;; b) echo is b;& c) echo falls;; esac; done",
  "if, elif and else":
    "if false; then echo a; elif echo tested; then echo b; else echo c; fi; if ! true; then echo d; else echo e; fi",
  pipelines: "seq 1 5 | while read x; do echo x$x; done | sort -r | head -2; echo $?",
  pipefail: "set -o pipefail; false | true; echo $?",
  "errexit in the middle": "set -e; echo a; false; echo b",
  "errexit spares conditions": "set -e; if false; then :; fi; false || echo ok; ! true; echo end",
  "errexit in a loop": "set -e; for i in 1 2 3; do echo $i; [ $i != 2 ]; done; echo never",
  exit: "echo a; exit 7; echo b",
  "exit in a function": "f() { echo f; exit 3; }; f; echo never",
  "exit in a subshell": "(echo s; exit 5); echo $?",
  "command substitution": 'x=$(echo captured; echo err >&2); echo "[$x]"; y=`echo b`; echo $y',
  redirections:
    "echo a > f; echo b >> f; cat f; ls nothing 2>/dev/null; ls nothing > g 2>&1; cat g; { echo c; echo d; } > h; cat h",
  "here documents": "cat <<EOF\n  kept $((1 + 1))\nEOF\ncat <<'EOF'\n$HOME\nEOF\ncat <<< word",
  "an unset variable": "set -u; echo a; echo $nope; echo b",
  "errexit and nounset": "set -euo pipefail; echo a; echo $nope; echo b",
  "a division by zero": "echo a; echo $((1 / 0)); echo b",
  "a wrong substitution": `echo a; echo \${x?not set}; echo b`,
  "a command that does not exist": "echo a; nosuchcommand; echo $?",
  "a syntax error": "echo a; if true; then",
  "exec of descriptors": "exec 3>f; echo x >&3; exec 3>&-; cat f; exec >g; echo hidden; cat g >&2",
  PIPESTATUS: `false | true | false; echo \${PIPESTATUS[@]}`,
  "nested shells":
    "bash -c 'echo n1; echo n2; exit 2'; echo $?; echo 'echo s; exit 3' > s.sh; bash s.sh; echo $?; sh -c 'f() { echo $1; }; f x' | tr x y",
  "eval and source": "eval 'echo e; v=5'; echo $v; echo 'w=6; echo sourced' > s.sh; . ./s.sh; echo $w",
  arrays: `a=(x y z); a+=(w); for e in "\${a[@]}"; do echo $e; done; echo \${#a[@]}; declare -A m; m[k]=v; echo \${m[k]}`,
  "text beyond ASCII":
    "echo grün; printf '\\xc3\\xb6\\n'; echo 日本 | cat; echo ö | wc -c; printf 'é' | od -An -tx1",
  "bytes that are no text": "printf '\\xff\\xfe' | od -An -tx1; printf '\\xff' > f; wc -c < f",
  "xargs and find":
    "mkdir -p d; touch d/a d/b; find d -type f | sort | xargs -n1 echo; find d -type f -exec echo {} +",
  "negation and time of pipelines": "! false; echo $?; ! true; echo $?",
  "traps of quoting": "echo \"a  b\" 'c $x' d\\ e; x='*'; echo \"$x\"; echo {1..3}{a,b}",
  background: "echo a & echo b; wait; echo c",
  "local variables": "f() { local x=1; g; echo $x; }; g() { x=2; }; x=0; f; echo $x",
  "a failing test as last": "echo a; [ 1 = 2 ]",
  "text tools":
    "printf 'b,2\\na,1\\n' > t.csv; sort t.csv | awk -F, '{s+=$2; print $1} END {print s}'; sed -n 's/a/A/p' t.csv; grep -c , t.csv; cut -d, -f2 t.csv; jq -n '{a: [1, 2]}' | jq -c .a",
  links:
    "echo x > f; ln -s f l; cat l; readlink l; ln -s /nowhere broken; cat broken; ls -l broken; [ -L broken ] && echo link; ls; rm l; cat f",
  "moving and copying":
    "mkdir -p a/b; echo 1 > a/b/f; cp -r a c; mv a/b/f a/g; ls -R a c; rm -r a; ls; mv c d; cat d/b/f; mv nothing x; cp d x; rmdir d",
  "modes and dates":
    "touch -d 2020-02-03 f; chmod 600 f; ls -l f; stat -c %a f; [ -x f ] || echo not executable; chmod +x f; [ -x f ] && echo executable",
  "scripts with a path":
    "printf '#!/bin/bash\\necho script $1\\n' > s; chmod +x s; ./s one; /home/agent/s two; ./missing",
  archives:
    "mkdir d; echo x > d/f; tar czf a.tgz d; rm -r d; tar xzf a.tgz; cat d/f; gzip -k d/f; zcat d/f.gz",
  "paths outside": "cat /etc/passwd; ls /root; cd ../../..; pwd; cat ../../../../etc/hostname",
};

describe("a script that is shown statement by statement does the same as one that is shown at its end", () => {
  for (const [title, script] of Object.entries(scripts)) {
    test(title, async () => {
      const { pieces: _, ...streamed } = await runStreamed(script);
      const plain = await runPlain(script);
      // In a group, some messages of the shell lack its name.
      const message = ({ stderr }: { stderr: string }) => stderr.replaceAll(/^bash: /gm, "");
      assert.deepEqual({ ...streamed, stderr: message(streamed) }, { ...plain, stderr: message(plain) });
    });
  }
});

describe("shown while it runs", () => {
  const cases: [string, string[]][] = [
    ["echo a; echo b", ["a\n", "b\n"]],
    ["for i in 1 2; do echo $i; done", ["1\n", "2\n"]],
    ["if echo c; then echo t; fi", ["c\n", "t\n"]],
    ["{ echo a; echo b >&2; }", ["a\n", "b\n"]],
    ["case x in x) echo 1; echo 2;; esac", ["1\n", "2\n"]],
    // One unit: the statements inside may feed each other.
    ["for i in 1 2; do echo $i; done | cat; echo", ["1\n2\n", "\n"]],
    ["for i in 1 2; do echo $i; done > f; cat f", ["1\n2\n"]],
  ];
  for (const [script, pieces] of cases) {
    test(script, async () => {
      assert.deepEqual((await runStreamed(script)).pieces, pieces);
    });
  }
});
