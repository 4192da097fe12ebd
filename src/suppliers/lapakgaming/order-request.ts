import { formatMicros } from '../../core/cost-money.js';
import { JsonNumber, writeExactJson } from '../../core/exact-json.js';
import { writePlayer, writePlayerFields } from '../player-template.js';
import type { TopUp } from '../supplier-adapter.js';
import { CURRENCY } from './lapakgaming-data.js';

/** The supplier's fields of an order that name the player. */
const PLAYER_FIELDS = ['user_id', 'additional_id', 'additional_information', 'orderdetail'];

/** The body of `POST /api/order`. Every send of an attempt has the same bytes, unless our callback address changes. */
export function orderRequest({ callbackUrl }: { callbackUrl: string | null }, topUp: TopUp): string {
  return writeExactJson({
    product_code: topUp.sku,
    count_order: 1,
    ...playerFields(topUp),
    // The supplier refuses the order if its own price is higher or lower than this price.
    ...(topUp.expectedCost !== null && { price: new JsonNumber(formatMicros(topUp.expectedCost.micros)) }),
    partner_reference_id: topUp.reference,
    ...(topUp.endUserIp !== null && { end_user_ip_address: topUp.endUserIp }),
    ...(callbackUrl !== null && { override_callback_url: callbackUrl }),
  });
}

/** The reason why an offer's settings allow no order; null if they allow one. */
export function requestProblem({ expectedCost, playerTemplate }: TopUp): string | null {
  if (expectedCost !== null && expectedCost.currency !== CURRENCY)
    return `its expected cost is in ${expectedCost.currency}, not in ${CURRENCY}`;
  const fields = Object.keys(writePlayerFields(playerTemplate ?? '', NO_PLAYER) ?? {});
  const unknown = fields.find((name) => !PLAYER_FIELDS.includes(name));
  return unknown === undefined ? null : `the player has no field ${unknown}: ${PLAYER_FIELDS.join(', ')}`;
}

const NO_PLAYER = { userId: '', serverId: null, characterId: null };

/**
 * The player's fields: as a JSON template names them; `user_id` from a template of one text; without a template, user and
 * server.
 */
function playerFields(topUp: TopUp): Record<string, string> {
  const { playerTemplate: template, userId, serverId } = topUp;
  if (template === null) return { user_id: userId, ...(serverId !== null && { additional_id: serverId }) };
  return writePlayerFields(template, topUp) ?? { user_id: writePlayer(template, topUp) };
}
