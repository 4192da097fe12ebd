import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BatchResolutionService } from '../../src/support/batch-resolution.service.js';
import { deferred } from '../support/deferred.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought } from '../support/fake-supplier.js';
import type { Answer, ErrorBody } from '../support/http.js';
import { unique, type OrderBody } from '../support/stack.js';
import { PASSWORD, type TestOperator } from './console-stack.js';
import { inDoubt, startScene, triedAgain, type Scene } from './scene.js';

interface NamedUnit {
  order_number: string;
  unit: string;
  supplier?: string;
  attempt?: number;
}
interface ResolvedBody {
  resolved: NamedUnit[];
  amount: string;
  left: (NamedUnit & { state: string; decided_by: string | null })[];
}
interface PreviewBody {
  units: number;
  amount: string;
  merchants: { id: number; units: number; amount: string }[];
  orders: number;
  ending: number;
  left: NamedUnit[];
}

let scene: Scene;
let support: TestOperator;
let other: TestOperator;
beforeAll(async () => {
  scene = await startScene({ SUPPLIER_QUIET_PERIOD_MS: '600000' });
  [support, other] = [await scene.console.signedIn('support'), await scene.console.signedIn('support')];
  await scene.stack.addSupplier('elsewhere', scene.stack.supplier.url);
});
afterAll(() => closeWithBalancedBooks(scene.stack, scene.console));

const FAILED = { succeeded: false, failure_code: 'SUPPLIER_UNAVAILABLE', reason: 'the outage: ticket 4711' };

const unitOf = ({ order_number }: OrderBody, unit = '1.1'): NamedUnit => ({ order_number, unit });

const decide = <Body = ResolvedBody>(
  units: NamedUnit[],
  { verdict = FAILED, who = support }: { verdict?: object; who?: TestOperator } = {},
): Promise<Answer<Body>> => who.browser.post<Body>('/api/review/resolution', { units, ...verdict });

const previewOf = async (units: NamedUnit[]): Promise<PreviewBody> =>
  (await support.browser.post<PreviewBody>('/api/review/resolution/preview', { units })).body;

const decisionsOf = (orders: OrderBody[]): Promise<{ order_number: string; detail: object }[]> =>
  scene.console.sql(
    `SELECT o.order_number, a.detail FROM operator_actions a JOIN orders o ON o.id = a.order_id
     WHERE o.order_number = ANY($1) AND a.action = 'order.resolve' ORDER BY o.id, a.detail ->> 'unit'`,
    [orders.map(({ order_number }) => order_number)],
  );

describe('one decision about several units', () => {
  it('shows first what it would move, then settles and logs each unit on its own', async () => {
    const { stack, merchant } = scene;
    const rich = await stack.merchant('1000.00');
    const [one, two, three] = [
      await inDoubt(scene, support),
      await inDoubt(scene, support, { quantity: 2 }),
      await inDoubt(scene, support, { from: rich }),
    ];
    const units = [unitOf(one), unitOf(two), unitOf(three)];
    expect(await previewOf(units)).toEqual({
      units: 3,
      amount: '105.00',
      orders: 3,
      ending: 2,
      left: [],
      merchants: [
        expect.objectContaining({ id: merchant.id, units: 2, amount: '70.00' }),
        expect.objectContaining({ id: rich.id, units: 1, amount: '35.00' }),
      ],
    });
    const before = Number((await stack.wallet(merchant)).available);
    const { status, body } = await decide(units);
    expect([status, body]).toEqual([200, { resolved: units, amount: '105.00', left: [] }]);
    expect(Number((await stack.wallet(merchant)).available) - before).toBe(35);
    expect((await stack.wallet(rich)).available).toBe('1000.00');
    expect(await decisionsOf([one, two, three])).toEqual(
      units.map(({ order_number, unit }) => ({
        order_number,
        detail: { unit, result: 'failed', code: FAILED.failure_code, reason: FAILED.reason },
      })),
    );
    await decide([unitOf(two, '1.2')], { verdict: { succeeded: true, reason: 'they found it' } });
    expect((await stack.orderWith(merchant, two.reference_id, 'failed')).failure_code).toBe('PARTIALLY_COMPLETED');
  });

  it('settles nothing twice if two operators send it at the same time, and names the first operator', async () => {
    const { stack, merchant } = scene;
    const orders = [await inDoubt(scene, support), await inDoubt(scene, support, { quantity: 3 })];
    const units = orders.flatMap((order, index) =>
      index === 0 ? [unitOf(order)] : ['1.1', '1.2', '1.3'].map((unit) => unitOf(order, unit)),
    );
    const before = Number((await stack.wallet(merchant)).available);
    const verdict = { succeeded: true, reason: 'they say so' };
    const answers = await Promise.all([
      decide(units),
      decide(units),
      decide(units, { verdict, who: other }),
      decide(units, { verdict, who: other }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.flatMap(({ body }) => body.resolved)).toHaveLength(4);
    expect(answers.flatMap(({ body }) => body.left)).toHaveLength(12);
    expect(await decisionsOf(orders)).toHaveLength(4);
    const after = Number((await stack.wallet(merchant)).available);
    const failed = await scene.console.sql(
      `SELECT FROM order_units u JOIN orders o ON o.id = u.order_id WHERE o.order_number = ANY($1) AND u.state = 'failed'`,
      [orders.map(({ order_number }) => order_number)],
    );
    expect(after - before).toBe(35 * failed.length);
    const names = [support, other].map(({ email }) => email.split('@')[0]);
    for (const { body } of answers) for (const { decided_by } of body.left) expect(names).toContain(decided_by);
  });

  it('skips and reports a unit that another operator settled meanwhile', async () => {
    const order = await inDoubt(scene, support, { quantity: 2 });
    await decide([unitOf(order)], { verdict: { succeeded: true, reason: 'a' }, who: other });
    const units = [unitOf(order), unitOf(order, '1.2')];
    const asIs = {
      ...unitOf(order),
      state: 'succeeded',
      supplier: 'fake',
      attempt: 1,
      decided_by: other.email.split('@')[0],
    };
    expect(await previewOf(units)).toMatchObject({ units: 1, amount: '35.00', ending: 1, left: [asIs] });
    const { body } = await decide(units);
    expect(body).toEqual({ resolved: [unitOf(order, '1.2')], amount: '35.00', left: [asIs] });
  });

  it('skips a unit with a send in flight', async () => {
    const { stack, merchant } = scene;
    await stack.addSupplier('patient', stack.supplier.url, 120_000);
    const sku = await stack.product('35.00', { supplier: 'patient' });
    const user = unique('slow');
    const { promise: gate, resolve: answer } = deferred<void>();
    stack.supplier.script(user, async ({ reference }) => {
      await gate;
      return bought(reference);
    });
    const order = await stack.order(merchant, [{ sku }], user);
    await eventually(
      () => stack.supplier.about(order.order_number).length,
      (count) => count > 0,
    );
    const asIs = { ...unitOf(order), state: 'sending', supplier: 'patient', attempt: 1, decided_by: null };
    expect(await previewOf([unitOf(order)])).toMatchObject({ units: 0, amount: '0.00', left: [asIs] });
    const { status, body } = await decide([unitOf(order)]);
    expect([status, body]).toMatchObject([200, { resolved: [], amount: '0.00', left: [asIs] }]);
    expect(await decisionsOf([order])).toEqual([]);
    answer();
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });

  it('skips a unit that is at another supplier than when it was selected', async () => {
    const [stayed, moved] = [await inDoubt(scene, support), await inDoubt(scene, support)];
    const units = [
      { ...unitOf(stayed), supplier: 'fake' },
      { ...unitOf(moved), supplier: 'elsewhere' },
    ];
    const asIs = { ...unitOf(moved), state: 'unknown', supplier: 'fake', attempt: 1, decided_by: null };
    expect(await previewOf(units)).toMatchObject({ units: 1, amount: '35.00', left: [asIs] });
    const { body } = await decide(units);
    expect(body).toEqual({ resolved: [unitOf(stayed)], amount: '35.00', left: [asIs] });
    expect(await decisionsOf([moved])).toEqual([]);
    expect((await decide([{ ...unitOf(moved), supplier: 'fake' }])).body.resolved).toEqual([unitOf(moved)]);
  });

  it('skips a unit whose next attempt at the same supplier began after it was selected', async () => {
    const [stayed, moved] = [await inDoubt(scene, support), await inDoubt(scene, support)];
    await triedAgain(scene, moved, 'fake');
    const units = [stayed, moved].map((order) => ({ ...unitOf(order), supplier: 'fake', attempt: 1 }));
    const asIs = { ...unitOf(moved), state: 'unknown', supplier: 'fake', attempt: 2, decided_by: null };
    expect(await previewOf(units)).toMatchObject({ units: 1, left: [asIs] });
    expect((await decide(units)).body).toEqual({ resolved: [unitOf(stayed)], amount: '35.00', left: [asIs] });
    expect(await decisionsOf([moved])).toEqual([]);
    expect((await decide([{ ...unitOf(moved), attempt: 2 }])).body.resolved).toEqual([unitOf(moved)]);
  });

  it('skips a unit that moves to another supplier while the decision is carried out', async () => {
    const order = await inDoubt(scene, support);
    const batch = scene.console.app.get(BatchResolutionService);
    const asked = { order_number: order.order_number, item: 1, unit: 1, supplier: 'fake', attempt: null };
    const seen = await batch.listStatus([asked]);
    await triedAgain(scene, order, 'elsewhere');
    const outcome = { kind: 'failed', code: 'SUPPLIER_UNAVAILABLE', message: 'the outage' } as const;
    const by = { operator: support.email };
    const { resolved, left } = await batch.resolve(seen, outcome, by, 'the outage of fake');
    expect([resolved, left]).toMatchObject([[], [{ state: 'unknown', supplier: 'elsewhere' }]]);
    expect(await decisionsOf([order])).toEqual([]);
    expect((await decide([unitOf(order)])).body.resolved).toEqual([unitOf(order)]);
  });

  it('must be confirmed again if the units together cost much', async () => {
    const orders = [
      await inDoubt(scene, support, { price: '600.00' }),
      await inDoubt(scene, support, { price: '600.00' }),
    ];
    const units = orders.map((order) => unitOf(order));
    await scene.console.sql(
      `UPDATE operator_sessions SET confirmed_at = now() - interval '11 minutes' WHERE operator_id = $1`,
      [support.id],
    );
    const refused = await decide<ErrorBody>(units);
    expect([refused.status, refused.body.details?.[0]?.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    expect(await decisionsOf(orders)).toEqual([]);
    await support.browser.post('/api/session/confirm', { password: PASSWORD });
    expect((await decide(units)).body.resolved).toEqual(units);
  });

  it('refuses units of different suppliers and orders, repeated and unknown units, and a decision without a reason', async () => {
    const [one, two] = [await inDoubt(scene, support), await inDoubt(scene, support, { supplier: 'elsewhere' })];
    const tries: [NamedUnit[], object, number][] = [
      [[unitOf(one), unitOf(two)], FAILED, 400],
      [[unitOf(one), unitOf(one)], FAILED, 400],
      [[unitOf(one), unitOf(one, '1.2')], FAILED, 404],
      [[unitOf(one, 'x.y')], FAILED, 404],
      [[], FAILED, 400],
      [Array.from({ length: 101 }, (_each, index) => unitOf(one, `1.${index + 1}`)), FAILED, 400],
      [[unitOf(one)], { ...FAILED, reason: '' }, 400],
      [[unitOf(one)], { succeeded: false, reason: 'x' }, 400],
      [[unitOf(one)], { ...FAILED, supplier_reference: 'x' }, 400],
    ];
    for (const [units, verdict, status] of tries)
      expect([units.slice(0, 2), verdict, (await decide(units, { verdict })).status]).toEqual([
        units.slice(0, 2),
        verdict,
        status,
      ]);
    expect(await decisionsOf([one, two])).toEqual([]);
    for (const order of [one, two]) await decide([unitOf(order)]);
  });
});
