import type { Answer, OrderHistory } from './merchants.js';

/** The effects of a fault on merchants; times in seconds. */
export interface Figures {
  orders: number;
  /** The longest time without an acknowledged order. */
  withoutOk: number;
  /** The longest time from the acknowledgement of an order to the webhook about its end. */
  worstOrder: number;
  /** The number of answers by status. A 503 without Retry-After, and no answer, have their own names. */
  statuses: Record<string, number>;
  /** The times of answers with 200, in milliseconds: before the fault, and from its beginning on. */
  p99Before: number;
  p99During: number;
}

export interface Measured {
  histories: readonly OrderHistory[];
  /** The time of the first webhook about each order's end, by its reference. */
  reportedAtMs: ReadonlyMap<string, number>;
  faultAtMs: number;
  /** The time after which no more orders were placed. */
  endAtMs: number;
}

export function figuresOf({ histories, reportedAtMs, faultAtMs, endAtMs }: Measured): Figures {
  const answers = histories.flatMap((history) => history.answers);
  const oks = answers.filter(({ status }) => status === 200);
  const waits = histories.map(({ reference, acknowledgedAtMs }) =>
    acknowledgedAtMs === null ? Infinity : (reportedAtMs.get(reference) ?? Infinity) - acknowledgedAtMs,
  );
  return {
    orders: histories.length,
    withoutOk:
      longestGapMs(
        oks.map(({ atMs }) => atMs),
        faultAtMs,
        endAtMs,
      ) / 1000,
    worstOrder: Math.max(0, ...waits) / 1000,
    statuses: countStatuses(answers),
    p99Before: p99(oks.filter(({ atMs }) => atMs < faultAtMs)),
    p99During: p99(oks.filter(({ sentAtMs }) => sentAtMs >= faultAtMs)),
  };
}

/** The answers from the last one before the fault until the end. */
function longestGapMs(moments: number[], faultAtMs: number, endAtMs: number): number {
  const sorted = moments.sort((one, other) => one - other);
  const before = sorted.filter((atMs) => atMs < faultAtMs).at(-1) ?? faultAtMs;
  const marks = [before, ...sorted.filter((atMs) => atMs >= faultAtMs && atMs < endAtMs), endAtMs];
  return Math.max(...marks.slice(1).map((atMs, index) => atMs - (marks[index] ?? atMs)));
}

function countStatuses(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const name = nameOf(answer);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const nameOf = ({ status, isOurs }: Answer): string =>
  status === 503 && !isOurs ? '503 without Retry-After' : String(status);

/** Whether merchants got only answers that the contract allows. */
export const isPromised = (statuses: Record<string, number>): boolean =>
  Object.keys(statuses).every((status) => status === '200' || status === '503');

function p99(answers: Answer[]): number {
  const tookMs = answers.map(({ sentAtMs, atMs }) => atMs - sentAtMs).sort((one, other) => one - other);
  return tookMs[Math.floor(tookMs.length * 0.99)] ?? 0;
}
