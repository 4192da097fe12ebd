import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { MOMENT } from '../support/expectations.js';
import { CommandLine } from './command-line.js';

interface OperatorJson {
  email: string;
  role: string;
  status: string;
  set_up_link?: string;
}

let database: TestDatabase;
let commandLine: CommandLine;

beforeAll(async () => {
  database = await createTestDatabase();
  commandLine = new CommandLine({ DATABASE_URL: database.url, CONSOLE_URL: 'https://console.example.com' });
});
afterAll(() => database.drop());

const moment = expect.stringMatching(MOMENT) as unknown as string;

const create = (email: string, role: string): Promise<OperatorJson> =>
  commandLine.json('operator', 'create', '--email', email, '--name', 'Nok', '--role', role);

describe('topup operator', () => {
  it('adds operators with a link to set the password, and lists them without it', async () => {
    const created = await create('Nok@Example.com', 'admin');
    const nok = {
      id: 1,
      email: 'nok@example.com',
      name: 'Nok',
      role: 'admin',
      status: 'active',
      second_factor: false,
      locked_until: null,
      last_sign_in_at: null,
      created_at: moment,
    };
    expect(created).toEqual({
      ...nok,
      set_up_link: expect.stringMatching(/^https:\/\/console\.example\.com\/set-up#[\w-]{43}$/),
      set_up_until: moment,
    });
    expect(await commandLine.json('operator', 'list')).toEqual([nok]);
  });

  it('refuses to disable the last administrator', async () => {
    const last = /this is the last administrator/;
    await commandLine.refusedAll([
      [['operator', 'disable', 'nok@example.com'], last],
      [['operator', 'set-role', 'nok@example.com', '--role', 'viewer'], last],
    ]);
    await create('second@example.com', 'admin');
    const demoted = await commandLine.json('operator', 'set-role', 'nok@example.com', '--role', 'support');
    expect(demoted).toMatchObject({ role: 'support' });
    await commandLine.refusedAll([[['operator', 'disable', 'second@example.com'], last]]);
  });

  it('disables an operator, and enables them again with a new link', async () => {
    expect(await commandLine.json('operator', 'disable', 'nok@example.com')).toMatchObject({
      status: 'disabled',
    });
    const reset = await commandLine.json<OperatorJson>('operator', 'reset', 'nok@example.com');
    expect(reset).toMatchObject({ status: 'active', set_up_link: expect.stringContaining('/set-up#') });
  });

  it('refuses unknown operators and invalid values', async () => {
    await commandLine.refusedAll([
      [['operator', 'create', '--email', 'nok@example.com', '--name', 'N', '--role', 'admin'], /there is an operator/],
      [['operator', 'create', '--email', 'nok', '--name', 'N', '--role', 'admin'], /must be an e-mail address/],
      [['operator', 'create', '--email', 'a@b.c', '--name', '', '--role', 'admin'], /the name must have 1 to 128/],
      [['operator', 'create', '--email', 'a@b.c', '--name', 'A', '--role', 'boss'], /must be one of viewer, support/],
      [['operator', 'reset', 'x@b.c'], /there is no operator x@b\.c: topup operator list shows them/],
    ]);
  });

  it('writes entries to the audit log, without the links', async () => {
    const log = await commandLine.json<{ action: string; detail: object }[]>('log');
    expect(log.map(({ action }) => action).reverse()).toEqual([
      'operator.create',
      'operator.create',
      'operator.set_role',
      'operator.disable',
      'operator.reset',
    ]);
    expect(log[2]?.detail).toEqual({ operator: 'nok@example.com', role: 'support', role_before: 'admin' });
    expect(JSON.stringify(log)).not.toContain('set-up');
  });
});
