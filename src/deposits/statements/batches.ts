import { DAY_MS } from '../../core/durations.js';
import { WITNESS_GAP_MS } from '../witnesses.js';
import type { IdentifiedLine } from './chain.js';

/** Lines of one transaction. */
const BATCH = 500;

/**
 * One slip may fit a line of the batch and a later line. This is the longest time between two such lines: each may be
 * `WITNESS_GAP_MS` away from the slip, plus a day, because a time may be only a day.
 */
const AHEAD_MS = 2 * (WITNESS_GAP_MS + DAY_MS);

/** The lines of a file that are not imported yet. */
export interface Upcoming {
  /** The lines that the next transaction writes. A transaction returns here the lines that it wrote. */
  batch: IdentifiedLine[];
  /** The lines after the batch that were read already: all on which the batch's payments may depend, and perhaps more. */
  ahead: readonly IdentifiedLine[];
  /** The lines after these. */
  rest: Iterator<IdentifiedLine>;
}

/** The next batch, which is empty at the end. */
export function nextOf({ ahead, rest }: Omit<Upcoming, 'batch'>): Upcoming {
  const lines = [...ahead];
  const isEnough = (): boolean => {
    const [last, newest] = [lines[BATCH - 1], lines.at(-1)];
    return last !== undefined && newest !== undefined && newest.at.getTime() > last.at.getTime() + AHEAD_MS;
  };
  while (!isEnough()) {
    const next = rest.next();
    if (next.done) break;
    lines.push(next.value);
  }
  return { batch: lines.slice(0, BATCH), ahead: lines.slice(BATCH), rest };
}
