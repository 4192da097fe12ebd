import { spawnSync } from 'node:child_process';
import { chownSync, readFileSync, statSync } from 'node:fs';
import { codeOf, LocalError, messageOf } from '../../src/cli/local-stack/errors.js';

/** The user that runs a server: the present one, or an unprivileged one when the present user is root. */
export interface ServerUser {
  /** The beginning of the server's command line; empty unless the present user is root. */
  prefix: string[];
  /** The owner of the server's files; null unless the present user is root. */
  owner: { uid: number; gid: number } | null;
}

const advice = 'Start as an ordinary user, or set DATABASE_URL to a PostgreSQL 15 or newer of your own.';

/**
 * PostgreSQL refuses to run as root. For root, `setpriv` starts its programs as the user `postgres`, or `nobody` if there is
 * none. They get one capability to reach their own files, because a checkout often lies below a directory that only root may
 * enter, and nothing outside the checkout may be changed.
 * @param needs the files and folders that the user must be able to execute and to enter.
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
 * The owner of server files when the present user is root: the owner of `existing`, else `postgres`, else `nobody`.
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
 * Gives a file or directory to the owner.
 * @throws LocalError where root may not do that, as in some containers.
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
    // Without it access(2), by which initdb finds postgres, ignores the capabilities of ordinary users.
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
