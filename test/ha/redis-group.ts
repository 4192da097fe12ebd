import { setTimeout as delay } from 'node:timers/promises';
import type { Machine } from './machine.js';
import { redisSettings, sentinelSettings } from './settings.js';

export const REDIS = { redis1: '10.0.0.21', redis2: '10.0.0.22', redis3: '10.0.0.23' };
const FIRST_MASTER = REDIS.redis1;
const HEALTHY_WITHIN_MS = 60_000;

/** A Redis master with two replicas, and a sentinel on each of their machines, which also run etcd. */
export class RedisGroup {
  private constructor(readonly machines: readonly Machine[]) {}

  static async boot(
    boot: (name: string, address: string, disks: Record<string, number>) => Promise<Machine>,
  ): Promise<RedisGroup> {
    const disks = { '/var/lib/redis': 100, '/etc/redis': 5, '/var/lib/etcd': 500 };
    const machines = Object.entries(REDIS).map(([name, address]) => boot(name, address, disks));
    return new RedisGroup(await Promise.all(machines));
  }

  get url(): string {
    return `redis+sentinel://${this.machines.map(({ address }) => `${address}:26379`).join(',')}/mymaster`;
  }

  async start(): Promise<void> {
    for (const machine of this.machines) {
      const isMaster = machine.address === FIRST_MASTER;
      machine.write('/etc/redis/redis.conf', redisSettings(isMaster ? null : FIRST_MASTER));
      machine.write('/etc/redis/sentinel.conf', sentinelSettings(FIRST_MASTER));
      machine.start({ name: 'redis', command: ['redis-server', '/etc/redis/redis.conf'] });
      machine.start({
        name: 'sentinel',
        command: ['redis-server', '/etc/redis/sentinel.conf', '--sentinel'],
      });
    }
    await this.untilHealthy();
  }

  /** The address of the master, from the sentinels. */
  async master(): Promise<Machine> {
    for (const machine of this.machines) {
      const said = await ask(machine, 26379, 'SENTINEL', 'get-master-addr-by-name', 'mymaster').catch(() => '');
      const found = this.machines.find(({ address }) => said.startsWith(`${address}\n`));
      if (found) return found;
    }
    throw new Error('no sentinel knows a master');
  }

  /** Waits until there is a master with two replicas, and all sentinels know each other. */
  async untilHealthy(): Promise<void> {
    for (const deadline = performance.now() + HEALTHY_WITHIN_MS; performance.now() < deadline; await delay(500)) {
      if (await this.isHealthy().catch(() => false)) return;
    }
    throw new Error('Redis did not recover');
  }

  private async isHealthy(): Promise<boolean> {
    const master = await this.master();
    const replication = await ask(master, 6379, 'INFO', 'replication');
    const seen = await Promise.all(this.machines.map((machine) => ask(machine, 26379, 'INFO', 'sentinel')));
    return (
      replication.includes('role:master') &&
      replication.match(/state=online/g)?.length === this.machines.length - 1 &&
      seen.every((each) => each.includes('status=ok') && each.includes(`sentinels=${this.machines.length}`))
    );
  }
}

const ask = (machine: Machine, port: number, ...command: string[]): Promise<string> =>
  machine.run(['timeout', '2', 'redis-cli', '-p', String(port), ...command]);
