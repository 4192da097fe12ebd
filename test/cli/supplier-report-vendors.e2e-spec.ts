import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WepayScene } from '../routing/wepay-scene.js';

interface Report {
  ok: boolean;
  suppliers: Record<string, unknown>[];
}

let wepay: WepayScene;

beforeAll(async () => {
  wepay = await WepayScene.open();
});

afterAll(() => wepay.close());

const reportOf = (supplier: string): Promise<Report> =>
  wepay.routing.commandLine.json<Report>('report', 'supplier', '--supplier', supplier);

describe('topup report supplier, at a vendor that is asked by its own names', () => {
  it('asks by those, and agrees', async () => {
    await wepay.routing.orderWith(
      await wepay.ruled({ then: [{ status: '2', operator_trxnsid: 'OP-1' }] }),
      'completed',
    );
    const report = await reportOf('wepay');
    expect(report.ok).toBe(true);
    expect(report.suppliers).toMatchObject([{ succeeded: 1, agreed: 1, unanswered: 0, unaskable: 0 }]);
  });

  it('says of how many it knows no name, which is no failure', async () => {
    await wepay.routing.orderWith(await wepay.ruled({ code: '30009' }), 'failed');
    const report = await reportOf('wepay');
    expect(report.ok).toBe(true);
    expect(report.suppliers).toMatchObject([
      { succeeded: 1, failed: 1, agreed: 1, unanswered: 0, unaskable: 1, problem: null },
    ]);
    const { stdout } = await wepay.routing.commandLine.run('report', 'supplier');
    expect(stdout).toContain('1 unit at wepay can be asked about only in a way that may buy again');
  });
});

describe('topup report supplier, at a vendor that takes a question for a purchase', () => {
  it('asks nothing, and says so', async () => {
    const digiflazz = await wepay.routing.vendor('digi');
    const sku = await wepay.routing.product({ supplier: 'digi', supplierSku: 'ml86', cost: 20_000 });
    await wepay.routing.orderWith(await wepay.routing.order(sku), 'completed');
    const before = (await digiflazz.sim<unknown[]>('journal')).length;
    const report = await reportOf('digi');
    expect(report).toMatchObject({ ok: true, suppliers: [{ succeeded: 1, agreed: 0, unaskable: 1 }] });
    // It was asked for our balance.
    expect((await digiflazz.sim<unknown[]>('journal')).length).toBeLessThanOrEqual(before + 1);
  });
});
