import { once } from 'node:events';

/** Stops the servers that the set-up started and waits until their files are gone. */
export default async function globalTeardown(): Promise<void> {
  const owner = globalThis.topupTestServers;
  if (owner === undefined || owner.exitCode !== null || owner.signalCode !== null) return;
  const ended = once(owner, 'exit');
  owner.stdin?.end();
  await ended;
}
