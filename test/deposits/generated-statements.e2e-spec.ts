import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '../../tools/statements/main.js';
import { DIALECTS } from '../../tools/statements/model.js';
import { MERCHANTS, type PlannedChannel, type PlannedDeposit } from '../../tools/statements/plan.js';
import type { TestMerchant } from '../support/stack.js';
import { DepositsScene, type DepositView, type Imported } from './scene.js';
import { compare, readTruth, type ComparedPayment } from './truth.js';

const AT_ONCE = 4;
const HOLD_HOURS = 2;
const HOUR_MS = 3_600_000;

let scene: DepositsScene;
let merchants: TestMerchant[];

beforeAll(async () => {
  // A short hold, so that strangers can pay an amount after it within the day that a statement may be ahead.
  const settings = {
    DEPOSIT_HOLD_HOURS: String(HOLD_HOURS),
    DEPOSIT_MAX_OPEN: '0',
    DEPOSIT_CREATE_PER_MINUTE: '0',
    DEPOSIT_MAX_HELD: '0',
  };
  scene = await DepositsScene.start(settings);
  merchants = await Promise.all(Array.from({ length: MERCHANTS }, () => scene.stack.merchant('0.00')));
});

afterAll(() => scene.close());

/** @returns a line of `answers.jsonl` */
async function make({ merchant, cancel, ...body }: PlannedDeposit): Promise<string> {
  const { client } = merchants[merchant - 1] as TestMerchant;
  const made = await client.post<DepositView>('/v1/deposits', body);
  expect(made.status).toBe(200);
  if (cancel) expect(await client.post(`/v1/deposits/${body.reference_id}/cancel`)).toMatchObject({ status: 200 });
  const heldUntilMs = Date.parse(made.body.expires_at) + HOLD_HOURS * HOUR_MS;
  return `${JSON.stringify({ ...made.body, hold_until: new Date(heldUntilMs).toISOString() })}\n`;
}

describe('generated statements', () => {
  // The published seeds and sizes are those of the benchmark `statements`.
  it.each(DIALECTS)('of the dialect %s book 97 of 100 payments without a person, and none wrongly', async (dialect) => {
    const given = ['--seed', '1', '--payments', '100', '--dialect', dialect, '--dir', scene.directory];
    const read = (name: string): string => readFileSync(path.join(scene.directory, name), 'utf8');
    run(['plan', ...given]);
    for (const { code, adapter, options } of JSON.parse(read('channels.json')) as PlannedChannel[]) {
      const values = Object.entries(options).flatMap(([name, value]) => ['--option', `${name}=${value}`]);
      await scene.operator.json('channel', 'set', '--code', code, '--adapter', adapter, ...values);
    }
    const planned = read('deposits.jsonl').trim().split('\n');
    const answers: string[] = [];
    for (let at = 0; at < planned.length; at += AT_ONCE) {
      const some = planned.slice(at, at + AT_ONCE).map((line) => make(JSON.parse(line) as PlannedDeposit));
      answers.push(...(await Promise.all(some)));
    }
    writeFileSync(path.join(scene.directory, 'answers.jsonl'), answers.join(''));
    const { files } = run(['write', ...given]) as { files: { name: string; channel: string }[] };

    for (const { name, channel } of [...files, ...files.slice(-1)]) {
      const args = ['statement', 'import', path.join(scene.directory, name), '--channel', channel];
      expect(await scene.operator.json<Imported>(...args)).toMatchObject({ refused: null });
    }
    const channels = new Set(files.map(({ channel }) => channel));
    const payments: ComparedPayment[] = [];
    for (const channel of channels)
      payments.push(
        ...(await scene.operator.json<ComparedPayment[]>('payment', 'list', '--channel', channel, '--limit', '100000')),
      );
    const compared = compare(readTruth(read('truth.csv')), payments);
    expect(compared).toMatchObject({ payments: 100, wrong: [], twice: [], lost: [] });
    expect(compared.withoutPerson).toBeGreaterThanOrEqual(97);
    expect(await scene.wrong()).toEqual([]);
  });
});
