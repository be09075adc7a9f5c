/** The steps of one request with an idempotency key. Each may fail, and its process may die after it. */
export interface Steps<Row, Prepared extends { row: Row }> {
  findRow(): Promise<Row | null>;
  /** Throws unless the row belongs to a request like this one. */
  assertSame(row: Row): void;
  /** Checks the request and prepares the turn, in memory only; with the ids of the row, if there is one. */
  prepare(row?: Row): Promise<Prepared>;
  /** False: there is one. */
  insertRow(row: Row): Promise<boolean>;
  hasSession(row: Row): Promise<boolean>;
  /** False: the session exists. */
  insertSession(prepared: Prepared): Promise<boolean>;
  /** Waits while the request that has inserted the row may still insert the session. False: it has had its time. */
  giveTime(row: Row): Promise<boolean>;
}

/** `prepared`: this request has opened the session and runs the turn. Otherwise another one has. */
export type Outcome<Row, Prepared> = { prepared: Prepared } | { row: Row };

/**
 * At most one of all requests with a key opens a session. The row decides which session, and the insert of the session
 * decides who runs its turn: if a process dies between the two, the next request inserts the same session. Time only
 * decides when to try.
 */
export async function startOnce<Row, Prepared extends { row: Row }>(
  steps: Steps<Row, Prepared>,
): Promise<Outcome<Row, Prepared>> {
  const attempt = await firstAttempt(steps);
  if (attempt.prepared !== undefined) return open(steps, attempt.prepared);
  const row = await steps.findRow();
  if (row === null) throw attempt.refusal ?? new Error("The start of a session exists and cannot be read.");
  steps.assertSame(row);
  while (!(await steps.hasSession(row))) {
    if (!(await steps.giveTime(row))) return open(steps, await steps.prepare(row));
  }
  return { row };
}

/**
 * The request is treated as the first, as most are: they need not look for a row. A request that is refused now may be
 * a repeat.
 */
async function firstAttempt<Row, Prepared extends { row: Row }>(
  steps: Steps<Row, Prepared>,
): Promise<{ prepared?: Prepared; refusal?: unknown }> {
  let prepared: Prepared;
  try {
    prepared = await steps.prepare();
  } catch (refusal) {
    return { refusal };
  }
  return (await steps.insertRow(prepared.row)) ? { prepared } : {};
}

async function open<Row, Prepared extends { row: Row }>(
  steps: Steps<Row, Prepared>,
  prepared: Prepared,
): Promise<Outcome<Row, Prepared>> {
  return (await steps.insertSession(prepared)) ? { prepared } : { row: prepared.row };
}
