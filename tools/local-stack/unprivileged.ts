import { spawnSync } from 'node:child_process';
import { chownSync, readFileSync, statSync } from 'node:fs';
import { codeOf, LocalError, messageOf } from '../../src/cli/local-stack/errors.js';

/** Who runs a server: this user itself, or, when we are root, an unprivileged one. */
export interface ServerUser {
  /** What goes before the server's command line; empty unless we are root. */
  prefix: string[];
  /** The owner that the server's files need; null unless we are root. */
  owner: { uid: number; gid: number } | null;
}

const advice = 'Start as an ordinary user, or set DATABASE_URL to a PostgreSQL 15 or newer of your own.';

/**
 * PostgreSQL refuses to run as root. When we are root its programs are started through `setpriv` as the user
 * `postgres`, or `nobody` where there is none, with the least capability that lets them reach their own files: a
 * checkout often lies below a directory that only root may enter, and nothing outside the checkout shall change.
 * @param needs what the user must be able to execute and to enter.
 * @throws LocalError when that is not possible on this machine.
 */
export function serverUser(owner: ServerUser['owner'], needs: { execute: string[]; read: string[] }): ServerUser {
  if (owner === null) return { prefix: [], owner };
  let refusal = '';
  for (const capability of [null, 'dac_read_search', 'dac_override']) {
    const prefix = setpriv(owner, capability);
    const [program = '', ...args] = [...prefix, 'sh', '-c', reachable(needs), 'sh'];
    const probe = spawnSync(program, args, { encoding: 'utf8', cwd: '/' });
    if (probe.error !== undefined) throw setprivMissing(probe.error);
    if (probe.status === 0) return { prefix, owner };
    refusal = probe.stderr.trim() || refusal;
  }
  throw new LocalError(
    `PostgreSQL refuses to run as root, and user ${owner.uid} cannot reach its files` +
      `${refusal ? ` (${refusal})` : ''}. ${advice}`,
  );
}

/**
 * The owner that server files need when we are root: whoever has `existing` already, else `postgres`, else `nobody`.
 * Null for an ordinary user.
 */
export function serverOwner(existing: string): ServerUser['owner'] {
  if (process.getuid?.() !== 0) return null;
  const present = statSync(existing, { throwIfNoEntry: false });
  if (present !== undefined && present.uid !== 0) return { uid: present.uid, gid: present.gid };
  const users = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name, , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]),
  );
  const owner = users.get('postgres') ?? users.get('nobody');
  if (owner === undefined) {
    throw new LocalError(`PostgreSQL refuses to run as root, and there is no user postgres or nobody. ${advice}`);
  }
  return owner;
}

/**
 * Makes a file or directory the owner's.
 * @throws LocalError where this root may not do that, as in some containers.
 */
export function giveTo(owner: ServerUser['owner'], file: string): void {
  if (owner === null) return;
  try {
    chownSync(file, owner.uid, owner.gid);
  } catch (error) {
    throw new LocalError(
      `PostgreSQL refuses to run as root, and its files cannot be given to user ${owner.uid}: ` +
        `${messageOf(error)}. ${advice}`,
    );
  }
}

function setpriv(owner: { uid: number; gid: number }, capability: string | null): string[] {
  const identity = ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  if (capability === null) return [...identity, '--'];
  return [
    ...identity,
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
    // Without it access(2), with which initdb looks for postgres, ignores the capabilities of ordinary users.
    '--securebits=+no_setuid_fixup',
    '--',
  ];
}

function reachable(needs: { execute: string[]; read: string[] }): string {
  const quoted = (file: string): string => `'${file.replaceAll("'", `'\\''`)}'`;
  return [
    ...needs.execute.map((file) => `test -x ${quoted(file)}`),
    ...needs.read.map((file) => `test -r ${quoted(file)}`),
  ].join(' && ');
}

function setprivMissing(error: Error): LocalError {
  const reason = codeOf(error) === 'ENOENT' ? 'setpriv (package util-linux) is not installed' : error.message;
  return new LocalError(`PostgreSQL refuses to run as root, and changing the user failed: ${reason}. ${advice}`);
}
