import { setTimeout as delay } from 'node:timers/promises';
import type { Machine } from './machine.js';

interface Member {
  name: string;
  role: string;
  state: string;
}

const HEALTHY_WITHIN_MS = 180_000;
const POLL_MS = 500;
/** Longer than loop_wait, the interval of Patroni's checks. */
const HEARD_WITHIN_MS = 12_000;

/** PostgreSQL's machines in Patroni's view. */
export class PatroniCluster {
  constructor(readonly machines: readonly Machine[]) {}

  /** @throws if no machine answers. */
  async members(): Promise<Member[]> {
    for (const { address } of this.machines) {
      try {
        const response = await fetch(`http://${address}:8008/cluster`, {
          signal: AbortSignal.timeout(1_500),
        });
        const { members } = (await response.json()) as { members?: Member[] };
        if (members) return members;
      } catch {
        // Another machine may answer.
      }
    }
    throw new Error('no Patroni answers');
  }

  async primary(): Promise<Machine> {
    return this.machineOf(({ role }) => role === 'leader' || role === 'master');
  }

  /** A standby with all acknowledged transactions; with a quorum it may be any standby. */
  async synchronousStandby(): Promise<Machine> {
    return this.machineOf(({ role }) => role === 'sync_standby' || role === 'quorum_standby');
  }

  /** Makes another machine the primary, by an orderly switchover. */
  async switchOver(from: Machine, to: Machine): Promise<void> {
    await post(from, 'switchover', { leader: from.name, candidate: to.name });
  }

  async restart(machine: Machine): Promise<void> {
    await post(machine, 'restart', {});
  }

  /** Sets parameters of PostgreSQL on all machines, and waits until each has them. */
  async configure(parameters: Record<string, string>): Promise<void> {
    const [first] = this.machines;
    if (!first) throw new Error('there is no machine to configure');
    await call(first, 'PATCH', 'config', { postgresql: { parameters } });
    await delay(HEARD_WITHIN_MS);
  }

  /** Waits until all members run, and one is a synchronous standby. */
  async untilHealthy(withinMs = HEALTHY_WITHIN_MS): Promise<void> {
    let last: unknown = null;
    for (const deadline = performance.now() + withinMs; performance.now() < deadline; await delay(POLL_MS)) {
      last = await this.members().catch(String);
      if (Array.isArray(last) && isHealthy(last as Member[], this.machines.length)) return;
    }
    throw new Error(`PostgreSQL’s machines did not recover: ${JSON.stringify(last)}`);
  }

  private async machineOf(isIt: (member: Member) => boolean): Promise<Machine> {
    const members = await this.members();
    const machine = this.machines.find(({ name }) => members.some((each) => each.name === name && isIt(each)));
    if (!machine) throw new Error(`no such member: ${JSON.stringify(members)}`);
    return machine;
  }
}

function isHealthy(members: Member[], count: number): boolean {
  const isLeader = ({ role, state }: Member): boolean => /^(leader|master)$/.test(role) && state === 'running';
  const follows = ({ role, state }: Member): boolean =>
    /^(sync_standby|quorum_standby|replica)$/.test(role) && /^(streaming|running)$/.test(state);
  return (
    members.length === count &&
    members.filter(isLeader).length === 1 &&
    members.filter(follows).length === count - 1 &&
    members.some(({ role }) => role === 'sync_standby' || role === 'quorum_standby')
  );
}

const post = (machine: Machine, path: string, body: object): Promise<void> => call(machine, 'POST', path, body);

async function call({ address }: Machine, method: string, path: string, body: object): Promise<void> {
  const response = await fetch(`http://${address}:8008/${path}`, {
    method,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  const said = await response.text();
  if (!response.ok) throw new Error(`Patroni refused /${path}: ${response.status} ${said}`);
}
