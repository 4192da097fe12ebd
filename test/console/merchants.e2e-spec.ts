import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';

interface MerchantBody {
  id: number;
  name: string;
  wallet: { available_amount: string; held_amount: string; is_low: boolean } | null;
}
interface ListBody<Item> {
  data: Item[];
  next_cursor: string | null;
}

let scene: Scene;
let finance: TestOperator;
beforeAll(async () => {
  scene = await startScene();
  finance = await scene.console.signedIn('finance');
});
afterAll(() => scene.close());

describe('merchants', () => {
  it('are listed in pages with their balances, which viewers do not see', async () => {
    const others = [await scene.stack.merchant('0.00'), await scene.stack.merchant('20.00')];
    const seen: MerchantBody[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await finance.browser.get<ListBody<MerchantBody>>(`/api/merchants?limit=2${query}`);
      seen.push(...body.data);
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(seen.map(({ id }) => id)).toEqual([scene.merchant.id, ...others.map(({ id }) => id)]);
    expect(seen.at(-1)?.wallet).toMatchObject({
      available_amount: '20.00',
      held_amount: '0.00',
      is_low: false,
    });
    const viewer = await scene.console.signedIn('viewer');
    const { body } = await viewer.browser.get<ListBody<MerchantBody>>('/api/merchants');
    expect(body.data.map(({ wallet }) => wallet)).toEqual([null, null, null]);
    expect(
      (await viewer.browser.get<MerchantBody>(`/api/merchants/${scene.merchant.id}`)).body.wallet,
    ).toBeNull();
    const named = await finance.browser.get<ListBody<MerchantBody>>(`/api/merchants?q=${seen[1]?.name}`);
    expect(named.body.data.map(({ id }) => id)).toEqual([seen[1]?.id]);
  });

  it('have a statement, newest first', async () => {
    const { stack } = scene;
    const merchant = await stack.merchant('100.00');
    await stack.credit(merchant.id, '5.00');
    const path = `/api/merchants/${merchant.id}`;
    const { body } = await finance.browser.get<ListBody<{ amount: string; available_amount_after: string }>>(
      `${path}/entries`,
    );
    expect(body.data).toMatchObject([
      { amount: '5.00', available_amount_after: '105.00' },
      { amount: '100.00', available_amount_after: '100.00' },
    ]);
    expect((await finance.browser.get(`${path}/wallet`)).body).toMatchObject({ available_amount: '105.00' });
  });

  it('that are not there are 404', async () => {
    for (const id of ['999999', '0', '-1', 'x', '99999999999'])
      for (const path of [
        `/api/merchants/${id}`,
        `/api/merchants/${id}/wallet`,
        `/api/merchants/${id}/entries`,
      ])
        expect([path, (await finance.browser.get(path)).status]).toEqual([path, 404]);
  });
});
