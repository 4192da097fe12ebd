import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { armFailpoints, failpoint, FAILPOINTS } from './failpoints.js';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** A separate process, armed with `text`, that reaches a point three times. */
function passThreeTimes(text: string): { stdout: string; stderr: string; signal: NodeJS.Signals | null } {
  const script = `
    const { armFailpoints, failpoint } = await import('./src/core/failpoints.ts');
    armFailpoints(process.env);
    for (const time of [1, 2, 3]) {
      require('fs').writeSync(1, 'before ' + time + ', ');
      failpoint('order.committed');
    }`;
  const args = ['--import', './scripts/typescript.mjs', '--input-type=commonjs', '-e', `(async () => {${script}})()`];
  const env = { PATH: process.env.PATH, TOPUP_FAILPOINTS: text };
  return spawnSync(process.execPath, args, { cwd: checkout, encoding: 'utf8', env });
}

describe('failpoints', () => {
  it('have no effect unless one is armed', () => {
    for (const TOPUP_FAILPOINTS of [undefined, '', ' ']) {
      armFailpoints({ TOPUP_FAILPOINTS, NODE_ENV: 'production' });
      for (const name of FAILPOINTS) failpoint(name);
    }
  });

  it('end the process exactly at the given pass, before its next step', () => {
    const { stdout, stderr, signal } = passThreeTimes('unit.claimed=kill@1, order.committed=kill@2');
    expect({ stdout, signal }).toEqual({ stdout: 'before 1, before 2, ', signal: 'SIGKILL' });
    expect(stderr).toContain('failpoint order.committed: the process ends here');
  });

  it('have no effect if the process reaches the point too seldom, or only others', () => {
    const { stdout, signal } = passThreeTimes('unit.claimed=kill@1,order.committed=kill@4');
    expect({ stdout, signal }).toEqual({ stdout: 'before 1, before 2, before 3, ', signal: null });
  });

  it.each([
    ['order.comitted=kill@1', 'order.comitted, which does not exist'],
    ['order.committed', 'it takes entries such as'],
    ['order.committed=kill', 'it takes entries such as'],
    ['order.committed=kill@0', 'it takes entries such as'],
    ['order.committed=throw@1', 'it takes entries such as'],
    ['order.committed=kill@1,', 'it takes entries such as'],
    ['order.committed=kill@1,order.committed=kill@2', 'names order.committed twice'],
  ])('refuse %s', (text, problem) => {
    expect(() => armFailpoints({ TOPUP_FAILPOINTS: text })).toThrow(problem);
  });

  it('are refused in production', () => {
    const env = { TOPUP_FAILPOINTS: 'order.committed=kill@1', NODE_ENV: 'production' };
    expect(() => armFailpoints(env)).toThrow('must not be set');
  });
});
