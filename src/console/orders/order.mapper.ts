import { withoutUndefined, pick } from '../../core/members.js';
import { formatBaht } from '../../core/money.js';
import { unitName, unitReference, type ItemRow } from '../../orders/order.rows.js';
import { isTerminalOrder } from '../../orders/states.js';
import type { AttemptView } from '../../support/attempt-view.js';
import { toHistoryEntry } from '../../support/order-history.js';
import type { HistoryRow } from '../../support/order-history.sql.js';
import type { FoundOrder, ListedOrder, OrderDetail, UnitDetail } from '../../support/order-support.service.js';
import type { ReviewRow } from '../../support/review.repository.js';
import type { Caller } from '../access/caller.js';
import type { OrderTransfer } from '../../support/order-support.repository.js';
import type {
  DeskAttemptDto,
  DeskItemDto,
  DeskUnitDto,
  ListedOrderDto,
  MerchantNameDto,
  MovementDto,
  OrderDetailDto,
  OrderMoneyDto,
  TimelineEntryDto,
} from './order.dto.js';
import type { FoundOrderDto, ReviewUnitDto } from './review.dto.js';
import { maskOf, masked, maskedIfAny, maskedAddress, type Mask, type Viewer } from '../../support/masking.js';

/** Converts the merchant of a row: pages show the id and the name. */
export const merchantOf = (row: { merchant_id: number; merchant_name: string }): MerchantNameDto => ({
  id: row.merchant_id,
  name: row.merchant_name,
});

// An export makes up to a million of these objects. In Node 20, that takes ten times as long if other members follow
// after `pick`.
export const toListedOrderDto = (order: ListedOrder, viewer: Viewer): ListedOrderDto => ({
  merchant: merchantOf(order),
  user_id: masked(order.user_id, viewer),
  server_id: maskedIfAny(order.server_id, viewer),
  character_id: maskedIfAny(order.character_id, viewer),
  total_amount: formatBaht(order.total_amount),
  items: order.items.map((item) => pick(item, 'sku', 'quantity')),
  ended_at: isTerminalOrder(order.status) ? order.updated_at : null,
  ...pick(order, 'order_number', 'reference_id', 'sandbox', 'status', 'failure_code', 'created_at'),
});

export function toOrderDetailDto(order: OrderDetail, viewer: Viewer): OrderDetailDto {
  const mask = maskOf(order, viewer);
  return {
    ...toListedOrderDto(order, viewer),
    subtotal_amount: formatBaht(order.subtotal_amount),
    discount_amount: formatBaht(order.discount_amount),
    // Merchants write the metadata, often about the buyer.
    metadata: (viewer.may('players.read') ? order.metadata : null) ?? {},
    failure_message: mask(order.failure_message),
    updated_at: order.updated_at,
    items: order.items.map((item) => toItemDto(item, mask)),
    money: toMoneyDto(order.transfers, viewer),
    units: order.units.map((unit) => toUnitDto(unit, viewer, mask)),
    timeline: order.history.map((row) => toTimelineEntryDto(row, viewer, mask)),
  };
}

const toItemDto = (item: ItemRow, mask: Mask): DeskItemDto => ({
  ...pick(item, 'sku', 'quantity', 'kind', 'status', 'completed_quantity', 'failed_quantity', 'failure_code'),
  item: item.position,
  unit_price: formatBaht(item.unit_price),
  list_price: formatBaht(item.list_price),
  failure_message: mask(item.failure_message),
});

function toMoneyDto(transfers: OrderTransfer[], viewer: Viewer): OrderMoneyDto {
  const sum = (kind: OrderTransfer['kind']): bigint =>
    transfers.filter((transfer) => transfer.kind === kind).reduce((total, { amount }) => total + amount, 0n);
  const [spent, returned] = [sum('order_spend'), sum('order_refund')];
  return {
    held: formatBaht(sum('order_hold') - spent - returned),
    spent: formatBaht(spent),
    returned: formatBaht(returned),
    entries: transfers.map((transfer) => toMovementDto(transfer, viewer)),
  };
}

const toMovementDto = (transfer: OrderTransfer, viewer: Viewer): MovementDto => ({
  ...pick(transfer, 'kind', 'created_at'),
  id: String(transfer.id),
  amount: formatBaht(transfer.amount),
  available_after: viewer.may('wallets.read') ? formatBaht(transfer.available_after) : null,
});

const toUnitDto = (unit: UnitDetail, viewer: Viewer, mask: Mask): DeskUnitDto => ({
  ...pick(unit, 'state', 'sku', 'supplier', 'reference', 'failure_code', 'sends'),
  unit: unit.name,
  price: formatBaht(unit.price),
  supplier_reference: mask(unit.supplier_reference),
  failure_message: mask(unit.failure_message),
  attempts: unit.attempts.map((attempt) => toAttemptDto(attempt, viewer, mask)),
  can_resolve: unit.state === 'unknown' || unit.state === 'review',
  can_cancel: unit.state === 'queued',
});

const toAttemptDto = (attempt: AttemptView, viewer: Viewer, mask: Mask): DeskAttemptDto => ({
  ...attempt,
  supplier_reference: mask(attempt.supplier_reference),
  ...(viewer.may('costs.read') ? {} : { cost: null, currency: null }),
});

function toTimelineEntryDto(row: HistoryRow, viewer: Viewer, mask: Mask): TimelineEntryDto {
  const { expected_cost, max_cost, cost, currency, available_after, ...entry } = toHistoryEntry(row);
  const costs = { expected_cost, max_cost, cost, currency };
  const known = withoutUndefined({
    ...(viewer.may('costs.read') ? costs : {}),
    ...(viewer.may('wallets.read') ? { available_after } : {}),
  });
  const { detail: reported, reason, webhook_id: webhook } = entry;
  // The detail of a webhook's entry is the webhook's address, which may hold a secret.
  const detail = webhook === undefined || reported === undefined ? reported : maskedAddress(reported, viewer);
  const text = reported === undefined ? entry.text : entry.text.replaceAll(reported, () => detail ?? '');
  const masked = {
    text: mask(text),
    ...(detail === undefined ? {} : { detail: mask(detail) }),
    ...(reason === undefined ? {} : { reason: mask(reason) }),
  };
  return { ...entry, ...masked, ...known };
}

export const toFoundOrderDto = (order: ListedOrder & Pick<FoundOrder, 'found_as'>, viewer: Viewer): FoundOrderDto => ({
  ...toListedOrderDto(order, viewer),
  found_as: order.found_as,
});

export const toReviewUnitDto = (row: ReviewRow, caller: Caller, mask: Mask): ReviewUnitDto => ({
  ...pick(row, 'order_number', 'state', 'reference_id', 'supplier', 'sku', 'attempt', 'sends', 'inquiries'),
  unit: unitName(row),
  merchant: merchantOf(row),
  reference: row.reference ?? unitReference(row.order_number, row),
  supplier_reference: mask(row.supplier_reference),
  amount: formatBaht(row.unit_price),
  since: row.unknown_since,
  last_call:
    row.last_kind === null || row.last_at === null
      ? null
      : {
          kind: row.last_kind,
          outcome: row.last_outcome ?? '',
          detail: mask(row.last_detail),
          at: row.last_at,
        },
  claim:
    row.claimed_by === null || row.claimed_until === null
      ? null
      : {
          by: row.claimed_by,
          is_mine: row.claimed_by_id === caller.id,
          until: row.claimed_until,
        },
});
