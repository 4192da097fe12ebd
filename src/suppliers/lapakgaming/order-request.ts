import { formatMicros } from '../../core/cost-money.js';
import { JsonNumber, writeExactJson } from '../../core/exact-json.js';
import { writePlayer, writePlayerFields } from '../player-template.js';
import type { TopUp } from '../supplier-adapter.js';
import { CURRENCY } from './lapakgaming-data.js';

/** The parts of an order that say who gets it, as the vendor names them. */
const PLAYER_FIELDS = ['user_id', 'additional_id', 'additional_information', 'orderdetail'];

/** The body of `POST /api/order`: the same for each send of an attempt, to the byte, unless our address changes. */
export function orderRequest({ callbackUrl }: { callbackUrl: string | null }, topUp: TopUp): string {
  return writeExactJson({
    product_code: topUp.sku,
    count_order: 1,
    ...playerFields(topUp),
    // The vendor compares: it refuses a price that is higher, and one that is lower.
    ...(topUp.expectedCost !== null && { price: new JsonNumber(formatMicros(topUp.expectedCost.micros)) }),
    partner_reference_id: topUp.reference,
    ...(topUp.endUserIp !== null && { end_user_ip_address: topUp.endUserIp }),
    ...(callbackUrl !== null && { override_callback_url: callbackUrl }),
  });
}

/** Why an order can't be written as its offer is set up; null where it can. */
export function requestProblem({ expectedCost, playerTemplate }: TopUp): string | null {
  if (expectedCost !== null && expectedCost.currency !== CURRENCY)
    return `what it is expected to cost is in ${expectedCost.currency}, and not in ${CURRENCY}`;
  const fields = Object.keys(writePlayerFields(playerTemplate ?? '', NOBODY) ?? {});
  const unknown = fields.find((name) => !PLAYER_FIELDS.includes(name));
  return unknown === undefined ? null : `the player has no field ${unknown}: ${PLAYER_FIELDS.join(', ')}`;
}

const NOBODY = { userId: '', serverId: null, characterId: null };

/** Without a template user and server; one text is the user alone, and a map has the vendor's fields by name. */
function playerFields(topUp: TopUp): Record<string, string> {
  const { playerTemplate: template, userId, serverId } = topUp;
  if (template === null) return { user_id: userId, ...(serverId !== null && { additional_id: serverId }) };
  return writePlayerFields(template, topUp) ?? { user_id: writePlayer(template, topUp) };
}
