import { Store as CommonStore } from '../common/store.js';
import { checked, invalid, type Json } from '../common/shapes.js';
import { type Account, type Kinds, ORDINARY_SLIP, READINGS, SLIP, type Slip } from './model.js';

const DEFAULT_ACCOUNT: Account = {
  api_key: 'easyslip-test-key',
  quota: 10_000,
  accounts: ['004:0123456789'],
  callback_from: null,
};
const OUR_NAME = 'บริษัท ตัวอย่าง จำกัด';

/** Adds the slips. */
export class Store extends CommonStore<Kinds> {
  readonly slips = new Map<string, Slip>();

  constructor() {
    super(DEFAULT_ACCOUNT, READINGS, 'quota');
  }

  /** Makes the slip of a body of `POST /_sim/slips`. @throws Invalid */
  addSlip(body: Json): Slip {
    const { late_ms = 0, ...wanted } = checked<Partial<Slip> & { late_ms?: number }>(body, 'slip', SLIP);
    const { payload } = wanted;
    if (payload === undefined) throw invalid('a slip needs payload');
    const date = new Date(this.now()).toISOString();
    const slip = { ...ORDINARY_SLIP, date, ...wanted, payload, known_at_ms: this.now() + late_ms };
    this.commit({ slip });
    return slip;
  }

  protected override applyOwn({ slip }: Kinds['change']): void {
    if (slip) this.slips.set(slip.payload, slip);
  }
}

/** D: the members of a slip. */
export function rawSlip(slip: Slip, mask: Kinds['readings']['mask']): Json {
  const { amount: decimal, currency, date, payload, proxy_type, receiver_account, receiver_proxy, ref1 } = slip;
  const amount = Number(decimal);
  const bank = (number: string): Json => ({ type: 'BANKAC', account: masked(number, mask) });
  const proxy = receiver_proxy !== null && { proxy: { type: proxy_type, account: masked(receiver_proxy, mask) } };
  const account = { ...(receiver_account !== null && { bank: bank(receiver_account) }), ...proxy };
  const local = currency === 'THB' ? { amount: 0, currency: '' } : { amount, currency };
  const about = { payload, transRef: slip.trans_ref, ...(date !== null && { date }), countryCode: 'TH' };
  const sender = { bank: { id: slip.sending_bank }, account: { name: { th: 'นาย สมชาย' }, bank: bank('9876543210') } };
  const receiver = { bank: { id: slip.receiver_bank }, account: { name: { th: OUR_NAME }, ...account } };
  return { ...about, amount: { amount, local }, fee: 0, ref1, ref2: '', ref3: '', sender, receiver };
}

/** The number with its hidden digits as `x`. */
function masked(number: string, mask: Kinds['readings']['mask']): string {
  if (mask === 'middle') return number.slice(0, 2) + 'x'.repeat(number.length - 6) + number.slice(-4);
  if (mask === 'dashes') return `xxx-x-x${number.slice(-5, -1)}-x`;
  const visible = mask === 'end' ? 4 : 3;
  return 'x'.repeat(number.length - visible) + number.slice(-visible);
}

/** D: the account of ours that the slip paid, or null. */
export function matchedAccount(
  { receiver_account, receiver_bank: code }: Slip,
  accounts: readonly string[],
): Json | null {
  const number = receiver_account ?? '';
  if (!accounts.includes(`${code}:${number}`)) return null;
  return { bank: { code }, nameTh: OUR_NAME, bankNumber: number.replace(/^(\d{3})(\d)(\d+)(\d)$/, '$1-$2-$3-$4') };
}
