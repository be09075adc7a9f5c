import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { watchLoop } from "../../test/support/loop-hold.ts";
import { holdComputer, openComputers, owner } from "../../test/support/open-computers.ts";
import type { Computers, OutputChunk } from "../computer.ts";

// The attempts of a hostile agent. `expect` says what happens instead; every attempt must also leave the host
// untouched.

interface Attempt {
  command: string;
  /** Matches the output, the errors and the note. */
  expect: RegExp;
  timeoutSeconds?: number;
  /** A variant of an attempt that is made in each run. */
  isVariant?: boolean;
}

/** In a file of the host and in the environment of the parent: no command may show it. */
const secret = "host-secret-4d1f";
const noSuchFile = /No such file|not found|cannot access|ENOENT|no such file/i;
const stopped =
  /stopped|exceeded|limit|deadline|too deep|too many|broke|recursion|ENOSPC|no space|invalid|too long/i;
const unavailable = /not available|not found/;

const host = mkdtempSync(join(tmpdir(), "muster-host-"));
const hostFile = join(host, "secret.txt");

const hostFiles: Record<string, Attempt> = {
  "a file by its path": { command: `cat ${hostFile}`, expect: noSuchFile },
  "the list of users": { command: "cat /etc/passwd /etc/shadow /etc/hosts", expect: noSuchFile },
  "a folder of the host": { command: `ls -la ${host} /root /var /etc`, expect: noSuchFile },
  "a path with ..": { command: `cat ../../../../../../../..${hostFile}`, expect: noSuchFile },
  "a path with many slashes": { command: `cat //..//..///..${hostFile}`, expect: noSuchFile },
  "a path from a variable": { command: `p=${hostFile}; cat "$p" < "$p"`, expect: noSuchFile },
  "a file URL": { command: `cat file://${hostFile}; cat "file:${hostFile}"`, expect: noSuchFile },
  "a path with a NUL": { command: `cat $'files\\0/../../../..${hostFile}'`, expect: /./ },
  "a path with encoded dots": { command: `cat %2e%2e/%2e%2e${hostFile}`, expect: noSuchFile },
  "a symbolic link": { command: `ln -s ${hostFile} link; cat link; cat < link`, expect: noSuchFile },
  "a link to the root": {
    command: `ln -s / root; cat root${hostFile}; ls root/root/root/etc`,
    expect: noSuchFile,
  },
  "a link of links": {
    command: "ln -s b a; ln -s a b; cat a; cd a",
    expect: /symbolic links|No such file|not a directory/i,
  },
  "a hard link": { command: `ln ${hostFile} link; cat link`, expect: noSuchFile },
  "a copy and a move": {
    command: `cp ${hostFile} x; mv ${hostFile} y; cp -r ${host} z; cat x y z/*`,
    expect: noSuchFile,
  },
  "writing to the host": {
    command: `echo changed > ${hostFile}; echo new > ${host}/new; cat ${hostFile}`,
    expect: /changed|No such file/,
  },
  "deleting on the host": {
    command: `rm -rf ${host} / --no-preserve-root; rm -rf /*; echo still here`,
    expect: /still here|not found/,
  },
  "sourcing a file": { command: `source ${hostFile}; . ${hostFile}; bash ${hostFile}`, expect: noSuchFile },
  "a glob over the host": {
    command: `echo /etc/* ${host}/* /proc/*/environ; for f in /*/*; do cat $f; done 2>&1 | grep -c secret`,
    expect: /^|0/,
  },
  find: { command: `find / -name 'secret.txt' -o -name passwd; echo end`, expect: /end/ },
  "tools that read files": {
    command: `grep -r . ${host}; sed -n p ${hostFile}; awk '{print}' ${hostFile}; jq -R . ${hostFile}; xan headers ${hostFile}; diff ${hostFile} /dev/null; tail -n+1 ${hostFile}`,
    expect: noSuchFile,
  },
  "awk's own input": {
    command: `awk 'BEGIN { while ((getline l < "${hostFile}") > 0) print l; "cat ${hostFile}" | getline x; print "x" x; system("cat ${hostFile}"); print > "${host}/awk" }'`,
    expect: /./,
  },
  "sed's own files": {
    command: `echo x | sed 'r ${hostFile}'; echo x | sed 'w ${host}/sed'; echo x | sed '1e cat ${hostFile}'`,
    expect: /./,
  },
  "jq's modules and environment": {
    command: `jq -n 'env'; jq -n '$ENV.MUSTER_ESCAPE_SECRET'; jq -n 'import "${hostFile}" as x; x'; jq -n 'input_filename'; jq -n --rawfile f ${hostFile} '$f'`,
    expect: /./,
  },
  "xargs and find -exec": {
    command: `echo ${hostFile} | xargs cat; find / -maxdepth 1 -exec cat ${hostFile} \\;`,
    expect: noSuchFile,
  },
  "an archive that climbs": {
    command: `mkdir d && cd d && echo x > f && tar cf a.tar --transform 's,f,../../../../..${host}/tar,' f; tar cPf b.tar ../d/f /home/agent/d/f; tar xf a.tar; tar xPf b.tar -C /; ls ${host}`,
    expect: noSuchFile,
  },
  "an archive with a link": {
    command: `mkdir d; ln -s ${host} d/l; tar cf a.tar d; rm -r d; tar xf a.tar; echo x > d/l/tar-link; ls ${host}; cat ${hostFile}`,
    expect: noSuchFile,
  },
};

const environment: Record<string, Attempt> = {
  "the environment": { command: "env; printenv; export -p; set; declare -p", expect: /HOME=\/home\/agent/ },
  "a variable by its name": {
    command: `echo "[$MUSTER_ESCAPE_SECRET][\${!M*}]"; printenv MUSTER_ESCAPE_SECRET`,
    expect: /\[\]/,
  },
  "its own process": {
    command:
      "cat /proc/self/environ /proc/self/maps /proc/self/cmdline; ls -l /proc/self/fd /proc/self/cwd /proc/self/root; cat /proc/self/status",
    expect: /./,
  },
  "its parent's process": {
    command:
      "cat /proc/$PPID/environ /proc/1/environ; ls /proc/$PPID/fd /proc/1/root; kill -9 $PPID; kill -9 1; echo alive",
    expect: /alive/,
  },
  "an open descriptor": {
    command: "cat <&3; cat /dev/fd/3; echo x >&3; echo x > /dev/fd/3; read -u 3 x; echo end",
    expect: /end/,
  },
  "the identity of the host": {
    command:
      "hostname; whoami; uname -a; id; cat /etc/hostname /proc/version /sys/class/dmi/id/product_name; echo $HOSTNAME $$ $UID",
    expect: /localhost/,
  },
  devices: {
    command:
      "cat /dev/sda /dev/mem /dev/kmsg; ls /dev; head -c 10 /dev/random; echo x > /dev/tcp/127.0.0.1/22; echo end",
    expect: /end/,
  },
};

const interpreters: Record<string, Attempt> = {
  Python: {
    command: `python3 -c 'print(open("${hostFile}").read())'; python -c 'import os; os.system("id")'`,
    expect: unavailable,
  },
  JavaScript: {
    command: `node -e 'console.log(process.env)'; js-exec -c 'require("fs").readFileSync("${hostFile}")'`,
    expect: unavailable,
  },
  SQLite: {
    command: `sqlite3 :memory: "select readfile('${hostFile}'); .shell id; attach '${host}/db' as d"`,
    expect: unavailable,
  },
  "programs of the host": {
    command:
      "/bin/sh -c id; /usr/bin/id; /usr/bin/env node -e 1; perl -e 1; ruby -e 1; gcc; sudo id; su; docker ps; ssh localhost",
    expect: unavailable,
  },
  "the prototype of objects": {
    command: `declare -A m; m[__proto__]=x; m[constructor]=y; echo \${m[__proto__]} \${m[constructor]} \${m[toString]}; __proto__=1; constructor=2; echo $__proto__ $constructor; jq -nc '{"__proto__": {"a": 1}} | .a'; echo '{"__proto__":{"polluted":1}}' | jq -c .; printf '__proto__: {a: 1}\\n' | yq .; awk 'BEGIN { a["__proto__"]=1; a["constructor"]=2; print a["toString"] }'; echo end`,
    expect: /end/,
  },
  "code in a format or an expression": {
    command: `printf '%s' '\${process.env.HOME}'; echo $((process)); echo $(( constructor )); expr process.exit; awk 'BEGIN { print process; this.constructor("return process")() }'; date -d 'process' +%Z; echo end`,
    expect: /end/,
  },
};

const network: Record<string, Attempt> = {
  curl: { command: "curl -s URL", expect: unavailable },
  "other clients": {
    command:
      "wget URL; nc 127.0.0.1 PORT; telnet 127.0.0.1 PORT; ping 127.0.0.1; dig example.com; git clone URL",
    expect: unavailable,
  },
  "bash's own sockets": {
    command:
      "exec 5<>/dev/tcp/127.0.0.1/PORT; echo GET >&5; cat <&5; cat < /dev/tcp/127.0.0.1/PORT; cat < /dev/udp/127.0.0.1/53",
    expect: /./,
  },
  "tools with URLs": {
    command: "html-to-markdown URL; jq . URL; yq . URL; xan headers URL; cat URL",
    expect: /./,
  },
};

const resources: Record<string, Attempt> = {
  "an endless loop": { command: "while :; do :; done", expect: stopped, timeoutSeconds: 1 },
  "an endless loop in awk": { command: "awk 'BEGIN { while (1) x++ }'", expect: stopped, timeoutSeconds: 1 },
  "an endless loop in jq": {
    command: "jq -n 'def f: f; f'; jq -n 'last(repeat(1))'",
    expect: stopped,
    isVariant: true,
    timeoutSeconds: 2,
  },
  "an endless loop in sed": {
    command: "echo x | sed ':a;ba'",
    expect: stopped,
    isVariant: true,
    timeoutSeconds: 1,
  },
  "a sleep beyond its time": { command: "sleep 1000", expect: stopped, timeoutSeconds: 1 },
  "endless recursion": { command: "f() { f; }; f", expect: stopped, timeoutSeconds: 5 },
  "a fork bomb": { command: ":(){ :|:& };:", expect: stopped, timeoutSeconds: 2 },
  "nested evals": {
    command: `eval "$(printf 'eval %.0s' $(seq 1 2000))echo hi"`,
    expect: stopped,
    isVariant: true,
    timeoutSeconds: 1,
  },
  "nested substitutions": {
    command: `x='echo hi'; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do x="echo \\$($x; $x)"; done; eval "$x" | tail -c 100; echo end`,
    expect: /end|stopped|limit|deadline|nesting/,
    isVariant: true,
    timeoutSeconds: 2,
  },
  "deep brackets": {
    command: `eval "$(printf '(%.0s' $(seq 1 20000))"; eval "echo $(printf '$((%.0s' $(seq 1 5000))1"; echo end`,
    expect: /./,
    timeoutSeconds: 2,
  },
  "a growing string": { command: "a=x; while :; do a=$a$a; done", expect: stopped, timeoutSeconds: 10 },
  "a growing array": {
    command: `a=(1); while :; do a+=("\${a[@]}"); done`,
    expect: stopped,
    isVariant: true,
    timeoutSeconds: 2,
  },
  "brace expansion": {
    command:
      "echo {1..100000000} | wc -c; echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b} | wc -c; echo end",
    expect: /./,
    timeoutSeconds: 5,
  },
  "wide formats": {
    command:
      "printf '%2000000000d' 1; printf '%*d' 2000000000 1; awk 'BEGIN { printf \"%2000000000d\", 1 }'; echo end",
    expect: /./,
    isVariant: true,
    timeoutSeconds: 5,
  },
  "endless output": {
    command: "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done",
    expect: stopped,
    timeoutSeconds: 2,
  },
  "1 GiB of output": {
    command: "x=$(printf 'y%.0s' $(seq 1 100000)); for i in $(seq 1 10800); do echo $x; done",
    expect: stopped,
    isVariant: true,
    timeoutSeconds: 3,
  },
  "1 GiB of files": {
    command: "x=$(printf 'y%.0s' $(seq 1 100000)); for i in $(seq 1 10800); do echo $x > f$i || exit; done",
    expect: stopped,
    timeoutSeconds: 3,
  },
  "a file that doubles": {
    command: "echo 0123456789 > f; while cat f f > g && mv g f; do :; done",
    expect: stopped,
    isVariant: true,
    timeoutSeconds: 3,
  },
  "a huge sparse file": {
    command: "truncate -s 100G f; dd if=/dev/zero of=g bs=1M seek=1000000 count=1; fallocate -l 100G h; ls",
    expect: /not found/,
  },
  "a decompression bomb": {
    command:
      "x=$(printf '0%.0s' $(seq 1 50000)); for i in $(seq 1 400); do echo $x; done | gzip > b; for i in $(seq 1 30); do cat b; done | gunzip | wc -c; cat b | gzip -d > u; cp u v; echo end",
    expect: /end|limit|stopped|broke|deadline/,
    timeoutSeconds: 3,
  },
  "too many files": {
    command: "for i in $(seq 1 30000); do : > f$i; done; echo end",
    expect: stopped,
    timeoutSeconds: 30,
  },
  "deep folders": {
    command: "while mkdir d && cd d; do :; done; pwd | wc -c",
    expect: /too long|ENAMETOOLONG|deadline/i,
    timeoutSeconds: 2,
  },
  "a giant glob": {
    command:
      "mkdir g; for i in $(seq 1 300); do : > g/$i; done; echo /*/*/*/*/../*/../*/../* g/*[1-9]*[1-9]*[1-9]*[1-9]*x | wc -c",
    expect: /./,
    isVariant: true,
    timeoutSeconds: 2,
  },
  "a slow pattern": {
    command: `s=$(printf 'a%.0s' $(seq 1 40)); echo \${s}b | grep -E '^(a+)+$'; echo \${s}b | grep -P '^(a|aa)+$'; echo \${s}b | sed -E 's/^(a*)*$/x/'; [[ \${s}b =~ ^(a+)+$ ]]; echo \${s}b | awk '/^(a+)+$/'; jq -n --arg s \${s}b '$s | test("^(a+)+$")'; echo \${s}b | rg '^(a+)+$'; case \${s}b in *a*a*a*a*a*a*a*a*a*a*a*a*c) ;; esac; shopt -s extglob; [[ \${s}b == +(+(a)) ]]; echo end`,
    expect: /end|stopped|deadline/,
    timeoutSeconds: 3,
  },
  "a long line of source": {
    command: `eval "x=$(printf 'y%.0s' $(seq 1 900000))"; eval "$(printf 'a;%.0s' $(seq 1 300000))" 2>&1 | tail -c 10; echo end`,
    expect: /./,
    timeoutSeconds: 5,
  },
  "yaml aliases": {
    command:
      "{ echo 'a: &a [x,x,x,x,x,x,x,x,x]'; for i in 1 2 3 4 5 6 7 8 9; do echo \"b$i: &b$i [*a,*a,*a,*a,*a,*a,*a,*a,*a]\"; done; } | yq . | tail -c 20; echo end",
    expect: /end|stopped|deadline/,
    isVariant: true,
    timeoutSeconds: 3,
  },
};

/** `npm run test:long` makes each attempt by itself, with variants, and gives each the whole of its time. */
const isLong = process.env.LONG_RUN !== undefined;
const nextAttempt = "-- next attempt --";

describe("no attempt to escape from a sandbox succeeds, and none blocks the main loop", () => {
  let computers: Computers;
  let server: Server;
  let port = 0;
  let connections = 0;
  const cleanUps: (() => void | Promise<void>)[] = [];
  const loop = watchLoop();

  beforeAll(async () => {
    writeFileSync(hostFile, secret);
    process.env.MUSTER_ESCAPE_SECRET = secret;
    ({ computers } = await openComputers({ onTestFinished: (cleanUp) => cleanUps.push(cleanUp) }));
    server = createServer((_, response) => response.end(secret));
    server.on("connection", () => connections++);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    loop.stop();
    delete process.env.MUSTER_ESCAPE_SECRET;
    server.close();
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
    rmSync(host, { recursive: true, force: true });
  });

  let agents = 0;
  /** The output of the script, which has left the host untouched. */
  const attempt = (command: string, timeoutSeconds: number) =>
    loop.staysFree(() => attemptOnce(command, timeoutSeconds));

  async function attemptOnce(command: string, timeoutSeconds: number): Promise<string> {
    const { run } = await holdComputer(computers, 1, { ...owner, agentId: `agt_${++agents}` });
    const chunks: OutputChunk[] = [];
    const script = command.replaceAll("URL", `http://127.0.0.1:${port}/`).replaceAll("PORT", String(port));
    const result = await run(script, { chunks, timeoutSeconds });
    const all = `${result.stdout}${result.stderr}${result.note ?? ""}`;
    const shown = chunks.map(({ text }) => text).join("");
    assert.ok(!all.includes(secret) && !shown.includes(secret), "it has seen a secret of the host");
    assert.ok(Buffer.byteLength(shown) <= 1024 * 1024 + 100, "it has printed more than what is kept");
    assert.deepEqual(readdirSync(host), ["secret.txt"]);
    assert.equal(readFileSync(hostFile, "utf8"), secret);
    assert.equal(connections, 0);
    return all;
  }

  /** Each in a shell of its own, with a line after it. */
  const together = (attempts: Attempt[]) =>
    attempts.map(({ command }) => `bash <<'ATTEMPT' 2>&1\n${command}\nATTEMPT\necho; echo '${nextAttempt}'`);

  const groups = {
    "files of the host": hostFiles,
    "environment and processes": environment,
    interpreters,
    network,
  };
  for (const [group, attempts] of Object.entries(groups)) {
    test(`${group}: no attempt of one script succeeds`, async () => {
      const output = await attempt(together(Object.values(attempts)).join("\n"), 60);
      const parts = output.split(`${nextAttempt}\n`);
      assert.equal(parts.length, Object.keys(attempts).length + 1);
      for (const [index, [title, { expect }]] of Object.entries(attempts).entries())
        assert.match(parts[index] ?? "", expect, title);
    });
  }

  for (const [title, row] of Object.entries(resources)) {
    if (row.isVariant && !isLong) continue;
    test(title, async () => {
      const seconds = row.timeoutSeconds ?? 30;
      assert.match(await attempt(row.command, isLong ? seconds : 1), row.expect);
    });
  }

  if (isLong)
    for (const [title, { command, expect }] of Object.values(groups).flatMap((group) =>
      Object.entries(group),
    ))
      test(title, async () => assert.match(await attempt(command, 30), expect));

  test("they are at least 60", () => {
    const count = Object.values({ ...groups, resources }).reduce(
      (sum, attempts) => sum + Object.keys(attempts).length,
      0,
    );
    assert.ok(count >= 60, String(count));
  });
});
