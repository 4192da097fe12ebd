import { describe, expect, it } from '@jest/globals';
import {
  readStatement,
  type StatedPurchase,
  type StatementFormat,
  type StatementReading,
} from './purchase-statement.js';

const readAll = (lines: string[], format: Partial<StatementFormat> = {}): StatementReading =>
  readStatement(Buffer.from(lines.join('\n')), {
    headers: {},
    bought: [],
    notBought: [],
    refunded: [],
    ...format,
  });
const read = (...given: Parameters<typeof readAll>): StatedPurchase[] => readAll(...given).purchases;

describe('a statement of a supplier', () => {
  it('is read by its columns, and unknown columns are ignored', () => {
    const header = 'No,reference,supplier_reference,status,sku,player,cost,currency,bought_at,Kasir';
    const line = '1,T1,S1,Sukses,ml86,123 2001,10000,IDR,2026-01-15T08:30:00+07:00,Budi';
    expect(read([header, line])).toEqual([
      {
        line: 2,
        reference: 'T1',
        supplierReference: 'S1',
        status: 'Sukses',
        result: 'bought',
        state: 'succeeded',
        sku: 'ml86',
        player: '123 2001',
        cost: { micros: 10_000_000_000n, currency: 'IDR' },
        boughtAt: new Date('2026-01-15T01:30:00Z'),
      },
    ]);
  });

  it('may have other headers, which the caller names', () => {
    const headers = { reference: 'Ref ID', player: 'Tujuan' } as const;
    expect(read(['Tanggal,Ref ID,Tujuan', 'kemarin,T1,123'], { headers })).toMatchObject([
      { reference: 'T1', player: '123', state: 'succeeded', status: null, boughtAt: null, cost: null },
    ]);
  });

  it.each([
    ['Sukses', 'succeeded'],
    ['SUCCESS', 'succeeded'],
    ['Gagal', 'failed'],
    ['refunded', 'failed'],
    ['Pending', 'processing'],
    ['Terkirim', 'succeeded'],
    ['Batal', 'failed'],
    ['Dana kembali', 'failed'],
    ['Diproses', 'processing'],
  ])('with the status %s means %s', (status, state) => {
    const format = { bought: ['terkirim'], notBought: ['BATAL'], refunded: ['dana Kembali'] };
    expect(read(['reference,status', `T1,${status}`], format)).toMatchObject([{ state }]);
  });

  it('counts a purchase once, and as bought if one of its lines is a success', () => {
    const lines = ['reference,status', 'T1,failed', 'T1,success', 'T1,failed', 'T2,failed'];
    expect(read(lines)).toMatchObject([
      { reference: 'T1', state: 'succeeded' },
      { reference: 'T2', state: 'failed' },
    ]);
  });

  it('has each sale under one reference, if the supplier names them differently', () => {
    const lines = [
      'reference,supplier_reference,status',
      'T1,S1,success',
      'T2,S2,success',
      'T1,S3,success',
      'T1,S1,success',
    ];
    const one = ['T3,,success', 'T3,S4,success', 'T5,S7,success', 'T5,S8,failed'];
    expect(read([...lines, ...one]).map(({ reference, supplierReference }) => [reference, supplierReference])).toEqual([
      ['T1', 'S1'],
      ['T1', 'S3'],
      ['T2', 'S2'],
      ['T3', 'S4'],
      ['T5', 'S7'],
    ]);
  });

  it('has a sale even if another purchase under its reference was paid back', () => {
    const lines = ['reference,supplier_reference,status', 'T1,S1,refunded', 'T1,S2,success', 'T1,S1,success'];
    expect(read(lines)).toMatchObject([
      { supplierReference: 'S2', state: 'succeeded' },
      { supplierReference: 'S1', state: 'failed', status: 'refunded' },
    ]);
  });

  it('has no sale if the only purchase under a reference was paid back, even in a line that does not name it', () => {
    const lines = [
      'reference,supplier_reference,status',
      'T1,S1,success',
      'T1,,refunded',
      'T2,S2,refunded',
      'T2,,success',
    ];
    expect(read(lines)).toMatchObject([
      { reference: 'T1', state: 'failed' },
      { reference: 'T2', state: 'failed' },
    ]);
  });

  it('has no sale if the only purchase that was not refused is paid back in a line that does not name it', () => {
    const lines = ['reference,supplier_reference,status', 'T1,S1,failed', 'T1,S2,success', 'T1,,refunded'];
    expect(read(lines)).toMatchObject([{ reference: 'T1', state: 'failed' }]);
  });

  it('counts a purchase as paid back if any of its lines says so', () => {
    const lines = ['reference,status', 'T1,success', 'T1,Refunded', 'T2,Dana kembali', 'T2,success'];
    expect(read(lines, { refunded: ['Dana kembali'] })).toMatchObject([
      { reference: 'T1', state: 'failed', status: 'Refunded' },
      { reference: 'T2', state: 'failed', status: 'Dana kembali' },
    ]);
  });

  it('has the supplier’s own meaning of a usual status', () => {
    const states = (format: Partial<StatementFormat>): (string | null)[] =>
      read(['reference,status', 'T1,Completed', 'T2,refund'], format).map(({ state }) => state);
    expect(states({})).toEqual(['succeeded', 'failed']);
    expect(states({ notBought: ['completed'], bought: ['Refund'] })).toEqual(['failed', 'succeeded']);
  });

  it('lists unknown statuses, which count as in progress', () => {
    const lines = ['reference,status', 'T1,Selesai', 'T2,success', 'T2,Selesai', 'T3,Dana kembali', 'T4,pending'];
    const { purchases, unclear } = readAll(lines);
    expect(purchases.map(({ state }) => state)).toEqual(['processing', 'succeeded', 'processing', 'processing']);
    expect(unclear).toEqual([
      { status: 'Selesai', lines: 2 },
      { status: 'Dana kembali', lines: 1 },
    ]);
  });

  it('is refused with all its problems', () => {
    expect(() => read(['sku', 'ml86'])).toThrow('one of reference and supplier_reference must be a column');
    expect(() => read(['reference', 'T1'], { headers: { status: 'Status' } })).toThrow(
      'the file has no column "Status" for status: correct the header that you gave',
    );
    expect(() => read(['reference,status', `${'T'.repeat(300)},success`, ',success'])).toThrow(
      /line 2: reference must be text of up to 255 characters, not [^\n]+\n.*line 3: has neither a reference nor a supplier_reference/s,
    );
    expect(() => read(['reference,cost,bought_at', ',1', 'T1,Rp 10.000,kemarin'])).toThrow(
      /line 2: .*\n.*line 3: cost must be an amount.*\n.*line 3: bought_at must be a moment/s,
    );
  });
});
