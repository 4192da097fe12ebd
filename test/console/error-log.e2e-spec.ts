import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleStack, PASSWORD } from './console-stack.js';

const log: string[] = [];
let console: ConsoleStack;
beforeAll(async () => {
  const logTo = { write: (line: string) => void log.push(line) };
  console = await ConsoleStack.start({ LOG_LEVEL: 'info' }, { logTo });
});
afterAll(() => console.close());

describe('an unexpected error of the database', () => {
  it('is logged with its message, and without the row or the values of the statement', async () => {
    const { browser, email } = await console.signedIn();
    await console.sql('ALTER TABLE operators ADD CONSTRAINT ck_of_the_test CHECK (false) NOT VALID');
    const change = { password: PASSWORD, new_password: 'a quite different passphrase' };
    expect((await browser.post('/api/me/password', change)).status).toBe(500);
    expect((await browser.post('/api/me/second-factor')).status).toBe(500);
    const errors = log
      .map((line) => JSON.parse(line) as { msg: string; err?: object })
      .filter(({ msg }) => msg === 'unforeseen error');
    expect(errors).toHaveLength(2);
    for (const { err } of errors)
      expect(err).toMatchObject({
        type: expect.stringMatching(/^(DatabaseError|QueryFailedError)$/),
        message: expect.stringContaining('ck_of_the_test'),
        stack: expect.stringContaining('.ts:'),
        code: '23514',
        constraint: 'ck_of_the_test',
        table: 'operators',
      });
    const said = log.join('');
    for (const secret of ['argon2', email, 'Failing row', '"parameters"', '"query"', '"data":['])
      expect([secret, said.includes(secret)]).toEqual([secret, false]);
  });
});
