import { describe, expect, it } from '@jest/globals';
import type { HttpAnswer } from '../adapter-http.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { readOutputAnswer } from './output-answers.js';
import { RESPONSE_CODES } from './response-codes.js';
import { parseAnswer } from './wepay-data.js';

const ATTEMPT = { sku: 'gtopup:FREEFIRE:90', reference: 'TU7Q2M0001A1', supplierReference: '7001' };

const answer = (body: object | string, status = 200): HttpAnswer => ({
  status,
  retryAfter: undefined,
  body: parseAnswer(typeof body === 'string' ? body : JSON.stringify(body)),
});
const output = (fields: Record<string, string>): SupplierOutcome => {
  const text = new URLSearchParams({
    transaction_id: '7001',
    dest_ref: 'TU7Q2M0001A1',
    ...fields,
  }).toString();
  return readOutputAnswer(answer({ code: '00000', output: text }), ATTEMPT);
};
const code = (text: string): SupplierOutcome => readOutputAnswer(answer({ code: text }), ATTEMPT);

describe('the answer of get_output', () => {
  it('is a success with status 2, and has the mobile operator’s reference if there is one', () => {
    expect(output({ status: '2' })).toEqual({ kind: 'succeeded', supplierReference: null });
    expect(output({ status: '2', operator_trxnsid: 'OP-9', total_amount: '88.65' })).toEqual({
      kind: 'succeeded',
      supplierReference: 'OP-9',
      cost: { micros: 88_650_000n, currency: 'THB' },
    });
  });

  it('is a refusal with status 4, and another supplier may sell the unit', () => {
    expect(output({ status: '4', sms: 'no stock' })).toEqual({
      kind: 'failed',
      code: 'SUPPLIER_REJECTED',
      message: 'The supplier refused the top-up',
      failover: true,
    });
  });

  it.each(['', '0', '1', '3', '5', '02', 'success'])('is processing with status %j', (status) => {
    expect(output({ status })).toEqual({ kind: 'processing', supplierReference: '7001' });
  });

  it.each([
    ['another reference', { status: '2', dest_ref: 'TU7Q2M0001A2' }],
    ['another transaction', { status: '4', transaction_id: '7002' }],
  ])('is not about our purchase with %s, and shows that our transaction id is wrong', (_what, fields) => {
    const detail = expect.stringContaining('reference collision') as unknown as string;
    expect(output(fields)).toEqual({ kind: 'unknown', detail, isMisnamed: true });
  });

  it('is not about our purchase without our reference, either', () => {
    expect(output({ status: '2', dest_ref: '' })).toEqual({
      kind: 'unknown',
      detail: 'the answer names no reference',
    });
    expect(code('00000').kind).toBe('unknown');
  });

  it('is processing with 30004', () => {
    expect(code('30004')).toEqual({ kind: 'processing' });
  });

  it.each(['30002', '30003'])('is unknown with %s, which shows that the transaction id is wrong', (text) => {
    expect(code(text)).toMatchObject({ kind: 'unknown', isMisnamed: true });
  });

  it.each([...RESPONSE_CODES.keys()].filter((each) => !/^(00000|3000[234])$/.test(each)))(
    'is unknown with %s, even if that code refuses purchases',
    (text) => {
      const outcome = code(text);
      expect(outcome.kind).toBe('unknown');
      expect(outcome).not.toHaveProperty('isMisnamed');
      expect(outcome).not.toHaveProperty('waitsForCallback');
    },
  );

  it('also shows if our credentials are refused', () => {
    expect(code('20005')).toMatchObject({ kind: 'unknown', fault: 'credentials' });
    expect(readOutputAnswer(answer('Access denied', 401), ATTEMPT)).toMatchObject({ fault: 'credentials' });
  });

  it.each(['', '<html>', '[]', '{"code":"00000","output":{}}'])('is unknown when it is %j', (body) => {
    expect(readOutputAnswer(answer(body), ATTEMPT).kind).toBe('unknown');
  });
});

describe('the code of a cash card', () => {
  const deliveries = (fields: Record<string, string>): unknown => {
    const outcome = output({ status: '2', ...fields });
    return outcome.kind === 'succeeded' ? outcome.deliveries : outcome;
  };

  it('is read from its fields, or from the text of a message', () => {
    expect(deliveries({ cashcard_ref1: 'S-1', cashcard_ref2: '0042 1337' })).toEqual([
      { serial: 'S-1', code: '0042 1337', expiresOn: null },
    ]);
    expect(deliveries({ sms: 'serial_no:1234567890,password:00987654321' })).toEqual([
      { serial: '1234567890', code: '00987654321', expiresOn: null },
    ]);
    expect(deliveries({ cashcard_ref2: '42', sms: 'Serial_No : S-2 , Password : 43' })).toEqual([
      { serial: 'S-2', code: '42', expiresOn: null },
    ]);
  });

  it.each<Record<string, string>>([{}, { sms: 'thank you' }, { sms: 'password:', cashcard_ref1: ' ' }])(
    'is nothing in %j',
    (fields) => {
      expect(deliveries(fields)).toBeUndefined();
    },
  );
});
