import { describe, expect, it } from '@jest/globals';
import { startProblem } from './process.js';

const refusal = (message: string, more: object): Error =>
  Object.assign(new Error(message), { code: 'EACCES', ...more });

describe('the message of a process that cannot start', () => {
  it('names a port that this user may not use', () => {
    const problem = startProblem(
      refusal('listen EACCES: permission denied 0.0.0.0:80', { syscall: 'listen', port: 80 }),
    );
    expect(problem).toBe('Port 80 may not be used by this user: choose one above 1023.');
  });

  it('names a file that this user may not read', () => {
    const file = '/srv/topup/.local/secrets-key';
    const problem = startProblem(refusal(`EACCES: permission denied, open '${file}'`, { syscall: 'open', path: file }));
    expect(problem).toBe(`The process could not start: EACCES: permission denied, open '${file}'`);
  });
});
