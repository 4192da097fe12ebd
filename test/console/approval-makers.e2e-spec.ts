import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import type { Answer, ErrorBody } from '../support/http.js';
import { unique } from '../support/stack.js';
import type { TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';

let scene: Scene;
let nok: TestOperator;
beforeAll(async () => {
  scene = await startScene({ CONSOLE_APPROVAL_ABOVE: '1000' });
  nok = await scene.console.signedIn('finance');
});
afterAll(() => closeWithBalancedBooks(scene.stack, scene.console));

async function asked({ browser }: TestOperator): Promise<number> {
  const movement = { merchant_id: scene.merchant.id, kind: 'credit', amount: '1000.01' };
  const body = { ...movement, reference: unique('made'), reason: 'ticket 7' };
  const answer = await browser.post<{ id: number }>('/api/approvals', body);
  expect(answer.status).toBe(201);
  return answer.body.id;
}

async function approve(id: number, { browser }: TestOperator): Promise<Answer<ErrorBody>> {
  return browser.post<ErrorBody>(`/api/approvals/${id}/approval`, {
    expected_available: (await scene.stack.wallet(scene.merchant)).available,
  });
}

describe('an approval', () => {
  it('is refused between an account and its creator, and between two accounts of one creator while one is new', async () => {
    const console = scene.console;
    const boss = await console.signedIn('admin');
    const [old, young] = [await console.signedIn('finance'), await console.signedIn('finance')];
    const made = (who: TestOperator, daysAgo: number): Promise<unknown> =>
      console.sql(
        `UPDATE operators SET created_by = $2, created_at = now() - make_interval(days => $3) WHERE id = $1`,
        [who.id, boss.id, daysAgo],
      );
    await made(old, 400);
    await made(young, 29);
    const refusedFor = async (requester: TestOperator, approver: TestOperator): Promise<void> => {
      const id = await asked(requester);
      const { status, body } = await approve(id, approver);
      expect([status, body.details?.[0]?.code]).toEqual([403, 'OWN_REQUEST']);
      expect(body.message).toContain(`${boss.email} created `);
      expect((await approve(id, nok)).status).toBe(200);
    };
    for (const [requester, approver] of [
      [boss, old],
      [old, boss],
      [old, young],
      [young, old],
    ] as const)
      await refusedFor(requester, approver);
    await made(young, 31);
    expect((await approve(await asked(old), young)).status).toBe(200);
  });

  it('depends on the creator of an account, which the console stores', async () => {
    const console = scene.console;
    const boss = await console.signedIn('admin');
    const by = { operator: boss.email, console: { operatorId: boss.id, ip: '127.0.0.1', requestId: 'r-1' } };
    const email = `${unique('made')}@shop.example`;
    const { operator } = await console.operators.create({ email, name: 'Made', role: 'finance' }, by);
    expect(operator.created_by).toBe(boss.id);
    const alone = { email: `x-${email}`, name: 'Alone', role: 'finance' } as const;
    expect((await console.operators.create(alone)).operator.created_by).toBeNull();
  });
});
