import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARIES = '/usr/lib';

/** libfaketime, which gives a process a wrong clock, or the reason why it is missing here. */
export type FakeTime = { library: string } | { missing: string };

/** Finds Debian's libfaketime, or installs it if that is allowed. */
export function findFakeTime(): FakeTime {
  const found = findLibrary();
  if (found !== null) return { library: found };
  if (process.platform !== 'linux') return { missing: 'it needs Linux' };
  if (process.getuid?.() !== 0) return { missing: 'install the package libfaketime, or run as root' };
  const installed = install();
  return installed === null ? { missing: 'apt-get could not install the package libfaketime' } : { library: installed };
}

function findLibrary(): string | null {
  if (!existsSync(LIBRARIES)) return null;
  const places = readdirSync(LIBRARIES).map((name) => join(LIBRARIES, name, 'faketime', 'libfaketimeMT.so.1'));
  return places.find((place) => existsSync(place)) ?? null;
}

function install(): string | null {
  const aptGet = (...args: string[]): void => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', args, { env, stdio: 'ignore' });
  };
  try {
    aptGet('update', '-q');
    aptGet('install', '-q', '-y', '--no-install-recommends', 'libfaketime');
  } catch {
    return null;
  }
  return findLibrary();
}

/** The environment of a process with a wrong clock. The clock runs at its normal speed, and timers are right. */
export const fakeTimeEnv = (library: string, offsetSeconds: number): NodeJS.ProcessEnv => ({
  LD_PRELOAD: library,
  FAKETIME: `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}s`,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});

/**
 * The environment of a process whose clock can be set while it runs, by writing `+90s` or `+0s` to a file. The file is read once
 * a second, so that processes of one program may have different times for a moment.
 */
export const settableTimeEnv = (library: string, file: string): Record<string, string> => ({
  LD_PRELOAD: library,
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_CACHE_DURATION: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});

/** Removes the shared memory of libfaketime, which a killed process leaves. */
export function removeFakeTimeOf(pid: number): void {
  for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`]) {
    rmSync(join('/dev/shm', name), { force: true });
  }
}
