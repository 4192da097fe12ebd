import { findFakeTime } from '../chaos/fake-time.js';
import type { Laboratory } from './laboratory.js';
import type { Machine } from './machine.js';

const AHEAD = '+300s';
const CLOCK = '/run/topup-clock';
const PROGRAM = '/run/postgresql-programs/postgres';

let library = '';

/** PostgreSQL's clock on one machine, as libfaketime has it: everything else on the machine has the right time. */
const withClock = (original: string): string => `#!/bin/sh
[ -s ${CLOCK} ] && export LD_PRELOAD=${library} FAKETIME_TIMESTAMP_FILE=${CLOCK} FAKETIME_CACHE_DURATION=1 FAKETIME_DONT_FAKE_MONOTONIC=1
exec ${original} "$@"
`;

/** The other standby begins with a clock that can be set, and becomes the synchronous one. */
async function prepare({ cluster, postgresql }: Laboratory): Promise<void> {
  const found = findFakeTime();
  if ('missing' in found) throw new Error(`clocks can’t be set: ${found.missing}`);
  library = found.library;
  const chosen = await cluster.otherStandby();
  await chosen.run(['rm', '-f', PROGRAM]);
  chosen.write(PROGRAM, withClock(`${postgresql}/postgres`), { mode: 0o755 });
  chosen.write(CLOCK, '+0s');
  await cluster.restart(chosen);
  await cluster.untilHealthy();
  // While the synchronous one restarts, Patroni takes the other.
  await cluster.restart(await cluster.synchronousStandby());
  await cluster.untilHealthy();
}

const hasClock = async (machine: Machine): Promise<boolean> =>
  (await machine.run(['sh', '-c', `cat ${CLOCK} 2>/dev/null || true`])) !== '';

export const beginClockFault = {
  prepare,
  async begin({ cluster }: Laboratory): Promise<() => Promise<void>> {
    const standby = await cluster.synchronousStandby();
    if (!(await hasClock(standby))) throw new Error(`${standby.name} is no standby whose clock can be set`);
    standby.write(CLOCK, AHEAD);
    await cluster.switchOver(await cluster.primary(), standby);
    return async () => {
      standby.write(CLOCK, '+0s');
      await Promise.resolve();
    };
  },
};
