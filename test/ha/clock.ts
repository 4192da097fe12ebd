import { findFakeTime } from '../chaos/fake-time.js';
import type { Laboratory } from './laboratory.js';
import type { Machine } from './machine.js';

const AHEAD = '+300s';
const RIGHT = '+0s';
const CLOCK = '/run/topup-clock';
const PROGRAM = '/run/postgresql-programs/postgres';

let library = '';
let chosen: Machine | undefined;

/** PostgreSQL's clock on one machine, set with libfaketime. All other programs of the machine have the right time. */
const withClock = (original: string): string => `#!/bin/sh
[ -s ${CLOCK} ] && export LD_PRELOAD=${library} FAKETIME_TIMESTAMP_FILE=${CLOCK} FAKETIME_CACHE_DURATION=1 FAKETIME_DONT_FAKE_MONOTONIC=1
exec ${original} "$@"
`;

/** Starts a standby with a clock that can be set. */
async function prepare({ cluster, postgresql }: Laboratory): Promise<void> {
  const found = findFakeTime();
  if ('missing' in found) throw new Error(`clocks can’t be set: ${found.missing}`);
  library = found.library;
  chosen = await cluster.synchronousStandby();
  await chosen.run(['rm', '-f', PROGRAM]);
  chosen.write(PROGRAM, withClock(`${postgresql}/postgres`), { mode: 0o755 });
  chosen.write(CLOCK, RIGHT);
  await cluster.restart(chosen);
  await cluster.untilHealthy();
}

export const beginClockFault = {
  prepare,
  async begin({ cluster }: Laboratory): Promise<() => Promise<void>> {
    if (!chosen) throw new Error('no machine has a clock that can be set');
    const machine = chosen;
    machine.write(CLOCK, AHEAD);
    await cluster.switchOver(await cluster.primary(), machine);
    return async () => {
      machine.write(CLOCK, RIGHT);
      await Promise.resolve();
    };
  },
};
