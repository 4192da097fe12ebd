import { describe, expect, it } from '@jest/globals';
import { promptPayPayload } from './promptpay-qr.js';
import { crcOf } from './tlv.js';

describe('a PromptPay QR code', () => {
  it('has the checksum that the standard names', () => expect(crcOf('123456789')).toBe('29B1'));

  it.each([
    [
      { promptpayId: '0812345678' },
      150_037n,
      '00020101021229370016A00000067701011101130066812345678530376454071500.375802TH6304D4B9',
    ],
    [
      { promptpayId: '0105551234567' },
      150_037n,
      '00020101021229370016A00000067701011102130105551234567530376454071500.375802TH630409CF',
    ],
    [
      { billerId: '010555123456701', secondReference: null },
      150_000n,
      '00020101021230550016A00000067701011201150105551234567010212DH7K3M9QX2B4530376454071500.005802TH63042D36',
    ],
  ])('for %j', (payee, amount, payload) => {
    expect(promptPayPayload(payee, amount, 'DH7K3M9QX2B4')).toBe(payload);
  });

  it('of an e-wallet, and of a biller with a second reference', () => {
    expect(promptPayPayload({ promptpayId: '004999012345678' }, 1n, 'D')).toContain(
      '29390016A0000006770101110315004999012345678',
    );
    expect(promptPayPayload({ billerId: '010555123456701', secondReference: 'SHOP1' }, 1n, 'D1')).toContain(
      '30540016A00000067701011201150105551234567010202D10305SHOP1530376454040.015802TH6304',
    );
  });
});
