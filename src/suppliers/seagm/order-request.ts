import { writePlayerFields } from '../player-template.js';
import type { TopUp } from '../supplier-adapter.js';
import type { Parameters } from './seagm-signatures.js';

const CARD = 'card:';

/** The two kinds of orders: a direct top-up, and a card with a PIN. */
export type OrderKind = 'recharge' | 'card';

/** Reads a SKU: `6351` is a direct top-up of that type, `card:77` is a card of type 77. Returns null for any other text. */
export function typeOf(sku: string): { kind: OrderKind; typeId: string } | null {
  const kind = sku.startsWith(CARD) ? 'card' : 'recharge';
  const typeId = kind === 'card' ? sku.slice(CARD.length) : sku;
  return /^\d{1,18}$/.test(typeId) ? { kind, typeId } : null;
}

export const skuOf = (kind: OrderKind, typeId: string): string => (kind === 'card' ? CARD + typeId : typeId);

/** The names of the supplier's own parameters, which a player template must not use. */
const RESERVED = ['uid', 'timestamp', 'signature', 'type_id', 'buy_amount', 'mch_order_id'];

/** The fields of an order's body. Every send of an attempt has the same fields. */
export const orderFields = (typeId: string, kind: OrderKind, topUp: TopUp): Parameters => ({
  ...(kind === 'recharge' ? playerFields(topUp) : {}),
  type_id: typeId,
  buy_amount: '1',
  mch_order_id: topUp.reference,
});

/** The reason why an offer's settings allow no order; null if they allow one. */
export function requestProblem({ sku, playerTemplate }: TopUp): string | null {
  const type = typeOf(sku);
  if (type === null) return 'the SKU is neither <type id> nor card:<type id>';
  if (type.kind === 'card') return null;
  const noPlayer = { userId: '', serverId: null, characterId: null };
  const fields = writePlayerFields(playerTemplate ?? '', noPlayer);
  if (fields === null) return 'the offer has no player template that is a map from the product’s own fields';
  const names = Object.keys(fields);
  const reserved = names.find((name) => RESERVED.includes(name));
  return reserved === undefined
    ? null
    : `the player can’t be written as ${reserved}: the supplier gives it another meaning`;
}

/** The player's fields. Each product has other fields, so only a template with one text for each field can name them. */
const playerFields = (topUp: TopUp): Parameters => writePlayerFields(topUp.playerTemplate ?? '', topUp) ?? {};
