import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConsoleActor } from '../../src/audit-log/audit-log.js';
import { closeWithBalancedBooks } from '../support/books.js';
import type { Answer, ErrorBody } from '../support/http.js';
import { unique } from '../support/stack.js';
import { PASSWORD, type TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';

let scene: Scene;
let nok: TestOperator;
beforeAll(async () => {
  scene = await startScene({ CONSOLE_APPROVAL_ABOVE: '1000' });
  nok = await scene.console.signedIn('finance');
});
afterAll(() => closeWithBalancedBooks(scene.stack, scene.console));

const actorOf = ({ id, email }: TestOperator): ConsoleActor => ({
  operator: email,
  console: { operatorId: id, ip: '127.0.0.1', requestId: 'r-1' },
});

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
    const email = `${unique('made')}@shop.example`;
    const { operator } = await console.operators.create({ email, name: 'Made', role: 'finance' }, actorOf(boss));
    expect(operator.created_by).toBe(boss.id);
    const alone = { email: `x-${email}`, name: 'Alone', role: 'finance' } as const;
    expect((await console.operators.create(alone)).operator.created_by).toBeNull();
  });

  describe('between two old accounts', () => {
    let boss: TestOperator;
    let ploy: TestOperator;
    let chai: TestOperator;
    beforeEach(async () => {
      boss = await scene.console.signedIn('admin');
      ploy = await scene.console.signedIn('finance');
      chai = await scene.console.signedIn('finance');
    });

    /** Resets the account, and signs in to it with the link. */
    async function takeOver(account: TestOperator): Promise<void> {
      const { link } = await scene.console.operators.reset(account.id, actorOf(boss));
      await account.browser.post('/api/set-up', { token: link.split('#')[1], password: PASSWORD });
      await scene.console.signIn(account);
    }
    const earlier = (action: string, days: number): Promise<unknown> =>
      scene.stack.fill(
        `SET session_replication_role = replica;
         UPDATE operator_actions SET created_at = created_at - interval '${days} days'
         WHERE action = '${action}' AND operator_id = ${boss.id}`,
      );
    async function expectRefused(id: number, words: string): Promise<void> {
      const { status, body } = await approve(id, chai);
      expect([status, body.details?.[0]?.code]).toEqual([403, 'OWN_REQUEST']);
      expect(body.message).toContain(words);
    }

    it('is refused if a third operator took over both within seven days, and could act as two people', async () => {
      await takeOver(ploy);
      const id = await asked(ploy);
      await takeOver(chai);
      await expectRefused(id, `${boss.email} reset ${chai.email} at `);
      await expectRefused(id, ` and reset ${ploy.email} at `);
      expect((await approve(id, nok)).status).toBe(200);
      await earlier('operator.reset', 8);
      expect((await approve(await asked(ploy), chai)).status).toBe(200);
    });

    it('is refused if a third operator enabled one and allowed company sign-in for the other', async () => {
      await scene.console.operators.enable(ploy.id, actorOf(boss));
      await scene.console.operators.allowCompany(chai.id, actorOf(boss));
      await expectRefused(await asked(ploy), `${boss.email} allowed company sign-in for ${chai.email} at `);
    });

    it('is refused if a third operator reset one and created the other, as long as that one is new', async () => {
      const email = `${unique('new')}@shop.example`;
      const young = { email, name: 'New', role: 'finance' } as const;
      const { operator, link } = await scene.console.operators.create(young, actorOf(boss));
      chai = { id: operator.id, email, browser: scene.console.browser() };
      await chai.browser.post('/api/set-up', { token: link.split('#')[1], password: PASSWORD });
      await scene.console.signIn(chai);
      await earlier('operator.create', 29);
      await takeOver(ploy);
      const id = await asked(ploy);
      await expectRefused(id, `${boss.email} reset ${ploy.email} at `);
      await earlier('operator.create', 2);
      expect((await approve(id, chai)).status).toBe(200);
    });

    it('is made although an administrator reset one of them, or gave a role to both', async () => {
      await takeOver(ploy);
      for (const { id } of [ploy, chai]) await scene.console.operators.setRole(id, 'finance', actorOf(boss));
      expect((await approve(await asked(ploy), chai)).status).toBe(200);
    });
  });
});
