import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ErrorBody } from '../support/http.js';
import { unique } from '../support/stack.js';
import { fetchServed } from '../support/until-served.js';
import { Catalogue, type Preview } from './catalogue.js';
import type { TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';

let scene: Scene;
let admin: TestOperator;
let catalog: TestOperator;
let catalogue: Catalogue;
beforeAll(async () => {
  scene = await startScene();
  admin = await scene.console.signedIn('admin');
  catalog = await scene.console.signedIn('catalog');
  catalogue = new Catalogue(scene, admin);
});
afterAll(() => scene.close());

describe('a file of products', () => {
  it('is previewed with changes, errors and large price steps, and then imported as previewed', async () => {
    const [kept, far, near] = [
      await scene.stack.product('10.00'),
      await scene.stack.product('10.00'),
      await scene.stack.product('10.00'),
    ];
    await catalogue.costs(far, 8);
    const fresh = unique('fresh');
    const file = `sku,name,price\n${kept},Product ${kept},10.00\n${near},Product ${near},10.50\n${far},Product ${far},7.50\n${fresh},Fresh,5\n`;
    const before = await catalogue.entries();
    const { body: seen } = await catalogue.send('/api/products/import/preview', file);
    expect(seen).toMatchObject({
      added: 1,
      changed: 2,
      unchanged: 1,
      moved_far: 1,
      below_cost: 1,
      problems: [],
    });
    expect(seen.changes[0]).toMatchObject({
      sku: far,
      price_moves_percent: -25,
      below_cost: true,
      changes: [{ member: 'price', old: '10.00', new: '7.50' }],
    });
    expect((await catalogue.product(far)).price).toBe('10.00');
    expect(await catalogue.entries()).toBe(before);
    const path = `/api/products/import?file=prices.csv&version=${seen.version}`;
    await catalogue.set(near, {
      price: '11.00',
      expected_updated_at: (await catalogue.product(near)).updated_at,
    });
    expect((await catalogue.send(path, file)).status).toBe(409);
    expect((await catalogue.product(far)).price).toBe('10.00');
    const { body: again } = await catalogue.send('/api/products/import/preview', file);
    const now = await catalogue.entries();
    const done = await catalogue.send(path.replace(seen.version, again.version), file);
    expect([done.status, done.body]).toEqual([200, { added: 1, changed: 2 }]);
    expect((await catalogue.entries()) - now).toBe(1);
    expect((await catalogue.product(far)).price).toBe('7.50');
    expect((await catalogue.history(far)).data[0]).toMatchObject({
      action: 'product.import',
      file: 'prices.csv',
      changes: [{ member: 'price', old: '10.00', new: '7.50' }],
    });
  });

  it('is not decompressed, so that a small file cannot become a large one', async () => {
    const packed = gzipSync(`sku\n${'a\n'.repeat(10_000)}`);
    for (const path of ['/api/products/import/preview', '/api/prices/import/preview']) {
      const answer = await fetchServed(`${scene.console.url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'text/csv',
          'content-encoding': 'gzip',
          'sec-fetch-site': 'same-origin',
          cookie: [...admin.browser.cookies].map((pair) => pair.join('=')).join('; '),
        },
        body: packed,
      });
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        415,
        expect.objectContaining({ code: 'UNSUPPORTED_MEDIA_TYPE' }),
      ]);
    }
  });

  it('with errors is refused with line and column of each, and changes nothing', async () => {
    const sku = await scene.stack.product('10.00');
    const file = `sku,price,max_quantity\n${sku},abc,500\n${sku},11.00,1\nNEW-ONE,1.00,1\n`;
    const { body } = await catalogue.send('/api/products/import/preview', file);
    expect(body.problems).toMatchObject([
      { line: 2, column: 'price' },
      { line: 2, column: 'max_quantity' },
      { line: 3, column: 'sku' },
      { line: 4, column: 'sku' },
    ]);
    const refused = await catalogue.send(`/api/products/import?version=${body.version}`, file);
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('line 2')]);
    const { body: broken } = await catalogue.send('/api/products/import/preview', 'sku;price\nx;1');
    expect(broken.problems).toMatchObject([{ line: 1, column: null }]);
  });

  it('may have at most 5 MiB of CSV, and needs the permission to import', async () => {
    const large = `sku\n${'x'.repeat(5 * 1024 * 1024)}`;
    expect((await catalogue.send('/api/products/import/preview', large)).status).toBe(413);
    expect((await admin.browser.post('/api/products/import/preview', {})).status).toBe(415);
    const viewer = await scene.console.signedIn('viewer');
    expect((await catalogue.send('/api/products/import/preview', 'sku\nx', viewer)).status).toBe(403);
    const finance = await scene.console.signedIn('finance');
    expect((await catalogue.send('/api/prices/import/preview', 'merchant_id,sku,price\n1,x,1', finance)).status).toBe(
      200,
    );
  });
});

describe('prices', () => {
  it('of merchants are imported as previewed', async () => {
    const { merchant } = scene;
    const sku = await scene.stack.product('20.00');
    const file = `merchant_id,sku,price\n${merchant.id},${sku},15.00\n`;
    const { body: seen } = await catalogue.send('/api/prices/import/preview', `${file}${merchant.id},NO-SUCH,1\n`);
    expect(seen.problems).toMatchObject([{ line: 3, words: expect.stringContaining('NO-SUCH') }]);
    expect(seen.problems[0]?.words).not.toContain('topup');
    const { body: right } = await catalogue.send('/api/prices/import/preview', file);
    const done = await catalogue.send(`/api/prices/import?version=${right.version}`, file);
    expect(done.body).toEqual({ added: 1, changed: 0 });
    expect((await catalogue.product(sku)).own_prices).toMatchObject([
      { merchant: { id: merchant.id }, price: '15.00' },
    ]);
  });

  it('change by a percentage, rounded, as previewed', async () => {
    const mark = unique('pct');
    for (const [name, price] of [
      ['a', '10.00'],
      ['b', '33.33'],
      ['c', '0.10'],
    ] as const)
      await scene.stack.product(price, { sku: `${mark}-${name}` });
    await catalogue.costs(`${mark}-a`, 9.5);
    const question = { q: mark, percent: '-10', round_to: '0.25' };
    const preview = async (who = admin) =>
      (await who.browser.post<Preview>('/api/products/adjustment/preview', question)).body;
    const seen = await preview();
    expect(seen).toMatchObject({ changed: 3, unchanged: 0, below_cost: 1 });
    expect(seen.changes.map((each) => each.new)).toEqual(['9.00', '30.00', '0.25']);
    expect(seen.changes[0]).toMatchObject({ cost_baht: '9.50', margin_baht: '-0.50', below_cost: true });
    expect((await preview(catalog)).changes[0]).toMatchObject({ cost_baht: null, below_cost: true });
    const apply = (version: string) =>
      admin.browser.post<ErrorBody>('/api/products/adjustment', { ...question, version, reason: 'sale' });
    expect((await apply('another')).status).toBe(409);
    const before = await catalogue.entries();
    const done = await apply(seen.version);
    expect([done.status, done.body]).toEqual([200, { added: 0, changed: 3 }]);
    expect((await catalogue.entries()) - before).toBe(1);
    expect((await apply(seen.version)).status).toBe(409);
    expect((await catalogue.product(`${mark}-b`)).price).toBe('30.00');
    expect((await catalogue.history(`${mark}-b`)).data[0]).toMatchObject({
      action: 'price.adjust',
      reason: 'sale',
    });
  });

  it('show the product’s own change, and one for each merchant who then pays less', async () => {
    const { stack, merchant } = scene;
    const sku = await stack.product('35.00');
    const own = `/api/merchants/${merchant.id}/prices/${sku}`;
    expect((await admin.browser.send('PUT', own, { price: '30.00' })).status).toBe(200);
    const lower = { q: sku, percent: '-20' };
    const { version } = (await admin.browser.post<Preview>('/api/products/adjustment/preview', lower)).body;
    expect((await admin.browser.post('/api/products/adjustment', { ...lower, version })).status).toBe(200);
    const price = (old: string) => ({ changes: [{ member: 'price', old, new: '28.00' }] });
    expect((await catalogue.history(sku)).data.slice(0, 2)).toMatchObject([
      { action: 'price.adjust', merchant_id: null, ...price('35.00') },
      { action: 'price.adjust', merchant_id: merchant.id, ...price('30.00') },
    ]);
  });
});
