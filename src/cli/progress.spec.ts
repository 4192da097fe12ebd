import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { withProgress } from './progress.js';
import { withStreams, type Output } from './streams.js';

/** What a terminal gets while a command reports this progress. */
async function shown(...progress: [done: number | null, total?: number, what?: string]): Promise<string> {
  const terminal: Output & PassThrough = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const own = { stdin: new PassThrough(), stdout: terminal, stderr: terminal, env: { TERM: 'xterm' } };
  await withStreams(own, () => withProgress('Archiving', (report) => Promise.resolve(report(...progress))));
  return String(terminal.read());
}

describe('the progress of a command', () => {
  it('has the step alone if the command does not count', async () => {
    expect(await shown(null, undefined, 'writing orders_p1')).toContain('Archiving: writing orders_p1\r');
  });

  it('has the count, its total if that is known, and the step', async () => {
    expect(await shown(3)).toContain('Archiving: 3\r');
    expect(await shown(3, 5, 'orders')).toContain('Archiving: 3 of 5, orders\r');
  });
});
