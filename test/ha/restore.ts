import { setTimeout as delay } from 'node:timers/promises';
import { REDIS } from './redis-group.js';
import { untilPrimary, type Laboratory } from './laboratory.js';
import type { Machine } from './machine.js';

const DATA = '/var/lib/postgresql/topup';
const BINARIES = '/run/postgresql-programs';
const STATE = '/run/pgbackrest';
const CONFIG = '/etc/patroni/pgbackrest.conf';
/** The same as in deploy/ha/patroni.yml, because recovery stops with fewer connections than before. */
const CONNECTIONS = 200;
const ARCHIVED_WITHIN_MS = 60_000;
const PROMOTED_WITHIN_MS = 120_000;
/** The range of the keys of a cluster in etcd: the first one, and the first one after them. */
const KEYS = ['/service/topup/', '/service/topup0'] as const;

/** The settings of docs/operations.md, with a repository that all machines can read. */
const settings = (repository: string): string => `[global]
repo1-path=${repository}
repo1-cipher-type=aes-256-cbc
repo1-cipher-pass=laboratory
repo1-retention-full=2
repo1-bundle=y
compress-type=zst
process-max=2
start-fast=y
lock-path=${STATE}
log-path=${STATE}

[topup]
pg1-path=${DATA}
`;

const backrest = (machine: Machine, ...args: string[]): Promise<string> =>
  machine.run(['pgbackrest', `--config=${CONFIG}`, '--stanza=topup', ...args], 'postgres');

const psql = async (machine: Machine, query: string): Promise<string> =>
  (await machine.run(['psql', '-v', 'ON_ERROR_STOP=1', '-XAtc', query], 'postgres')).trim();

async function until(what: string, withinMs: number, isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await delay(500)) {
    if (await isSo().catch(() => false)) return;
  }
  throw new Error(`it took longer than ${withinMs / 1000} s until ${what}`);
}

/** Starts to archive every change of the database, and takes a base backup. */
export async function backUp({ cluster, directory }: Laboratory): Promise<void> {
  const repository = `${directory}/backup`;
  for (const machine of cluster.machines) {
    machine.write(CONFIG, settings(repository));
    await machine.run(['install', '-d', '-o', 'postgres', '-g', 'postgres', repository, STATE]);
  }
  const command = `pgbackrest --config=${CONFIG} --stanza=topup archive-push %p`;
  await cluster.configure({ archive_mode: 'on', archive_command: command, archive_timeout: '60s' });
  for (const machine of cluster.machines) await cluster.restart(machine);
  await cluster.untilHealthy();
  const primary = await cluster.primary();
  if ((await psql(primary, 'SHOW archive_mode')) !== 'on') throw new Error('nothing is archived');
  await backrest(primary, 'stanza-create');
  await backrest(primary, '--type=full', 'backup');
}

/** The time to which the database is restored. */
export const thisMoment = async ({ cluster }: Laboratory): Promise<string> =>
  psql(await cluster.primary(), 'SELECT clock_timestamp()');

/** Loses the database, restores it from the backup to a time, and starts the service with it. */
export async function restoreTo(laboratory: Laboratory, moment: string): Promise<void> {
  const { cluster, applications } = laboratory;
  const services = ['api', 'worker'];
  for (const machine of applications) for (const service of services) await machine.signal(service, 'SIGKILL', true);
  const [first, ...others] = cluster.machines;
  if (!first) throw new Error('there is no machine to restore to');
  const primary = await cluster.primary();
  await archiveAll(primary);
  // The primary ends last, so that no other machine becomes the primary.
  const standbys = cluster.machines.filter((machine) => machine !== primary);
  for (const machine of [...standbys, primary]) await machine.signal('patroni', 'SIGTERM', true);
  for (const machine of cluster.machines) await machine.run(['rm', '-rf', DATA]);
  await forgetCluster();
  await first.run(['install', '-d', '-o', 'postgres', '-g', 'postgres', '-m', '700', DATA]);
  const target = [`--target=${moment}`, '--target-action=promote', '--target-timeline=current'];
  await backrest(first, '--type=time', ...target, 'restore');
  await recover(first);
  first.startAgain(['patroni']);
  await untilPrimary(first);
  for (const machine of others) machine.startAgain(['patroni']);
  await cluster.untilHealthy();
  for (const machine of applications) machine.startAgain(services);
}

/** Archives the latest changes before the database is lost, because the restore can only reach an archived time. */
async function archiveAll(primary: Machine): Promise<void> {
  const wal = await psql(primary, 'SELECT pg_walfile_name(pg_switch_wal())');
  const isArchived = `SELECT last_archived_wal >= '${wal}' FROM pg_stat_archiver`;
  await until('the log was archived', ARCHIVED_WITHIN_MS, async () => (await psql(primary, isArchived)) === 't');
}

/** Removes the cluster from etcd, because Patroni would take the restored server for an old member. */
async function forgetCluster(): Promise<void> {
  const [key, range_end] = KEYS.map((text) => Buffer.from(text).toString('base64'));
  const response = await fetch(`http://${REDIS.redis1}:2379/v3/kv/deleterange`, {
    method: 'POST',
    body: JSON.stringify({ key, range_end }),
  });
  if (!response.ok) throw new Error(`etcd did not forget the cluster: ${await response.text()}`);
}

/** Recovers before Patroni starts, because Patroni does not know the time to which to recover. */
async function recover(machine: Machine): Promise<void> {
  const control = (...args: string[]): Promise<string> =>
    machine.run([`${BINARIES}/pg_ctl`, '-D', DATA, '-w', ...args], 'postgres');
  const log = '/var/lib/postgresql/recovery.log';
  await control(
    '-t',
    '120',
    '-l',
    log,
    '-o',
    `-c listen_addresses='' -c archive_mode=off -c max_connections=${CONNECTIONS}`,
    'start',
  );
  await until('the restored database was promoted', PROMOTED_WITHIN_MS, async () => {
    return (await psql(machine, 'SELECT pg_is_in_recovery()')) === 'f';
  });
  await control('-m', 'fast', 'stop');
}
