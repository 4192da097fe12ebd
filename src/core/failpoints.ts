import { writeSync } from 'node:fs';

/** Places where tests may kill a process. Each lies between two steps that a crash can separate. */
export const FAILPOINTS = [
  /** Orders are committed and not yet acknowledged. */
  'order.committed',
  /** Units are claimed: the intent is committed, and nothing was sent. */
  'unit.claimed',
  /** A supplier is about to be called. */
  'supplier.calling',
  /** A call to a supplier has ended, and its outcome is not recorded. */
  'supplier.answered',
  /** An attempt certainly bought nothing. Neither its outcome nor the next attempt is recorded. */
  'unit.refused',
  /** The next attempts are committed, and no wake-up went out for them. */
  'unit.reattempted',
  /** Ends of orders are committed, and no wake-up went out for their webhooks. */
  'order.ended',
  /** Postponed units are committed, and no wake-up went out for them. */
  'unit.postponed',
  /** Redis has taken wake-ups. */
  'wake_up.enqueued',
  /** Deliveries are claimed: their attempts have begun, and nothing was sent. */
  'delivery.claimed',
  /** A webhook was sent, and the attempt's result is not recorded. */
  'delivery.sent',
  /** Attempts' results are recorded, and no wake-up went out for their retries. */
  'attempt.recorded',
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

/** How many passes are left to each failpoint, the fatal one included. Null while no failpoint is armed. */
let armed: Map<string, number> | null = null;

/** Kills the process here if {@link armFailpoints} armed this failpoint for this pass; otherwise does nothing. */
export function failpoint(name: Failpoint): void {
  if (armed !== null) pass(armed, name);
}

/**
 * Arms the failpoints in `TOPUP_FAILPOINTS`: `order.committed=kill@3` kills the process with SIGKILL at the third pass. Commas
 * separate failpoints. Only tests set this variable.
 * @throws Error for a name or an action that does not exist, and in production.
 */
export function armFailpoints({ TOPUP_FAILPOINTS: text = '', NODE_ENV }: NodeJS.ProcessEnv): void {
  armed = null;
  if (text.trim() === '') return;
  if (NODE_ENV === 'production') {
    throw new Error('TOPUP_FAILPOINTS ends processes in tests: with NODE_ENV=production it must not be set.');
  }
  const points = new Map<string, number>();
  for (const part of text.split(',')) {
    const { name, times } = parse(part.trim());
    if (points.has(name)) throw new Error(`TOPUP_FAILPOINTS names ${name} twice.`);
    points.set(name, times);
  }
  armed = points;
}

function parse(part: string): { name: string; times: number } {
  const [, name, times] = /^([^=]+)=kill@([1-9]\d{0,8})$/.exec(part) ?? [];
  if (name === undefined) {
    throw new Error(`TOPUP_FAILPOINTS has ${JSON.stringify(part)}: it takes entries such as order.committed=kill@3.`);
  }
  if (!FAILPOINTS.some((known) => known === name)) {
    throw new Error(`TOPUP_FAILPOINTS names ${name}, which does not exist: it may be ${FAILPOINTS.join(', ')}.`);
  }
  return { name, times: Number(times) };
}

function pass(points: Map<string, number>, name: Failpoint): void {
  const left = points.get(name);
  if (left === undefined) return;
  points.set(name, left - 1);
  if (left > 1) return;
  writeSync(2, `failpoint ${name}: the process ends here\n`);
  // A process gets its own SIGKILL before this call returns, so no further code runs.
  process.kill(process.pid, 'SIGKILL');
}
