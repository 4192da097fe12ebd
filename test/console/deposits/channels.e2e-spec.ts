import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BankAccount, COLUMNS, newPromptPayId } from '../../deposits/scene.js';
import { OpnBench, PUBLIC_KEY, SECRET_KEY } from '../../simulators/opn-client.js';
import { eventually } from '../../support/eventually.js';
import type { Answer, ErrorBody } from '../../support/http.js';
import { inTurn } from '../../support/locks.js';
import { ConsoleStack, type TestOperator } from '../console-stack.js';
import { addChannel, expectDocumented, sendStatement, type ChannelBody } from './deposits-desk.js';

let console: ConsoleStack;
let admin: TestOperator;
let nok: TestOperator;
beforeAll(async () => {
  console = await ConsoleStack.start();
  admin = await console.signedIn('admin');
  nok = await console.signedIn('finance');
});
afterAll(() => console.close());

const DAY_MS = 86_400_000;
const SECRET = 'test_5zp9q2k1w8e3r7';

type Body = ChannelBody & { credentials: string[] } & ErrorBody;
const send = (method: string, path: string, body?: object, who = admin): Promise<Answer<Body>> =>
  who.browser.send<Body>(method, `/api/channels/${path}`, body);
const show = async (code: string): Promise<ChannelBody> => (await send('GET', code)).body;
const actions = async (code: string): Promise<string[]> => {
  const entries = await console.sql<{ action: string }>(
    `SELECT action FROM operator_actions WHERE coalesce(detail ->> 'code', detail ->> 'channel') = $1 ORDER BY id`,
    [code],
  );
  return entries.map(({ action }) => action);
};

describe('a channel', () => {
  it('is added, and changed unless another operator changed it meanwhile', async () => {
    const options = { promptpay_id: newPromptPayId(), columns: COLUMNS };
    const { status, body } = await send('PUT', 'kbank', { adapter: 'promptpay', options, expected_updated_at: null });
    expect([status, body]).toMatchObject([
      200,
      { code: 'kbank', min: '100.00', status: 'active', has_statements: true },
    ]);
    expectDocumented(body, 'ChannelDto');
    const change = { adapter: 'promptpay', min: '500.00', options: { spread: '5' } };
    const stale = await send('PUT', 'kbank', { ...change, expected_updated_at: '2026-01-15T08:30:00.000Z' });
    expect([stale.status, stale.body.details?.[0]?.code]).toEqual([409, 'CHANGED_MEANWHILE']);
    expect((await send('PUT', 'kbank', { ...change, expected_updated_at: null })).status).toBe(409);
    const changed = await send('PUT', 'kbank', {
      ...change,
      expected_updated_at: body.updated_at,
      reason: 'too small',
    });
    expect(changed.body).toMatchObject({ min: '500.00', options: { ...options, spread: '5' } });
    const none = await send('PUT', 'kbank', {
      adapter: 'promptpay',
      options: { spread: null },
      expected_updated_at: changed.body.updated_at,
    });
    expect(none.body.options).toEqual(options);
    expect(await actions('kbank')).toEqual(['channel.set', 'channel.set', 'channel.set']);
    const { body: list } = await nok.browser.get<{ data: ChannelBody[] }>('/api/channels');
    expect(list.data.map(({ code }) => code)).toContain('kbank');
  });

  it.each([
    ['an unknown option', { options: { spam: '5' } }],
    ['no id', { options: { columns: COLUMNS } }],
    ['another adapter', { adapter: 'carrier-pigeon' }],
    ['options that are no texts', { options: { spread: 5 } }],
  ])('with %s is refused', async (_what, given) => {
    const { status } = await send('PUT', 'wrong', { adapter: 'promptpay', expected_updated_at: null, ...given });
    expect([status, (await send('GET', 'wrong')).status]).toEqual([400, 404]);
  });

  it('keeps its credentials, which no answer shows', async () => {
    const { body: adapters } = await nok.browser.get<{ data: { adapter: string; credentials: { name: string }[] }[] }>(
      '/api/channels/adapters',
    );
    expectDocumented(adapters, 'ChannelAdaptersDto');
    const gateway = adapters.data.find(({ adapter }) => adapter === 'opn');
    expect(gateway?.credentials.map(({ name }) => name)).toContain('secret_key');
    const credentials = { public_key: `pkey_${SECRET}`, secret_key: `skey_${SECRET}` };
    const given = { adapter: 'opn', credentials, base_url: 'https://gateway.example', expected_updated_at: null };
    const { status, body } = await send('PUT', 'opn', given);
    expect([status, body]).toMatchObject([200, { credentials: Object.keys(credentials).toSorted() }]);
    const { updated_at, ...kept } = await show('opn');
    expect(JSON.stringify(kept)).not.toContain(SECRET);
    const changed = await send('PUT', 'opn', { adapter: 'opn', priority: 5, expected_updated_at: updated_at });
    expect(changed.body).toMatchObject({ credentials: Object.keys(credentials).toSorted() });
    const elsewhere = {
      adapter: 'opn',
      base_url: 'https://other.example',
      expected_updated_at: changed.body.updated_at,
    };
    expect((await send('PUT', 'opn', elsewhere)).status).toBe(400);
  });

  it('takes no new deposits while it is paused', async () => {
    const code = await addChannel(admin);
    expect((await send('POST', `${code}/pause`, {})).status).toBe(400);
    expect((await send('POST', `${code}/pause`, { reason: 'the bank is down' })).body.status).toBe('inactive');
    expect((await send('DELETE', `${code}/pause`)).body.status).toBe('active');
  });

  it('keeps what another operator changes while it is being paused', async () => {
    const mali = await console.signedIn('admin');
    const { subject, first, second } = await inTurn(console, async () => {
      const code = await addChannel(admin);
      const { updated_at: expected_updated_at } = await show(code);
      const credentials = { public_key: `pkey_${code}`, secret_key: `skey_${code}` };
      const body = { adapter: 'opn', credentials, base_url: 'https://gateway.example', expected_updated_at };
      return {
        subject: { code, credentials },
        lock: 'LOCK TABLE deposit_channels IN EXCLUSIVE MODE',
        first: () => send('PUT', code, body),
        second: () => send('POST', `${code}/pause`, { reason: 'the bank is down' }, mali),
      };
    });
    const { code, credentials } = subject;
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((await send('GET', code)).body).toMatchObject({
      adapter: 'opn',
      status: 'inactive',
      credentials: Object.keys(credentials),
    });
  });

  it('is synced by its vendor’s list of payments, as far back as the operator wants', async () => {
    const bench = new OpnBench();
    try {
      const opn = await bench.start();
      const credentials = { public_key: PUBLIC_KEY, secret_key: SECRET_KEY };
      const given = { adapter: 'opn', credentials, base_url: opn.url, expected_updated_at: null };
      expect((await send('PUT', 'gateway', given)).body).toMatchObject({ has_statements: false, can_sync: true });
      await opn.charge('dep_0000000000000000');
      await opn.sim('settle', { ref_id: 'dep_0000000000000000', status: 'successful' });
      const sync = (body: object, who = nok): Promise<Answer<Body>> => send('POST', 'gateway/sync', body, who);
      const later = new Date(Date.now() + 30 * DAY_MS).toISOString();
      const { status, body } = await sync({ since: later });
      expect([status, body]).toMatchObject([200, { code: 'gateway', seen: 0, new: 0 }]);
      const counts = { seen: 1, unreadable: 0, new: 1, booked: 0, waiting: 1, taken_back: 0 };
      expect((await sync({})).body).toEqual({ code: 'gateway', ...counts });
      expectDocumented(body, 'SyncedChannelDto');
      expect((await sync({ since: 'monday' })).status).toBe(400);
      const before = await actions('gateway');
      const early = await sync({ since: new Date(Date.now() - 32 * DAY_MS).toISOString() });
      expect([early.status, early.body.details]).toMatchObject([400, [{ code: 'OUT_OF_RANGE', field: 'since' }]]);
      expect((await sync({ since: new Date(Date.now() - 31.9 * DAY_MS).toISOString() })).status).toBe(200);
      // A slow machine looks only after a slow reading is over. Then it begins another one.
      let readings = 1;
      const bothAtOnce = async (): Promise<number[]> => {
        await opn.sim('rules', { match: { call: 'list' }, delay_ms: 2_000 });
        const statuses = (await Promise.all([sync({}), sync({})])).map(({ status: each }) => each);
        readings += statuses.filter((each) => each === 200).length;
        return statuses.toSorted((one, another) => one - another);
      };
      expect(await eventually(bothAtOnce, ([, last]) => last !== 200)).toEqual([200, 429]);
      // It lasts no longer than a reader that died may keep the others from reading.
      const until = async (): Promise<string | null> => {
        const [row] = await console.sql<{ until: string | null; isShort: boolean }>(
          `SELECT list_read_until::text AS until, list_read_until <= now() + interval '2 minutes' AS "isShort"
           FROM deposit_channels WHERE code = 'gateway'`,
        );
        expect(row?.isShort).not.toBe(false);
        return row?.until ?? null;
      };
      /** Does something during a slow reading. @returns what it returned, and how the reading ended. */
      const during = async <Result>(
        work: (since: string | null) => Promise<Result>,
      ): Promise<{ result: Result; status: number }> => {
        for (const call of ['list', 'refunds']) await opn.sim('rules', { match: { call }, delay_ms: 3_000 });
        readings++;
        let isOver = false;
        const reading = sync({}).finally(() => (isOver = true));
        const result = await work(await eventually(until, (moment) => moment !== null || isOver));
        return { result, status: (await reading).status };
      };
      const renewed = async (): Promise<boolean> => {
        const { result, status: ended } = await during((since) =>
          eventually(until, (moment) => moment !== since || !since),
        );
        expect([ended, await until()]).toEqual([200, null]);
        return result !== null;
      };
      await eventually(renewed, (was) => was);
      const endsAt = async (moment: string): Promise<boolean> => {
        const [row] = await console.sql<{ until: string | null }>(
          `UPDATE deposit_channels SET list_read_until = ${moment} WHERE code = 'gateway'
           RETURNING list_read_until::text AS until`,
        );
        return typeof row?.until === 'string';
      };
      // As workers do after the clock of PostgreSQL was set back.
      const pulledBack = async (): Promise<boolean> => {
        const { result, status: ended } = await during(() => endsAt(`list_read_until - interval '1 second'`));
        expect([ended, await until()]).toEqual([200, null]);
        return result;
      };
      await eventually(pulledBack, (was) => was);
      const other = `'2101-02-03 04:05:06.789+00'`;
      const late = async (): Promise<number> => {
        await endsAt('NULL');
        return (await during(() => endsAt(other))).status;
      };
      expect(await eventually(late, (ended) => ended !== 200)).toBe(429);
      const [left] = await console.sql(
        `SELECT list_read_until = ${other} AS "isOther" FROM deposit_channels WHERE code = 'gateway'`,
      );
      expect(left).toEqual({ isOther: true });
      await endsAt('NULL');
      await opn.sim('rules', { match: { call: 'list' }, decide: false });
      expect((await sync({})).status).toBe(503);
      // One that was refused left no entry, and one that failed on its way did.
      expect((await actions('gateway')).slice(before.length)).toEqual(Array(readings + 1).fill('channel.sync'));
      const [entry] = await console.sql<{ operator: string; since: string }>(
        `SELECT operator, detail ->> 'since' AS since FROM operator_actions WHERE action = 'channel.sync' ORDER BY id LIMIT 1`,
      );
      expect(entry).toEqual({ operator: nok.email, since: later });
    } finally {
      await bench.clear();
    }
    const code = await addChannel(admin);
    expect([(await show(code)).can_sync, (await send('POST', `${code}/sync`, {})).status]).toEqual([false, 400]);
  });

  it('is tested, and says what is missing', async () => {
    const code = await addChannel(admin);
    const test = async () =>
      (await admin.browser.post<{ ok: boolean; checks: object[] }>(`/api/channels/${code}/test`)).body;
    expect(await test()).toMatchObject({ ok: true });
    const { updated_at } = await show(code);
    await send('PUT', code, { adapter: 'promptpay', options: { columns: null }, expected_updated_at: updated_at });
    expect(await test()).toMatchObject({ ok: false, checks: [{ ok: true }, { name: 'statement', ok: false }] });
  });

  it('is removed as long as no statement needs it', async () => {
    const [code, used] = [await addChannel(admin), await addChannel(admin)];
    await sendStatement(
      admin.browser,
      'import',
      used,
      new BankAccount().add({ at: new Date(), amount: 5_000n }).statement(),
    );
    expect((await send('DELETE', used)).status).toBe(409);
    expect([(await send('DELETE', code)).status, (await send('GET', code)).status]).toEqual([200, 404]);
    expect((await send('GET', 'sandbox')).status).toBe(404);
  });

  it('is changed only after code or password', async () => {
    const code = await addChannel(admin);
    const mali = await console.signedIn('admin');
    await console.sql(`UPDATE operator_sessions SET confirmed_at = NULL WHERE operator_id = $1`, [mali.id]);
    for (const [method, path, body] of [
      ['PUT', code, { adapter: 'promptpay', expected_updated_at: null }],
      ['POST', `${code}/pause`, { reason: 'x' }],
      ['DELETE', code, undefined],
    ] as const) {
      const { status, body: answer } = await send(method, path, body, mali);
      expect([method, status, answer.details?.[0]?.code]).toEqual([method, 403, 'CONFIRMATION_REQUIRED']);
    }
    expect((await show(code)).status).toBe('active');
  });
});

describe('a statement', () => {
  const account = () =>
    new BankAccount().add(
      { at: new Date(), amount: 5_000n },
      { at: new Date(), amount: -1_000n },
      { at: new Date(), amount: 700n },
    );

  it('is shown first and imported then, and imports nothing twice', async () => {
    const code = await addChannel(admin);
    const file = account().statement();
    const preview = await sendStatement(nok.browser, 'preview', code, file);
    expect([preview.status, preview.body]).toMatchObject([
      200,
      { new: 3, booked: 0, waiting: 2, refused: null, problems: [] },
    ]);
    expectDocumented(preview.body, 'StatementImportDto');
    expect((await show(code)).imported_at).toBeNull();
    const imported = await sendStatement(nok.browser, 'import', code, file);
    expect(imported.body).toEqual(preview.body);
    expect((await sendStatement(nok.browser, 'import', code, file)).body).toMatchObject({ new: 0, repeated: 3 });
    expect(await show(code)).toMatchObject({ covered_until: expect.any(String), imported_at: expect.any(String) });
    const { body: list } = await nok.browser.get<{ data: object[] }>(`/api/statements?channel=${code}`);
    expect(list.data).toMatchObject([{ lines: 3, operator: nok.email }, { lines: 3 }]);
    expectDocumented(list.data, { items: { $ref: '#/StatementDto' } });
    expect(await actions(code)).toEqual(['channel.set', 'statement.import', 'statement.import']);
  });

  it('that is refused names its problems, imports nothing, and marks the channel', async () => {
    const code = await addChannel(admin);
    const broken = account().statement().replace('10050.00', '10050.01');
    const { status, body } = await sendStatement(nok.browser, 'import', code, broken);
    expect([status, body]).toMatchObject([200, { refused: 'BALANCE_BROKEN', new: 0 }]);
    expect(body.problems.length).toBeGreaterThan(0);
    expectDocumented(body, 'StatementImportDto');
    expect((await show(code)).refused).toBe('BALANCE_BROKEN');
    expect((await sendStatement(nok.browser, 'preview', code, 'a,b\n1,2\n')).body.refused).toBe('UNKNOWN_COLUMNS');
  });

  it('whose bank changed the texts of a day is imported once an operator accepts that', async () => {
    const code = await addChannel(admin);
    const changed = account();
    await sendStatement(nok.browser, 'import', code, changed.statement());
    const [{ at } = { at: new Date() }] = changed.lines;
    changed.lines[0] = { at, amount: 5_000n, text: 'Transfer from X1234' };
    changed.add({ at, amount: 800n });
    const file = changed.statement();
    const refused = await sendStatement(nok.browser, 'preview', code, file);
    const day = new Date(at.getTime() + 7 * 3_600_000).toISOString().slice(0, 10);
    expect(refused.body).toMatchObject({ refused: 'LINE_MISSING', changed_texts_of: day });
    expect(refused.body.problems).toEqual(['line 2: its texts differ from those of the imported line']);
    expectDocumented(refused.body, 'StatementImportDto');
    expect((await sendStatement(nok.browser, 'preview', code, file, '&accept_texts_of=monday')).status).toBe(400);
    const accepted = `&accept_texts_of=${day}&reason=completed`;
    const preview = await sendStatement(nok.browser, 'preview', code, file, `&accept_texts_of=${day}`);
    expect(preview.body).toMatchObject({ new: 1, repeated: 3, refused: null, changed_texts_of: null });
    const unexplained = await sendStatement(nok.browser, 'import', code, file, `&accept_texts_of=${day}`);
    const { details } = unexplained.body as unknown as ErrorBody;
    expect([unexplained.status, details]).toMatchObject([400, [{ code: 'REQUIRED', field: 'reason' }]]);
    expect((await sendStatement(nok.browser, 'import', code, file, accepted)).body).toMatchObject({ new: 1 });
    const [, entry] = await console.sql<{ detail: object }>(
      `SELECT detail FROM operator_actions WHERE action = 'statement.import' AND detail ->> 'channel' = $1 ORDER BY id`,
      [code],
    );
    expect(entry?.detail).toMatchObject({ reason: 'completed', accepted_texts_of: day });
  });

  it('of an unknown channel, of more than 20,000 lines or 5 MiB, or as JSON is refused', async () => {
    const code = await addChannel(admin);
    const status = async (channel: string, file: string): Promise<number> =>
      (await sendStatement(nok.browser, 'preview', channel, file)).status;
    expect(await status('nobody', account().statement())).toBe(404);
    for (const lineBreak of ['\n', '\r\n', '\r']) expect(await status(code, lineBreak.repeat(20_001))).toBe(413);
    expect(await status(code, 'x'.repeat(5 * 1024 * 1024 + 1))).toBe(413);
    expect((await nok.browser.post(`/api/statements/import?channel=${code}`, {})).status).toBe(415);
    expect((await sendStatement(nok.browser, 'preview', '', 'x')).status).toBe(400);
  });

  it('is imported by nobody where DEPOSIT_CONSOLE_IMPORT is false', async () => {
    const closed = await ConsoleStack.start({ DEPOSIT_CONSOLE_IMPORT: 'false' });
    try {
      const { browser } = await closed.signedIn('admin');
      const { body: session } = await browser.get<{ permissions: string[] }>('/api/session');
      expect(session.permissions).not.toContain('statements.import');
      for (const what of ['preview', 'import'] as const) {
        const { status, body } = await sendStatement(browser, what, 'kbank', account().statement());
        expect([status, (body as unknown as ErrorBody).message]).toEqual([
          403,
          expect.stringContaining('DEPOSIT_CONSOLE_IMPORT'),
        ]);
      }
    } finally {
      await closed.close();
    }
  });
});
