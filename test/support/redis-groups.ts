import { keptPort } from './kept-port.js';
import { eventually } from './eventually.js';
import { startOwnRedis, type OwnRedis } from './redis.js';

const PASSWORD = 'of-all-of-them';
/** The time after which a silent server counts as lost, at first: never during a test, however slow the machine is. */
const NEVER_LOST_MS = '600000';
/** The same once a test wants the failover. */
const LOST_AFTER_MS = '2000';
const SLOTS = 16_384;

/** Servers with failover between them. */
export interface RedisGroup {
  /** The settings of a client. */
  url: string;
  /** Kills the server with the keys of a queue prefix. Nothing replaces it yet. */
  lose(prefix: string): Promise<void>;
  /** Has a replica replace the lost server. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

const portOf = ({ url }: OwnRedis): string => new URL(url).port;
const placeOf = (server: OwnRedis): string => `127.0.0.1:${portOf(server)}`;

const tells = (server: OwnRedis, command: [string, ...string[]], words: string): Promise<unknown> =>
  eventually(
    () => server.tell(...command),
    (answer) => String(answer).includes(words),
  );

/** A server with the password of its group. */
const startMember = (settings: Record<string, string> = {}): Promise<OwnRedis> =>
  startOwnRedis({ ...settings, masterauth: PASSWORD }, { password: PASSWORD });

/** A primary with a replica, and a sentinel with its own password that watches them. */
export async function startSentinelGroup(): Promise<RedisGroup> {
  const [primary, replica] = [await startMember(), await startMember()];
  await replica.tell('REPLICAOF', '127.0.0.1', portOf(primary));
  await tells(replica, ['INFO', 'replication'], 'master_link_status:up');
  const sentinel = await startOwnRedis({}, { isSentinel: true });
  await sentinel.tell('SENTINEL', 'MONITOR', 'games', '127.0.0.1', portOf(primary), '1');
  const settings = {
    'auth-pass': PASSWORD,
    'down-after-milliseconds': NEVER_LOST_MS,
    'failover-timeout': '5000',
  };
  for (const [name, value] of Object.entries(settings)) await sentinel.tell('SENTINEL', 'SET', 'games', name, value);
  await eventually(
    async () => (await sentinel.tell('SENTINEL', 'REPLICAS', 'games')) as unknown[],
    (replicas) => replicas.length === 1,
  );
  const { password } = new URL(sentinel.url);
  return {
    url: `redis+sentinel://:${PASSWORD}@${placeOf(sentinel)}/games?sentinel_password=${password}`,
    lose: () => primary.kill(),
    failOver: async () => {
      await sentinel.tell('SENTINEL', 'SET', 'games', 'down-after-milliseconds', LOST_AFTER_MS);
    },
    stop: async () => void (await Promise.all([sentinel, replica, primary].map((server) => server.stop()))),
  };
}

/** A cluster of three servers, and a replica of the one with the keys of a queue prefix. */
export async function startClusterGroup(prefix: string): Promise<RedisGroup> {
  const members: OwnRedis[] = [];
  for (let n = 0; n < 4; n++)
    members.push(
      await startMember({
        'cluster-enabled': 'yes',
        'cluster-node-timeout': NEVER_LOST_MS,
        'cluster-port': String(await keptPort()),
        'cluster-replica-validity-factor': '0',
      }),
    );
  const [first, second, third, replica] = members as [OwnRedis, OwnRedis, OwnRedis, OwnRedis];
  const primaries = [first, second, third];
  const share = Math.ceil(SLOTS / primaries.length);
  for (const [at, member] of primaries.entries()) {
    const last = Math.min((at + 1) * share, SLOTS) - 1;
    await member.tell('CLUSTER', 'ADDSLOTSRANGE', String(at * share), String(last));
  }
  await meet(members);
  const slot = Number(await first.tell('CLUSTER', 'KEYSLOT', prefix));
  const owner = primaries[Math.floor(slot / share)] ?? first;
  await replica.tell('CLUSTER', 'REPLICATE', String(await owner.tell('CLUSTER', 'MYID')));
  await tells(replica, ['INFO', 'replication'], 'master_link_status:up');
  for (const member of members) await tells(member, ['CLUSTER', 'INFO'], 'cluster_state:ok');
  return {
    url: `redis+cluster://:${PASSWORD}@${members.map(placeOf).join(',')}`,
    lose: () => owner.kill(),
    failOver: async () => {
      for (const member of members)
        if (member !== owner) await member.tell('CONFIG', 'SET', 'cluster-node-timeout', LOST_AFTER_MS);
    },
    stop: async () => void (await Promise.all(members.map((server) => server.stop()))),
  };
}

async function meet([first, ...others]: OwnRedis[]): Promise<void> {
  if (!first) return;
  for (const other of others) {
    const bus = String(((await other.tell('CONFIG', 'GET', 'cluster-port')) as string[])[1]);
    await first.tell('CLUSTER', 'MEET', '127.0.0.1', portOf(other), bus);
  }
  for (const member of [first, ...others])
    await tells(member, ['CLUSTER', 'INFO'], `cluster_known_nodes:${others.length + 1}`);
}
