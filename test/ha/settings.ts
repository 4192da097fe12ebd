import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../src/core/project-root.js';

type Change = [from: RegExp, to: string];

/** A file of `deploy/ha`, with changes for the laboratory. @throws Error for a change that does not match the file. */
export function settingsOf(name: string, changes: Change[] = []): string {
  let text = readFileSync(path.join(projectRoot, 'deploy', 'ha', name), 'utf8');
  for (const [from, to] of changes) {
    if (!from.test(text)) throw new Error(`deploy/ha/${name} has no ${from}: change test/ha to fit it`);
    text = text.replace(from, to);
  }
  return text;
}

/** @param binaries the folder of PostgreSQL's programs. @param version the version of Patroni. */
export const patroniSettings = (name: string, address: string, binaries: string, version: string): string =>
  settingsOf('patroni.yml', [
    [/^name: pg1$/m, `name: ${name}`],
    [/connect_address: 10\.0\.0\.11:8008/, `connect_address: ${address}:8008`],
    [/connect_address: 10\.0\.0\.11:5432/, `connect_address: ${address}:5432`],
    [/bin_dir: .*/, `bin_dir: ${binaries}`],
    // The laboratory's etcd has no TLS, and requests to Patroni come from a machine that is no member.
    [/ {2}protocol: https\n {2}cacert: .*\n {2}username: patroni\n/, ''],
    [/ {2}authentication: .*\n {2}allowlist: .*\n {2}allowlist_include_members: .*\n/, ''],
    // A namespace has no watchdog. So Patroni must prevent two primaries alone, which is harder.
    [/mode: required/, "mode: 'off'"],
    [/synchronous_mode: quorum/, `synchronous_mode: ${Number.parseInt(version, 10) < 4 ? 'true' : 'quorum'}`],
  ]);

export const pgbouncerSettings = (version: number): string =>
  settingsOf('pgbouncer.ini', version < 21 ? [[/^max_prepared_statements = 200$/m, '']] : []);

export const sentinelSettings = (master: string): string =>
  settingsOf('sentinel.conf', [[/monitor mymaster 127\.0\.0\.1/, `monitor mymaster ${master}`]]);

export const redisSettings = (master: string | null): string =>
  [
    'bind 0.0.0.0',
    'port 6379',
    'protected-mode no',
    'dir /var/lib/redis',
    'save ""',
    'appendonly no',
    'maxmemory-policy noeviction',
    'repl-diskless-sync-delay 0',
    ...(master === null ? [] : [`replicaof ${master} 6379`]),
    '',
  ].join('\n');

export interface Certificate {
  authority: string;
  certificate: string;
  key: string;
}

/** Writes an authority, and its certificate for these addresses, into `directory`. */
export function makeCertificate(directory: string, addresses: string[]): Certificate {
  const file = (name: string): string => path.join(directory, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...newKey, '-subj', '/CN=laboratory', '-keyout', file('ca.key'), '-out', file('ca.crt'));
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-subj',
    '/CN=postgresql',
    '-CA',
    file('ca.crt'),
    '-CAkey',
    file('ca.key'),
    '-addext',
    `subjectAltName=${addresses.map((each) => `IP:${each}`).join(',')}`,
    '-addext',
    'basicConstraints=critical,CA:FALSE',
    '-keyout',
    file('server.key'),
    '-out',
    file('server.crt'),
  );
  const read = (name: string): string => readFileSync(file(name), 'utf8');
  return { authority: file('ca.crt'), certificate: read('server.crt'), key: read('server.key') };
}
