import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { seagmScene } from '../routing/seagm-scene.js';
import type { Json } from '../simulators/seagm-client.js';

const UNITS = 3;

const seagm = seagmScene();

beforeAll(async () => {
  const order = await seagm.routing.order(seagm.sku, { quantity: UNITS });
  await seagm.routing.orderWith(order, 'completed');
  await seagm.routing.stack.stopWorkers();
  await seagm.routing.stack.sql(`UPDATE suppliers SET max_in_flight = 1 WHERE code = 'seagm'`);
});

/** Runs the report. @returns its exit code, its line about the supplier, and the calls that it made. */
async function report(): Promise<{ code: number | null; line: Json; calls: unknown[] }> {
  const journal = (): Promise<Json[]> => seagm.vendor.sim<Json[]>('journal');
  const before = (await journal()).length;
  const { code, stdout } = await seagm.routing.commandLine.run('report', 'supplier', '--supplier', 'seagm', '--json');
  const [line = {}] = (JSON.parse(stdout) as { suppliers: Json[] }).suppliers;
  return { code, line, calls: (await journal()).slice(before).map(({ call }) => call) };
}

async function pauseReason(): Promise<unknown> {
  const [row] = await seagm.routing.stack.sql<Json>(`SELECT pause_reason FROM suppliers WHERE code = 'seagm'`);
  return row?.pause_reason;
}

describe('topup report supplier, at a supplier that bans those who call too often', () => {
  afterEach(async () => {
    await seagm.routing.stack.sql(
      `UPDATE suppliers SET pause_reason = NULL, pause_detail = NULL, paused_at = NULL, probe_at = NULL WHERE code = 'seagm'`,
    );
  });

  it('makes no call after the one that was answered with a ban, and names the ban', async () => {
    await seagm.vendor.sim('rules', { rules: [{ match: { call: 'inquiry' }, code: 418 }] });
    const { code, line, calls } = await report();
    expect(calls).toEqual(['me', 'inquiry']);
    expect(line).toMatchObject({ ok: false, agreed: 0, unanswered: UNITS, balance_amount: expect.any(String) });
    expect(line.problem).toContain('banned');
    expect(code).toBe(1);
  });

  it('pauses the supplier, so that workers do not prolong the ban', async () => {
    await seagm.vendor.sim('rules', { rules: [{ match: { call: 'inquiry' }, code: 418 }] });
    await report();
    expect(await pauseReason()).toEqual('ban');
  });

  it('makes no inquiry if the question for our balance is answered with a ban', async () => {
    await seagm.vendor.sim('rules', { rules: [{ match: { call: 'me' }, code: 418 }] });
    const { code, line, calls } = await report();
    expect(calls).toEqual(['me']);
    expect(line).toMatchObject({ ok: false, unanswered: UNITS, balance_amount: null });
    expect(line.problem).toContain('banned');
    expect(code).toBe(1);
    expect(await pauseReason()).toEqual('ban');
  });

  it.each(['ban', 'credentials'])('makes no call while the supplier is paused for %s', async (reason) => {
    await seagm.routing.stack.sql(
      `UPDATE suppliers SET pause_reason = $1, pause_detail = 'as it said', paused_at = now(), probe_at = now() + interval '1 hour'
       WHERE code = 'seagm'`,
      [reason],
    );
    const { code, line, calls } = await report();
    expect(calls).toEqual([]);
    expect(line).toMatchObject({ ok: false, unanswered: UNITS, balance_amount: null });
    expect(line.problem).toMatch(/paused for .+ \(as it said\)/);
    expect(code).toBe(1);
  });

  it('compares all again after the pause', async () => {
    const { code, line, calls } = await report();
    expect(calls).toEqual(['me', ...Array.from({ length: UNITS }, () => 'inquiry')]);
    expect(line).toMatchObject({ ok: true, agreed: UNITS, unanswered: 0, problem: null });
    expect(code).toBe(0);
  });
});
