import { type LimitReached, limitReachedBy, monthOf, type SpendingLimits } from "@muster/rpc";
import type { Clock } from "@muster/service";
import { subtractDecimals } from "@muster/service/money";
import type { OwnersLimits } from "../agents/project-settings.ts";
import type { Crossing } from "../store/limit-notice-store.ts";
import type { SpendingLimit } from "../store/session-document.ts";
import type { Sums, UsageScope } from "../store/usage-store.ts";
import { plus, type UsageLedger } from "./usage-ledger.ts";

/** The owners whose limits count a model call. */
export interface ChargedTo {
  projectId: string;
  keyId?: string;
  /** For whom the session or the execution is. */
  subject?: string;
  workforceAgentId?: string;
  /** The limits of a workforce agent's run, besides those of the project and the key. */
  limits?: readonly SpendingLimit[];
}

/** Whose limit is reached. `workforce`: that of all workforce agents of the project. */
type Whose = "project" | "key" | "subject" | "agent" | "workforce";

export interface ReachedLimit {
  whose: Whose;
  reached: LimitReached;
}

/** A model call that limits count. */
export interface Flight {
  /** The call is recorded: it counts with this use until a sum contains it. */
  recorded(used: Sums): void;
  /** The call has ended. Unless it was recorded, it no longer counts. */
  end(): void;
}

export type SpendingGuard = ReturnType<typeof createSpendingGuard>;

interface Dependencies {
  ledger: Pick<UsageLedger, "sum">;
  /** Undefined: the project and its keys have no limits. */
  limitsOf(projectId: string): Promise<OwnersLimits | undefined>;
  clock: Clock;
  /** A share of a limit is used. Called once for each on this instance. */
  announce(crossing: Crossing): void;
}

/** A limit with the use that it counts. */
interface Limited {
  whose: Whose;
  limits: SpendingLimits;
  scope: UsageScope;
}

/** The use of one scope, as far as this instance knows it. */
interface Account {
  sums: Sums;
  /** When the sum was asked for, by the monotonic clock, and the number of the question. */
  askedAtMs: number;
  question: number;
  asking?: { atMs: number; answer: Promise<void> } | undefined;
  /** The calls in flight: their number, and the sum of their estimates. */
  open: number;
  inFlight: Sums;
  /** The calls that the sum may lack, by the last question before they were recorded: the next one finds them. */
  recorded: Map<number, Sums>;
  /** The share of the limit that was last noticed. */
  noticed: { percent: number } & Crossing["bounds"];
}

const maxAgeMs = 1_000;
/** With more accounts, those without calls are forgotten once their sums are too old to be used. */
const manyAccounts = 1_000;

/**
 * Compares the use of a month with its limits before each model call. It knows sums that are a second old at most, and in
 * addition the calls of this instance that they may lack: those in flight with their estimated maximum. So several calls at
 * once exceed a limit by no more than one step of each call in flight, and each other instance by its calls of that second.
 * Without a limit it neither asks nor remembers anything.
 */
export function createSpendingGuard({ ledger, limitsOf, clock, announce }: Dependencies) {
  const accounts = new Map<string, Account>();
  let questions = 0;

  const limitsFor = async ({ projectId, keyId, subject, workforceAgentId, limits = [] }: ChargedTo) => {
    const month = monthOf(clock.now());
    const found: Limited[] = limits.map(({ scope, ...ofRun }) => {
      const agents = scope === "agent" ? (workforceAgentId ?? "") : { $exists: true as const };
      const whose = scope === "agent" ? "agent" : "workforce";
      return { whose, limits: ofRun, scope: { projectId, month, workforceAgentId: agents } };
    });
    const owners = await limitsOf(projectId);
    if (owners !== undefined) {
      found.push({ whose: "project", limits: owners.project, scope: { projectId, month } });
      const ofKey = owners.keys.get(keyId ?? "");
      if (subject !== undefined)
        found.push({ whose: "subject", limits: owners.perSubject, scope: { projectId, subject, month } });
      if (ofKey && keyId) found.push({ whose: "key", limits: ofKey, scope: { projectId, keyId, month } });
    }
    return found.filter((each) => Object.keys(each.limits).length > 0);
  };

  const ask = async (account: Account, scope: UsageScope, askedAtMs: number): Promise<void> => {
    const question = ++questions;
    const sums = await ledger.sum(scope);
    // A later question can be faster.
    if (question < account.question) return;
    Object.assign(account, { sums, askedAtMs, question });
    for (const after of account.recorded.keys()) if (after < question) account.recorded.delete(after);
  };

  const accountOf = async ({ whose, scope }: Limited): Promise<Account> => {
    const { projectId, month, keyId = "", subject = "", workforceAgentId = "" } = scope;
    const id = [whose, projectId, month, keyId, whose === "agent" ? workforceAgentId : "", subject].join(" ");
    const account = accounts.get(id) ?? newAccount();
    if (!accounts.has(id)) forgetIdle(accounts, clock.monotonicMs());
    accounts.set(id, account);
    // Other instances' runs count at once, as each may exceed the limit by one step only.
    const nowMs = clock.monotonicMs();
    const sinceMs = nowMs - (isOwners(whose) ? maxAgeMs : -1);
    if (account.askedAtMs >= sinceMs) return account;
    if (account.asking === undefined || account.asking.atMs < sinceMs) {
      const asking = { atMs: nowMs, answer: ask(account, scope, nowMs) };
      account.asking = asking;
      const done = () => {
        if (account.asking === asking) account.asking = undefined;
      };
      asking.answer.then(done, done);
    }
    await account.asking.answer;
    return account;
  };

  /** The first limit that is reached, or what passes: no other call is counted between the comparison and it. */
  const check = async <Passed>(
    to: ChargedTo,
    pass: (accounts: Account[]) => Passed,
  ): Promise<ReachedLimit | Passed> => {
    const limited = await limitsFor(to);
    const used = await Promise.all(limited.map(accountOf));
    for (const [index, { whose, limits, scope }] of limited.entries()) {
      const account = used[index];
      if (account === undefined) continue;
      const sums = usedIn(account, isOwners(whose));
      notice(announce, { whose, scope }, account, sums, limits);
      const reached = limitReachedBy(sums, limits);
      if (reached !== undefined) return { whose, reached };
    }
    return pass(used);
  };

  return {
    /** Whether a limit counts its calls. */
    isLimited: async (to: ChargedTo): Promise<boolean> => (await limitsFor(to)).length > 0,

    /** The first limit that is reached. */
    reached: (to: ChargedTo): Promise<ReachedLimit | undefined> => check(to, () => undefined),

    /** Counts a call, unless a limit is reached. `estimate`: its maximum. Undefined: no limit counts it. */
    admit: (to: ChargedTo, estimate: () => Sums): Promise<ReachedLimit | Flight | undefined> =>
      check(to, (counting) => {
        if (counting.length === 0) return undefined;
        return flightIn(counting, estimate(), () => questions);
      }),
  };
}

/** The limits of those who own sessions; the others are of a run. */
function isOwners(whose: Whose): boolean {
  return whose === "project" || whose === "key" || whose === "subject";
}

/** Its cost does not depend on the number of other calls. */
function flightIn(accounts: readonly Account[], most: Sums, lastQuestion: () => number): Flight {
  let isOpen = true;
  for (const account of accounts) {
    account.open += 1;
    account.inFlight = plus(account.inFlight, most);
  }
  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    for (const account of accounts) {
      account.open -= 1;
      account.inFlight = minus(account.inFlight, most);
    }
  };
  const recorded = (used: Sums): void => {
    end();
    const after = lastQuestion();
    for (const { recorded: sums } of accounts) sums.set(after, plus(sums.get(after) ?? nothing, used));
  };
  return { end, recorded };
}

function minus(a: Sums, b: Sums): Sums {
  return { totalFee: subtractDecimals(a.totalFee, b.totalFee), tokens: a.tokens - b.tokens };
}

const nothing: Sums = { totalFee: "0", tokens: 0 };

function newAccount(): Account {
  return {
    sums: nothing,
    askedAtMs: Number.NEGATIVE_INFINITY,
    question: 0,
    open: 0,
    inFlight: nothing,
    recorded: new Map(),
    noticed: { percent: 0 },
  };
}

function forgetIdle(accounts: Map<string, Account>, nowMs: number): void {
  if (accounts.size < manyAccounts) return;
  for (const [id, { asking, askedAtMs, open }] of accounts) {
    if (asking === undefined && open === 0 && nowMs - askedAtMs > maxAgeMs) accounts.delete(id);
  }
}

/** `withFlights`: calls in flight count. The runs of workforce agents may each exceed their limits by a step. */
function usedIn({ sums, inFlight, recorded }: Account, withFlights: boolean): Sums {
  const used = [...recorded.values()].reduce(plus, sums);
  return withFlights ? plus(used, inFlight) : used;
}

/** A month's use is near its limit, or has reached it; once for each on this instance. */
function notice(
  announce: Dependencies["announce"],
  { whose: limit, scope }: Pick<Limited, "whose" | "scope">,
  account: Account,
  { totalFee, tokens }: Sums,
  { monthlyUsd, monthlyTokens }: SpendingLimits,
): void {
  const isAt = (share: number) =>
    (monthlyUsd !== undefined && Number(totalFee) >= share * Number(monthlyUsd)) ||
    (monthlyTokens !== undefined && tokens >= share * monthlyTokens);
  const percent = isAt(1) ? 100 : isAt(0.8) ? 80 : 0;
  const { noticed } = account;
  // Another limit can be reached again.
  const isKnown = noticed.monthlyUsd === monthlyUsd && noticed.monthlyTokens === monthlyTokens;
  account.noticed = { percent, monthlyUsd, monthlyTokens };
  if (percent === 0 || (isKnown && percent <= noticed.percent)) return;
  const { projectId, month, keyId, subject, workforceAgentId } = scope;
  const owners = { key: keyId, subject, agent: workforceAgentId, project: undefined, workforce: undefined };
  const ownerId = owners[limit];
  const bounds = { monthlyUsd, monthlyTokens };
  announce({ projectId, limit, month, percent, bounds, ...(typeof ownerId === "string" && { ownerId }) });
}
