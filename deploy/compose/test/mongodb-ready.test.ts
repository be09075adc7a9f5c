import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { test } from "vitest";
import { folder } from "./support/compose-file.ts";

const script = readFileSync(join(folder, "mongodb/ready.js"), "utf8");
const passwords = { MONGODB_PASSWORD: "m", MONGODB_ROOT_PASSWORD: "r" };

class Refused extends Error {
  readonly codeName: string;
  constructor(codeName: string) {
    super(codeName);
    this.codeName = codeName;
  }
}

/**
 * The rules of a member with access control, which this machine has no MongoDB for: smoke.sh starts the real one. Without a user, its own
 * host may initiate the set and create one; every other command needs a login.
 */
function createMember() {
  const users = new Map<string, { pwd: string; roles: unknown[] }>();
  const roles = new Set<string>();
  const state = { isInitiated: false, isPrimary: false };
  /** One health check: its exit code, or the error that it throws. */
  const check = (env = passwords): number | string => {
    let user: string | undefined;
    const allow = (isAllowed: boolean) => {
      if (!isAllowed) throw new Refused("Unauthorized");
    };
    const admin = {
      auth: (name: string, pwd: string) => {
        if (users.get(name)?.pwd !== pwd) throw new Refused("AuthenticationFailed");
        user = name;
        return { ok: 1 };
      },
      createUser: (created: { user: string; pwd: string; roles: unknown[] }) => {
        allow(state.isPrimary && (user === "root" || users.size === 0));
        users.set(created.user, created);
      },
      getUser: (name: string) => allow(user === "root") ?? users.get(name) ?? null,
      getRole: (name: string) => allow(user === "root") ?? (roles.has(name) ? { role: name } : null),
      createRole: ({ role }: { role: string }) => allow(user === "root") ?? roles.add(role),
      grantRolesToUser: (name: string, granted: unknown[]) => users.get(name)?.roles.push(...granted),
    };
    const exit = Symbol("exit");
    try {
      runInNewContext(script, {
        process: { env },
        db: { getSiblingDB: () => admin, hello: () => ({ isWritablePrimary: state.isPrimary }) },
        rs: {
          initiate: () => {
            allow(user === "root" || users.size === 0);
            if (state.isInitiated) throw new Refused("AlreadyInitialized");
            state.isInitiated = true;
          },
        },
        quit: () => {
          throw exit;
        },
      });
      return 0;
    } catch (error) {
      return error === exit ? 1 : String(error);
    }
  };
  return { users, state, check };
}

const hasAll = ({ users }: ReturnType<typeof createMember>) => {
  assert.deepEqual([...users.keys()].sort(), ["muster", "root"]);
  assert.equal(users.get("root")?.roles.join(), "root,everything");
  assert.equal(users.get("muster")?.roles.length, 4);
};

test("a new MongoDB is healthy when it is initiated, accepts writes and has both users, and later checks change nothing", () => {
  const member = createMember();
  assert.equal(member.check(), 1);
  assert.deepEqual([member.state.isInitiated, member.users.size], [true, 0]);
  member.state.isPrimary = true;
  assert.equal(member.check(), 0);
  hasAll(member);
  assert.equal(member.check(), 0);
  hasAll(member);
});

test("a MongoDB of an installation without passwords gets its users and keeps its data", () => {
  const member = createMember();
  member.state.isInitiated = true;
  member.state.isPrimary = true;
  assert.equal(member.check(), 0);
  hasAll(member);
});

test("a check that was interrupted after the first user is completed by the next one", () => {
  const member = createMember();
  Object.assign(member.state, { isInitiated: true, isPrimary: true });
  member.users.set("root", { pwd: "r", roles: ["root"] });
  assert.equal(member.check(), 0);
  hasAll(member);
});

test("a MongoDB with another password is unhealthy and stays unchanged", () => {
  const member = createMember();
  Object.assign(member.state, { isInitiated: true, isPrimary: true });
  member.check();
  assert.match(String(member.check({ ...passwords, MONGODB_ROOT_PASSWORD: "other" })), /Unauthorized/);
  hasAll(member);
});
