import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

/**
 * Reports when the program listens for SIGTERM, which is before it listens for SIGINT, and holds it there until its standard
 * input ends. So the signal always comes during the start.
 */
const PRELOAD = `import { readSync, writeSync } from 'node:fs';
process.on('newListener', (name) => {
  if (name !== 'SIGINT') return;
  writeSync(1, 'listens\\n');
  readSync(0, new Uint8Array(1));
});`;

describe('6 Configuration and running: SIGTERM', () => {
  it.each(['main', 'worker'])('during its start ends %s with status 0, before it does any work', async (entry) => {
    const script = fileURLToPath(new URL(`../../dist/src/${entry}.js`, import.meta.url));
    const child = spawn(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(PRELOAD)}`, script],
      // Nothing listens there, so a start that went on would log that it waits.
      { env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }, stdio: ['pipe', 'pipe', 'pipe'] },
    );
    const lines: string[] = [];
    for (const output of [child.stdout, child.stderr]) {
      createInterface(output).on('line', (line) => {
        lines.push(line);
        if (line !== 'listens') return;
        child.kill('SIGTERM');
        child.stdin.end();
      });
    }
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    expect([code, signal, lines]).toEqual([0, null, ['listens']]);
  });
});
