import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { miniQr } from '../../../src/deposits/slips/mini-qr.js';
import { eventually } from '../../support/eventually.js';
import type { Answer } from '../../support/http.js';
import { unique, type TestMerchant } from '../../support/stack.js';
import { closeWithRightBooks, DepositsScene } from '../scene.js';
import type { Deposit } from './slips-scene.js';

let scene: DepositsScene;
let shop: TestMerchant;

beforeAll(async () => {
  scene = await DepositsScene.start();
});

afterAll(() => closeWithRightBooks(scene));

/** A deposit of a new merchant. 1001.00 is never paid by itself. */
async function create(amount = '1001.00'): Promise<Deposit> {
  shop = await scene.stack.sandboxMerchant('0.00');
  return (await shop.client.post<Deposit>('/v1/deposits', { reference_id: unique('deposit'), amount })).body;
}

const present = ({ reference_id }: Deposit, transRef: string, bank = '000'): Promise<Answer<Deposit>> =>
  shop.client.post<Deposit>(`/v1/deposits/${reference_id}/slip`, { payload: miniQr({ bank, transRef }) });

const get = async ({ reference_id }: Deposit): Promise<Deposit> =>
  (await shop.client.get<Deposit>(`/v1/deposits/${reference_id}`)).body;

describe('a slip in the sandbox', () => {
  it.each(['1001.00', '1000.00', '1006.00'])('whose number ends in OK pays a deposit of %s once', async (amount) => {
    const deposit = await create(amount);
    const { body } = await present(deposit, 'TRYOK');
    const booked = { status: 'paid', paid_amount: deposit.amount_to_pay, slip: { status: 'booked', code: null } };
    expect(body).toMatchObject(booked);
    await eventually(
      () => scene.stack.sql(`SELECT FROM deposits WHERE next_inquiry_at IS NOT NULL`),
      ({ length }) => length === 0,
    );
    expect(await get(deposit)).toMatchObject({ ...booked, payments: [{}] });
  });

  it('belongs to one deposit of the merchant', async () => {
    const one = await create();
    await present(one, 'TRYOK');
    const { body: other } = await shop.client.post<Deposit>('/v1/deposits', {
      reference_id: 'other',
      amount: '1001.00',
    });
    const refused = { status: 'pending', slip: { status: 'refused', code: 'SLIP_NOT_FOR_THIS_DEPOSIT' } };
    expect((await present(other, 'TRYOK')).body).toMatchObject(refused);
    expect((await present(one, 'AGAINOK')).body).toMatchObject({ slip: { status: 'refused', code: 'SLIP_UNKNOWN' } });
  });

  it('that ends in LATE is in doubt for a while', async () => {
    const deposit = await create();
    expect((await present(deposit, 'TRYLATE')).body).toMatchObject({ status: 'pending', slip: { status: 'checking' } });
    await scene.stack.sql(
      `UPDATE slip_checks SET next_at = now() WHERE next_at BETWEEN now() AND now() + interval '30 s'`,
    );
    const ended = await eventually(
      () => get(deposit),
      ({ slip }) => slip?.status !== 'checking',
    );
    expect(ended).toMatchObject({ status: 'paid', slip: { status: 'booked' } });
  });

  it.each([
    ['TRYOTHER', '000', 'SLIP_WRONG_RECEIVER'],
    ['TRY', '000', 'SLIP_UNKNOWN'],
    ['TRYOK', '014', 'SLIP_UNKNOWN'],
  ])('of number %s and bank %s is refused', async (transRef, bank, code) => {
    const deposit = await create();
    expect((await present(deposit, transRef, bank)).body).toMatchObject({ slip: { status: 'refused', code } });
    expect(await get(deposit)).toMatchObject({ status: 'pending' });
  });
});
