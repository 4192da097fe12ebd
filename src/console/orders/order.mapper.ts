import { formatBaht } from '../../core/money.js';
import type { ItemRow } from '../../orders/order.rows.js';
import { isTerminalOrder } from '../../orders/states.js';
import { toAttemptView } from '../../support/attempt-view.js';
import type { AttemptOfUnit } from '../../support/order-support.repository.js';
import type { OverviewOrder, OverviewOrderDetail, OverviewUnit } from '../../support/order-overview.service.js';
import type { HistoryEntry } from '../../support/order-history.js';
import { shownAddress } from '../webhooks/webhook-address.js';
import type { Transfer } from '../../wallet/transfer.entity.js';
import type {
  DeskAttemptDto,
  DeskItemDto,
  DeskUnitDto,
  ListedOrderDto,
  MovementDto,
  OrderDetailDto,
  OrderMoneyDto,
  TimelineEntryDto,
} from './order.dto.js';
import { censorOf, hidden, hiddenIfAny, type Censor, type Viewer } from './players.js';

export const toListedOrderDto = (order: OverviewOrder, viewer: Viewer): ListedOrderDto => ({
  order_number: order.order_number,
  merchant: { id: order.merchant_id, name: order.merchant_name },
  reference_id: order.reference_id,
  sandbox: order.sandbox,
  user_id: hidden(order.user_id, viewer),
  server_id: hiddenIfAny(order.server_id, viewer),
  character_id: hiddenIfAny(order.character_id, viewer),
  status: order.status,
  total_amount: formatBaht(order.total_amount),
  items: order.items.map(({ sku, quantity }) => ({ sku, quantity })),
  failure_code: order.failure_code,
  created_at: order.created_at.toISOString(),
  ended_at: isTerminalOrder(order.status) ? order.updated_at.toISOString() : null,
});

export function toOrderDetailDto(order: OverviewOrderDetail, viewer: Viewer): OrderDetailDto {
  const censor = censorOf(order, viewer);
  return {
    ...toListedOrderDto(order, viewer),
    subtotal_amount: formatBaht(order.subtotal_amount),
    discount_amount: formatBaht(order.discount_amount),
    // The merchant's own words, often about who buys.
    metadata: (viewer.may('players.read') ? order.metadata : null) ?? {},
    failure_message: censor(order.failure_message),
    updated_at: order.updated_at.toISOString(),
    items: order.items.map((item) => toItemDto(item, censor)),
    money: toMoneyDto(order.transfers, viewer),
    units: order.units.map((unit) => toUnitDto(order.order_number, unit, viewer, censor)),
    timeline: order.timeline.map((entry) => toTimelineEntryDto(entry, viewer, censor)),
  };
}

const toItemDto = (item: ItemRow, censor: Censor): DeskItemDto => ({
  item: item.position,
  sku: item.sku,
  quantity: item.quantity,
  kind: item.kind,
  status: item.status,
  unit_price: formatBaht(item.unit_price),
  list_price: formatBaht(item.list_price),
  completed_quantity: item.completed_quantity,
  failed_quantity: item.failed_quantity,
  failure_code: item.failure_code,
  failure_message: censor(item.failure_message),
});

function toMoneyDto(transfers: Transfer[], viewer: Viewer): OrderMoneyDto {
  const sum = (kind: Transfer['kind']): bigint =>
    transfers.filter((transfer) => transfer.kind === kind).reduce((total, { amount }) => total + amount, 0n);
  const [spent, returned] = [sum('order_spend'), sum('order_refund')];
  return {
    held: formatBaht(sum('order_hold') - spent - returned),
    spent: formatBaht(spent),
    returned: formatBaht(returned),
    entries: transfers.map((transfer) => toMovementDto(transfer, viewer)),
  };
}

const toMovementDto = ({ id, kind, amount, available_after, created_at }: Transfer, viewer: Viewer): MovementDto => ({
  id: String(id),
  kind,
  amount: formatBaht(amount),
  available_after: viewer.may('wallets.read') ? formatBaht(available_after) : null,
  created_at: created_at.toISOString(),
});

const toUnitDto = (orderNumber: string, unit: OverviewUnit, viewer: Viewer, censor: Censor): DeskUnitDto => ({
  unit: unit.unit,
  state: unit.state,
  sku: unit.sku,
  price: formatBaht(unit.price),
  supplier: unit.supplier,
  reference: unit.attempts.at(-1)?.reference ?? `${orderNumber}.${unit.unit}`,
  supplier_reference: censor(unit.supplier_reference),
  failure_code: unit.failure_code,
  failure_message: censor(unit.failure_message),
  sends: unit.sends,
  attempts: unit.attempts.map((attempt) => toAttemptDto(attempt, viewer, censor)),
  can_resolve: unit.state === 'unknown' || unit.state === 'review',
  can_cancel: unit.state === 'queued',
});

function toAttemptDto(attempt: AttemptOfUnit, viewer: Viewer, censor: Censor): DeskAttemptDto {
  const read = toAttemptView(attempt);
  const view = { ...read, supplier_reference: censor(read.supplier_reference) };
  return viewer.may('costs.read') ? view : { ...view, cost: null, currency: null };
}

function toTimelineEntryDto(
  { at, expected_cost, max_cost, cost, currency, available_after, ...entry }: HistoryEntry,
  viewer: Viewer,
  censor: Censor,
): TimelineEntryDto {
  const costs = { expected_cost, max_cost, cost, currency };
  const given = {
    ...(viewer.may('costs.read') ? costs : {}),
    ...(viewer.may('wallets.read') ? { available_after } : {}),
  };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { detail: reported, reason, webhook_id: webhook } = entry;
  // Of a webhook it is the address.
  const detail = webhook === undefined || reported === undefined ? reported : shownAddress(reported, viewer);
  const text = reported === undefined ? entry.text : entry.text.replaceAll(reported, () => detail ?? '');
  const said = {
    text: censor(text),
    ...(detail === undefined ? {} : { detail: censor(detail) }),
    ...(reason === undefined ? {} : { reason: censor(reason) }),
  };
  return { at: at.toISOString(), ...entry, ...said, ...known };
}
