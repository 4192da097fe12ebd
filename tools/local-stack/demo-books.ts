import { formatBaht, type Satang } from '../../src/core/money.js';
import type { TransferInput, WalletInput } from './demo-history.sql.js';
import { HOUR_MS } from './demo-orders.js';
import type { WrittenOrder } from './demo-rows.js';
import { demoShops, satang } from './demo-shops.js';

/** The operator who records the shops' deposits. */
export const OPERATOR = 'mali@topup.example';
/** A shop makes a deposit before its balance falls below this. Its alert comes a little earlier. */
const MIN_BALANCE = satang('600.00');
const ALERT_BELOW = satang('800.00');

const ACCOUNTS = {
  credit: { debit_account: 'funding', credit_account: 'available' },
  order_hold: { debit_account: 'available', credit_account: 'held' },
  order_spend: { debit_account: 'held', credit_account: 'spent' },
  order_refund: { debit_account: 'held', credit_account: 'available' },
} as const;

interface Movement {
  at: Date;
  merchantId: number;
  kind: keyof typeof ACCOUNTS;
  amount: Satang;
  orderNumber?: string;
  reference?: string;
  note?: string;
}

/** All movements of money, oldest first, each with the balance after it, and the final balances. */
export function demoBooks(
  orders: readonly WrittenOrder[],
  merchantIds: readonly number[],
): { transfers: TransferInput[]; wallets: WalletInput[] } {
  const movements = [
    ...orders.flatMap(ofOrder),
    ...demoShops.flatMap((_, shop) => depositsOf(shop, merchantIds[shop] ?? 0, orders)),
  ].sort((one, other) => one.at.getTime() - other.at.getTime());
  const wallets = new Map(
    merchantIds.map((id) => [
      id,
      { merchant_id: id, available: 0n, held: 0n, alert_below: ALERT_BELOW, updated_at: new Date(0) },
    ]),
  );
  const transfers = movements.map(({ at, merchantId, kind, amount, orderNumber, reference, note }) => {
    const wallet = wallets.get(merchantId);
    if (!wallet) throw new Error(`merchant ${merchantId} has no wallet`);
    if (kind === 'credit' || kind === 'order_refund') wallet.available += amount;
    if (kind === 'order_hold') wallet.available -= amount;
    if (kind !== 'credit') wallet.held += kind === 'order_hold' ? amount : -amount;
    wallet.updated_at = at;
    return {
      merchant_id: merchantId,
      kind,
      ...ACCOUNTS[kind],
      amount,
      available_after: wallet.available,
      order_number: orderNumber ?? null,
      reference: reference ?? null,
      note: note ?? null,
      operator: kind === 'credit' ? OPERATOR : null,
      created_at: at,
    };
  });
  return { transfers, wallets: [...wallets.values()] };
}

function ofOrder({ order, outcome }: WrittenOrder): Movement[] {
  const { merchant_id: merchantId, order_number: orderNumber, total_amount: total } = order;
  const of = (kind: Movement['kind'], amount: Satang, at: Date): Movement[] =>
    amount > 0n ? [{ at, merchantId, kind, amount, orderNumber }] : [];
  return [
    ...of('order_hold', total, order.created_at),
    ...of('order_spend', outcome?.spent ?? 0n, order.updated_at),
    ...of('order_refund', outcome?.refunded ?? 0n, order.updated_at),
  ];
}

/** A first deposit, and another each time before the balance would be too low. Refunds are not counted on. */
function depositsOf(shop: number, merchantId: number, all: readonly WrittenOrder[]): Movement[] {
  const { deposit, bank } = demoShops[shop] ?? { deposit: '0.00', bank: '' };
  const orders = all.filter(({ order }) => order.merchant_id === merchantId);
  const deposits: Movement[] = [];
  const add = (at: Date): void => {
    const day = new Date(at.getTime() + 7 * HOUR_MS).toISOString().slice(0, 10).replaceAll('-', '');
    const reference = `${bank}-${day}-${String(deposits.length + 1).padStart(2, '0')}`;
    const note = `Transfer slip ${formatBaht(satang(deposit))} THB`;
    deposits.push({ at, merchantId, kind: 'credit', amount: satang(deposit), reference, note });
  };
  let left = 0n;
  for (const { order } of orders) {
    if (left - order.total_amount < MIN_BALANCE) {
      add(new Date(order.created_at.getTime() - (deposits.length === 0 ? 9 : 0.2) * HOUR_MS));
      left += satang(deposit);
    }
    left -= order.total_amount;
  }
  return deposits;
}
