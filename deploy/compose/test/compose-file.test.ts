import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import {
  type ComposeService,
  composeText,
  folder,
  processesIn,
  readComposeFile,
  readDocument,
} from "./support/compose-file.ts";
import { makeEnv } from "./support/env-file.ts";
import { interpolateAll, MissingVariable, variablesIn } from "./support/interpolate.ts";
import { processNames, readSettings } from "./support/settings.ts";

const variables = makeEnv();
const file = readComposeFile(variables);
const { services } = file;
const dockerfile = readFileSync(join(folder, "../docker/Dockerfile"), "utf8");
const processes = processesIn(file);
const processImage = "ghcr.io/muster/muster:0.1.0";

function serviceNamed(name: string): ComposeService {
  const found = services[name];
  assert.ok(found, `compose.yaml has no service ${name}`);
  return found;
}

/** The folders that a container has from volumes and tmpfs, with their sources. */
function mounts({
  volumes,
  tmpfs,
}: ComposeService): Array<{ source: string; target: string; isWritable: boolean }> {
  const bound = volumes.map((volume) => {
    const [source = "", target = "", mode] = volume.split(":");
    return { source, target, isWritable: mode !== "ro" };
  });
  const temporary = tmpfs.map((each) => ({
    source: "tmpfs",
    target: each.split(":")[0] ?? "",
    isWritable: true,
  }));
  return [...bound, ...temporary];
}

const seconds = (text = ""): number => {
  const [, count] = /^(\d+)s$/.exec(text) ?? [];
  assert.ok(count, `"${text}" is a number of seconds`);
  return Number(count);
};

describe("compose.yaml and the Compose Specification", () => {
  // The package contains the schema of the specification's repository.
  const linter = dirname(fileURLToPath(import.meta.resolve("dclint/package.json")));
  const schema: object = JSON.parse(readFileSync(join(linter, "schemas/compose.schema.json"), "utf8"));
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, validateSchema: false });
  const isValid = ajv.compile(schema);

  test("the file matches the schema of the specification", () => {
    assert.equal(isValid(readDocument(variables)), true, ajv.errorsText(isValid.errors));
  });

  test("compose.bubblewrap.yaml matches it, too, needs an image, and changes nothing but workforce's walls", () => {
    const document = parse(readFileSync(join(folder, "compose.bubblewrap.yaml"), "utf8"));
    assert.equal(isValid(document), true, ajv.errorsText(isValid.errors));
    assert.throws(() => interpolateAll(document, variables), MissingVariable);
    const { services: changed } = z.object({ services: z.record(z.string(), z.unknown()) }).parse(document);
    assert.deepEqual(Object.keys(changed), ["workforce"]);
    // Compose adds these to the list of compose.yaml, where no-new-privileges stays.
    expect(changed.workforce).toEqual({
      image: expect.stringContaining("MUSTER_PROGRAMS_IMAGE"),
      environment: { COMPUTER_RUNTIME: "bubblewrap" },
      security_opt: ["seccomp=unconfined", "apparmor=unconfined", "systempaths=unconfined"],
    });
  });

  test.each([
    ["an unknown key of a service", { image: "a", health_check: {} }],
    ["a port that is an object without a target", { image: "a", ports: [{ publish: 1 }] }],
    ["a condition that does not exist", { image: "a", depends_on: { b: { condition: "healthy" } } }],
  ])("the schema refuses %s", (_, service) => {
    assert.equal(isValid({ services: { a: service } }), false);
  });
});

describe("the variables of compose.yaml", () => {
  const used = variablesIn(composeText);
  const required = used.filter((name) => composeText.includes(`\${${name}:?`));

  test(".env.example lists exactly the variables of compose.yaml", () => {
    const listed = parseEnv(readFileSync(join(folder, ".env.example"), "utf8"));
    assert.deepEqual(Object.keys(listed).sort(), used);
  });

  test("no secret has a default, in compose.yaml or in .env.example", () => {
    const listed = parseEnv(readFileSync(join(folder, ".env.example"), "utf8"));
    const secret = /SECRET|KEY|PASSWORD|TOKEN/;
    const secrets = used.filter((name) => secret.test(name));
    expect(secrets).toEqual(expect.arrayContaining(["GRAFANA_ADMIN_PASSWORD", "MUSTER_SECRETS_KEY"]));
    for (const name of secrets) {
      assert.doesNotMatch(composeText, new RegExp(`\\$\\{${name}:-[^}]`));
      assert.equal(listed[name], "");
    }
  });

  test("make-env.sh writes exactly the required variables, with new secrets each time", () => {
    const again = makeEnv();
    assert.deepEqual(Object.keys(variables).sort(), required);
    for (const name of required) assert.notEqual(variables[name], again[name]);
  });

  test("make-env.sh keeps the secrets that .env has, and adds those that it lacks", () => {
    const kept = { ...variables, LOG_LEVEL: "debug", MONGODB_PASSWORD: undefined };
    const { MONGODB_PASSWORD, ...others } = makeEnv(kept);
    assert.match(MONGODB_PASSWORD ?? "", /^[0-9a-f]{48}$/);
    const { MONGODB_PASSWORD: _, ...expected } = kept;
    assert.deepEqual(others, expected);
  });

  test("without a required variable, the file is refused with a message that says what to run", () => {
    for (const name of required) {
      const isAboutIt = (error: unknown) =>
        error instanceof MissingVariable &&
        error.variable === name &&
        error.message.includes("sh make-env.sh");
      assert.throws(() => readComposeFile({ ...variables, [name]: "" }), isAboutIt);
    }
  });
});

describe("the processes in compose.yaml", () => {
  const page = readFileSync(join(folder, "../../docs/configuration.md"), "utf8");
  const documented = new Set(page.match(/`[A-Z][A-Z0-9_]+`/g)?.map((name) => name.slice(1, -1)));

  test("there is one service for each process of the product", () => {
    assert.deepEqual(processes.map(([name]) => name).sort(), processNames.toSorted());
    for (const [name, { command }] of processes) assert.deepEqual(command, [name]);
    const entry: unknown = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(dockerfile)?.[1] ?? "[]");
    assert.ok(Array.isArray(entry) && entry.at(-1) === "serve");
  });

  test("two gateways and two sessions processes run", () => {
    assert.equal(serviceNamed("gateway").deploy.replicas, 2);
    assert.equal(serviceNamed("sessions").deploy.replicas, 2);
  });

  test.each(processes)(
    "%s starts with its environment, reads all of it, and the settings are documented",
    (name, service) => {
      const { names } = readSettings(name, service.environment);
      for (const variable of Object.keys(service.environment)) {
        assert.ok(names.has(variable), `${name} does not read ${variable}`);
        if (variable !== "METRICS_PORT")
          assert.ok(documented.has(variable), `docs/configuration.md does not describe ${variable}`);
      }
    },
  );

  test.each(processes)(
    "every address that %s calls is that of a service on a network of both",
    (name, service) => {
      for (const [variable, address] of Object.entries(service.environment)) {
        if (!variable.endsWith("_ADDRESSES")) continue;
        const [, host = "", port] = /^dns:\/\/\/([a-z]+):(\d+)$/.exec(address) ?? [];
        assert.equal(variable, `${host.toUpperCase()}_ADDRESSES`);
        const called = serviceNamed(host);
        assert.equal(readSettings(host, called.environment).listen.port, Number(port));
        assert.ok(
          called.networks.some((network) => service.networks.includes(network)),
          `${name} reaches ${host}`,
        );
      }
    },
  );

  test("the addresses of MongoDB and NATS are those of their services", () => {
    for (const [name, { environment, networks }] of processes) {
      const { MONGODB_URI, NATS_URL } = environment;
      const user = `muster:${variables.MONGODB_PASSWORD}`;
      if (MONGODB_URI) assert.equal(MONGODB_URI, `mongodb://${user}@mongodb:27017/?replicaSet=rs0`);
      if (NATS_URL) assert.equal(NATS_URL, "nats://nats:4222");
      assert.ok(networks.includes("data"), name);
    }
    assert.match(readFileSync(join(folder, "mongodb/start.sh"), "utf8"), /mongod --replSet rs0 --keyFile /);
  });

  test("all use the image that one of them builds from the root of the repository", () => {
    for (const [name, { image }] of processes) assert.equal(image, processImage, name);
    const builds = Object.values(services).flatMap(({ build }) => build ?? []);
    assert.equal(builds.length, 1, "parallel builds of one name fail with `image … already exists`");
    for (const { context, dockerfile: path, args } of builds) {
      assert.equal(resolve(folder, context), resolve(folder, "../.."));
      assert.equal(path, "deploy/docker/Dockerfile");
      assert.deepEqual(Object.keys(args).sort(), ["COMMIT_SHA", "DEPLOYMENT_ID"]);
    }
  });

  test("all serve metrics on the port that Prometheus asks, under the names of their services", () => {
    const scrape = z.object({
      job_name: z.string(),
      dns_sd_configs: z.array(z.object({ names: z.array(z.string()), port: z.number() })),
    });
    const config = readFileSync(join(folder, "prometheus/prometheus.yaml"), "utf8");
    const { scrape_configs } = z.object({ scrape_configs: z.array(scrape) }).parse(parse(config));
    const [{ names, port } = { names: [], port: 0 }] = scrape_configs.flatMap((each) => each.dns_sd_configs);
    assert.deepEqual(names.toSorted(), processNames.toSorted());
    for (const name of names) {
      assert.equal(readSettings(name, serviceNamed(name).environment).metricsPort, port);
      assert.ok(
        serviceNamed(name).networks.some((network) => serviceNamed("prometheus").networks.includes(network)),
      );
    }
  });

  test("files are on one volume that every process mounts that has a setting for it", () => {
    for (const [name, service] of processes) {
      const directories = ["FILES_DIRECTORY", "DATA_DIR"].flatMap((each) => service.environment[each] ?? []);
      const target = mounts(service).find(({ source }) => source === "data")?.target;
      if (directories.length === 0) assert.equal(target, undefined, name);
      for (const directory of directories) {
        assert.ok(target && !posix.relative(target, directory).startsWith(".."), `${name}: ${directory}`);
      }
    }
  });

  test("a fresh volume for files belongs to the user of the processes", () => {
    const [, ids = "", path] = /^COPY .*--chown=(\d+:\d+) \S+ (\/data)$/m.exec(dockerfile) ?? [];
    assert.equal(path, "/data");
    for (const [, { user }] of processes) assert.equal(user, ids);
  });

  test("Docker waits longer for each process than its own stop takes at most", () => {
    for (const [, { environment, stop_grace_period }] of processes) {
      const drainS = Number(environment.DRAIN_SECONDS ?? 10);
      assert.ok(seconds(stop_grace_period) > drainS + 10);
    }
  });
});

describe("the containers in compose.yaml", () => {
  const all = Object.entries(services);

  test.each(all)(
    "%s has a read-only root, no capabilities, no new privileges, a restart policy and limits",
    (_, service) => {
      assert.equal(service.read_only, true);
      assert.deepEqual([service.cap_drop, service.cap_add], [["ALL"], []]);
      assert.deepEqual(service.security_opt, ["no-new-privileges:true"]);
      assert.equal(service.restart, "unless-stopped");
      const { cpus, memory } = service.deploy.resources.limits;
      assert.ok(Number(cpus) > 0);
      assert.match(memory ?? "", /^\d+[MG]$/);
    },
  );

  test("the processes run as user 10001, with a temporary folder in memory that is smaller than their limit", () => {
    for (const [name, { user, tmpfs, deploy }] of processes) {
      assert.equal(user, "10001:10001");
      const [, megabytes] = /^\/tmp:size=(\d+)m,mode=1777$/.exec(tmpfs[0] ?? "") ?? [];
      const [, count, unit] = /^(\d+)([MG])$/.exec(deploy.resources.limits.memory ?? "") ?? [];
      assert.ok(Number(megabytes) * 2 < Number(count) * (unit === "G" ? 1024 : 1), name);
    }
  });

  test("only the proxy and Grafana are reachable from outside, and only from this host unless MUSTER_BIND says otherwise", () => {
    const published = all.flatMap(([name, { ports }]) => ports.map((port) => `${name} ${port}`));
    assert.deepEqual(published, ["proxy 127.0.0.1:8080:8080", "grafana 127.0.0.1:3000:3000"]);
  });

  test("MongoDB and NATS are on a network without a way out, which nothing but the processes joins", () => {
    const members = all.filter(([, { networks }]) => networks.includes("data")).map(([name]) => name);
    assert.deepEqual(members.sort(), [...processNames, "mongodb", "nats"].sort());
    assert.equal(file.networks.data?.internal, true);
    assert.deepEqual([serviceNamed("mongodb").networks, serviceNamed("nats").networks], [["data"], ["data"]]);
  });

  test("the proxy reaches the gateways and nothing else", () => {
    const members = all.filter(([, { networks }]) => networks.includes("edge")).map(([name]) => name);
    assert.deepEqual([members.sort(), serviceNamed("proxy").networks], [["gateway", "proxy"], ["edge"]]);
  });

  test("the gateways trust the network of the proxy and no other", () => {
    const { TRUSTED_PROXIES } =
      readComposeFile({ ...variables, EDGE_SUBNET: "10.9.0.0/24" }).services.gateway?.environment ?? {};
    assert.equal(TRUSTED_PROXIES, "10.9.0.0/24");
    assert.match(
      composeText,
      /edge:\n\s+ipam:\n\s+config:\n\s+- subnet: \$\{EDGE_SUBNET:-172\.31\.251\.0\/24\}/,
    );
  });

  test.each(all)(
    "the networks, volumes and dependencies of %s exist, and its mounted files too",
    (_, service) => {
      for (const network of service.networks) assert.ok(Object.hasOwn(file.networks, network), network);
      for (const { source, target } of mounts(service)) {
        assert.ok(posix.isAbsolute(target), target);
        if (source.startsWith("./")) assert.ok(existsSync(join(folder, source)), source);
        else if (source !== "tmpfs") assert.ok(Object.hasOwn(file.volumes, source), source);
      }
      for (const [name, { condition }] of Object.entries(service.depends_on)) {
        assert.equal(condition, "service_healthy");
        assert.ok(isChecked(serviceNamed(name)), `${name} has a health check`);
      }
    },
  );

  test("every volume and network is used", () => {
    const used = all.flatMap(([, service]) => [
      ...service.networks,
      ...mounts(service).map(({ source }) => source),
    ]);
    for (const name of [...Object.keys(file.volumes), ...Object.keys(file.networks)])
      expect(used).toContain(name);
  });

  test("each service starts after everything that it calls, and no two wait for each other", () => {
    const reach = (name: string, via: readonly string[] = []): string[] => {
      assert.ok(!via.includes(name), `${[...via, name].join(" waits for ")}`);
      return Object.keys(serviceNamed(name).depends_on).flatMap((next) => [
        next,
        ...reach(next, [...via, name]),
      ]);
    };
    for (const [name, { environment }] of all) {
      const before = reach(name);
      for (const [variable, value] of Object.entries(environment)) {
        const [, host] = /^[a-z]+:\/{2,3}(?:\S+@)?([a-z]+):\d+/.exec(value) ?? [];
        if (host && Object.hasOwn(services, host))
          assert.ok(before.includes(host), `${name} waits for ${host} (${variable})`);
      }
    }
  });
});

/** Its own health check, or that of the image. */
function isChecked({ healthcheck, image }: ComposeService): boolean {
  const { test: command } = healthcheck ?? {};
  if (command) return ["CMD", "CMD-SHELL"].includes(command[0] ?? "") && command.length > 1;
  return image === processImage && /^HEALTHCHECK .*CMD \[/m.test(dockerfile);
}
