import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WepayScene } from '../routing/wepay-scene.js';

interface Report {
  ok: boolean;
  suppliers: Record<string, unknown>[];
}

let wepay: WepayScene;
const directory = mkdtempSync(path.join(tmpdir(), 'statement-'));
const file = path.join(directory, 'statement.csv');

beforeAll(async () => {
  wepay = await WepayScene.open();
});

afterAll(async () => {
  await wepay.close();
  rmSync(directory, { recursive: true });
});

const reportOf = (supplier: string): Promise<Report> =>
  wepay.routing.commandLine.json<Report>('report', 'supplier', '--supplier', supplier);

describe('topup report supplier, for a supplier with queries by its own references', () => {
  it('queries by these references, and agrees', async () => {
    await wepay.routing.orderWith(
      await wepay.ruled({ then: [{ status: '2', operator_trxnsid: 'OP-1' }] }),
      'completed',
    );
    const report = await reportOf('wepay');
    expect(report.ok).toBe(true);
    expect(report.suppliers).toMatchObject([{ succeeded: 1, agreed: 1, unanswered: 0, unaskable: 0 }]);
  });

  it('counts units without such a reference, and is ok nevertheless', async () => {
    await wepay.routing.orderWith(await wepay.ruled({ code: '30009' }), 'failed');
    const report = await reportOf('wepay');
    expect(report.ok).toBe(true);
    expect(report.suppliers).toMatchObject([
      { succeeded: 1, failed: 1, agreed: 1, unanswered: 0, unaskable: 1, problem: null },
    ]);
    const { stdout } = await wepay.routing.commandLine.run('report', 'supplier');
    expect(stdout).toContain('1 attempt at wepay can’t be queried without the risk of buying again');
  });
});

describe('topup report supplier, for a supplier whose queries may buy', () => {
  it('is not ok if no callback would report the sale of a refused unit', async () => {
    await wepay.routing.vendor('deaf');
    const { commandLine } = wepay.routing;
    const set = await commandLine.run(
      'supplier',
      'set',
      '--code',
      'deaf',
      '--adapter',
      'digiflazz',
      '--remove-credential',
      'webhook_secret',
      '--yes',
    );
    expect([set.code, set.stderr]).toEqual([
      0,
      expect.stringContaining('Supplier deaf answers no inquiries about refused or old purchases'),
    ]);
    const sku = await wepay.routing.product({ supplier: 'deaf', supplierSku: 'ml86', cost: 20_000 });
    await wepay.routing.orderWith(await wepay.routing.order(sku), 'completed');
    const report = async (...more: string[]): Promise<Report & { code: number | null }> => {
      const { code, stdout } = await commandLine.run('report', 'supplier', '--supplier', 'deaf', '--json', ...more);
      return { code, ...(JSON.parse(stdout) as Report) };
    };
    const why = expect.stringContaining('Set its webhook_secret');
    expect(await report()).toMatchObject({ code: 1, ok: false, suppliers: [{ unaskable: 1, problem: why }] });
    const [attempt] = await wepay.routing.stack.sql<{ reference: string }>(
      `SELECT a.reference FROM unit_attempts a JOIN suppliers s ON s.id = a.supplier_id WHERE s.code = 'deaf'`,
    );
    writeFileSync(file, `reference,status\n${attempt?.reference},Sukses`);
    expect(await report('--statement', file)).toMatchObject({
      code: 0,
      ok: true,
      suppliers: [{ problem: null }],
    });
  });

  it('sends no queries, and shows this', async () => {
    const digiflazz = await wepay.routing.vendor('digi');
    const sku = await wepay.routing.product({ supplier: 'digi', supplierSku: 'ml86', cost: 20_000 });
    await wepay.routing.orderWith(await wepay.routing.order(sku), 'completed');
    const questions = async (): Promise<unknown[]> =>
      (await digiflazz.sim<{ path: string }[]>('journal')).filter(({ path: asked }) => asked !== '/v1/cek-saldo');
    const before = await questions();
    const report = await reportOf('digi');
    expect(report).toMatchObject({ ok: true, suppliers: [{ succeeded: 1, agreed: 0, unaskable: 1 }] });
    // The only requests were for our balance.
    expect(await questions()).toEqual(before);

    // The statement counts as the supplier's report, here that it sold nothing.
    const { commandLine } = wepay.routing;
    const [attempt] = await wepay.routing.stack.sql<{ reference: string }>(
      `SELECT a.reference FROM unit_attempts a JOIN suppliers s ON s.id = a.supplier_id WHERE s.code = 'digi'`,
    );
    const compare = async (status: string): Promise<Report> => {
      writeFileSync(file, `reference,status\n${attempt?.reference},${status}`);
      const { stdout } = await commandLine.run(
        'report',
        'supplier',
        '--supplier',
        'digi',
        '--statement',
        file,
        '--json',
      );
      return JSON.parse(stdout) as Report;
    };
    const nothing = { unknown: 0, listed: 1, unaskable: 0 };
    expect(await compare('Sukses')).toMatchObject({ ok: true, suppliers: [{ agreed: 1, ...nothing }] });
    expect(await compare('Gagal')).toMatchObject({
      ok: false,
      suppliers: [{ agreed: 0, ...nothing, differences: [{ ours: 'succeeded', theirs: 'failed' }] }],
    });
  });
});
