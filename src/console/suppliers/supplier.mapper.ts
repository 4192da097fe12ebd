import { pick } from '../../core/members.js';
import { formatMicros, parseMicros } from '../../core/cost-money.js';
import type { Refusal } from '../../catalog/catalogue-difference.js';
import type { MappedItem } from '../../catalog/supplier-catalogues.repository.js';
import type { SyncRun } from '../../catalog/supplier-sync.service.js';
import { CALL_BOUNDS_MS } from '../../monitoring/stats/stats.service.js';
import type { RecentRow } from '../../monitoring/stats/minute-stats.repository.js';
import { percentile } from '../../monitoring/stats/percentiles.js';
import type { SupplierState } from '../../monitoring/stats/supplier-state.entity.js';
import type { SupplierQueue } from '../../monitoring/stats/supplier-states.repository.js';
import type { SupplierCheck } from '../../suppliers/supplier-check.service.js';
import { unitName } from '../../orders/order.rows.js';
import type { UndecidedCall } from '../../support/undecided-calls.repository.js';
import type { Mask } from '../../support/masking.js';
import type { DescribedAdapter } from '../../suppliers/adapter-description.js';
import type { SupplierSettings } from '../../suppliers/supplier-settings.js';
import { toBalanceView } from '../../suppliers/supplier-view.js';
import type { Supplier } from '../../suppliers/supplier.entity.js';
import type { AdapterDto, SetSupplierDto } from './supplier-settings.dto.js';
import type {
  Finding,
  ListedSupplierDto,
  RecentCallsDto,
  SupplierCheckDto,
  SupplierProductDto,
  SyncDoneDto,
  SyncRefusalDto,
  UndecidedCallDto,
} from './supplier.dto.js';

/** The activity of suppliers: breakers, queues, calls, and how long balances last. */
export interface SupplierActivity {
  states: readonly SupplierState[];
  queues: readonly SupplierQueue[];
  recent: readonly RecentRow[];
  /** For how many hours each balance lasts, by the code of the supplier; null or absent if unknown. */
  lasting: ReadonlyMap<string, number | null>;
  /** The number of minutes that `recent` covers. */
  minutes: number;
}

export function toListedSupplierDto(supplier: Supplier, activity: SupplierActivity): ListedSupplierDto {
  const { id, code, adapter } = supplier;
  const states = activity.states.filter(({ supplier_id }) => supplier_id === id);
  const queue = activity.queues.find(({ supplier_id }) => supplier_id === id);
  return {
    code,
    adapter,
    state: stateOf(supplier, states),
    pause: pauseOf(supplier),
    balance: toBalanceView(supplier),
    balance_lasts_hours: activity.lasting.get(code) ?? null,
    breakers: states.map(({ process, breaker, in_flight, updated_at }) => ({
      process,
      state: breaker,
      in_flight,
      at: updated_at,
    })),
    calls: callsOf(
      activity.recent.filter(({ subject }) => subject === code),
      activity.minutes,
    ),
    queue: { due: queue?.due ?? 0, oldest_at: queue?.oldest_due_at ?? null },
  };
}

function stateOf({ pause_reason: reason }: Supplier, states: readonly SupplierState[]): ListedSupplierDto['state'] {
  if (reason === 'credentials') return 'refusing';
  if (reason !== null) return 'paused';
  return states.some(({ breaker }) => breaker !== 'closed') ? 'pausing' : 'well';
}

function pauseOf({ pause_reason: reason, pause_detail, paused_at }: Supplier): ListedSupplierDto['pause'] {
  if (reason === null || paused_at === null) return null;
  return { reason, detail: pause_detail, since: paused_at };
}

function callsOf(rows: readonly RecentRow[], minutes: number): RecentCallsDto {
  const counts = new Map<string, number>();
  for (const { label, up_to_ms: upTo, value } of rows)
    if (upTo === 0) counts.set(label, (counts.get(label) ?? 0) + Number(value));
  const sends = rows
    .filter(({ figure }) => figure === 'supplier_send_duration')
    .map(({ up_to_ms, value }) => ({ up_to_ms, count: Number(value) }));
  return {
    minutes,
    outcomes: [...counts]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([outcome, count]) => ({ outcome, count })),
    p50_ms: percentile(sends, 0.5, CALL_BOUNDS_MS),
    p95_ms: percentile(sends, 0.95, CALL_BOUNDS_MS),
  };
}

export function toCheckDto(check: SupplierCheck): SupplierCheckDto {
  const { name } = check;
  if (check.name === 'settings') {
    const { problem } = check;
    return { name, ok: problem === null, finding: problem === null ? 'complete' : 'incomplete', detail: problem };
  }
  const { answer } = check;
  if (!answer.known) {
    const { offersNone, fault, detail } = answer;
    return { name, ok: offersNone, finding: offersNone ? 'untold' : FINDING_OF[fault ?? 'none'], detail };
  }
  const reported = 'amount' in answer ? `${formatMicros(answer.amount.micros)} ${answer.amount.currency}` : null;
  return { name, ok: true, finding: 'told', detail: reported };
}

const FINDING_OF: Record<'settings' | 'credentials' | 'rate' | 'ban' | 'none', Finding> = {
  settings: 'incomplete',
  credentials: 'credentials_refused',
  rate: 'limited',
  ban: 'banned',
  none: 'unreachable',
};

export const toSyncDto = ({ supplier: _supplier, refusal, ...counts }: SyncRun): SyncDoneDto => ({
  ...counts,
  refusal: refusal && toRefusalDto(refusal),
});

function toRefusalDto(refusal: Refusal): SyncRefusalDto {
  const { kind } = refusal;
  const plain = { kind, detail: null, can_be_forced: false, now: null };
  switch (kind) {
    case 'too_soon':
      return { ...plain, detail: refusal.nextAt.toISOString(), can_be_forced: refusal.isGapOurs };
    case 'unavailable':
      return { ...plain, detail: refusal.problem.detail };
    case 'contradiction':
      return { ...plain, detail: refusal.sku };
    case 'shrunk':
      return { kind, detail: `${refusal.before} → ${refusal.now}`, can_be_forced: true, now: refusal.now };
    case 'empty':
    case 'overtaken':
      return plain;
  }
}

export const toUndecidedCallDto = (
  { id, ended_at, item, unit, ...call }: UndecidedCall,
  mask: Mask,
): UndecidedCallDto => ({
  ...call,
  detail: mask(call.detail),
  id: String(id),
  at: ended_at,
  unit: unitName({ item, unit }),
});

export const toProductDto = (item: MappedItem, seesCosts: boolean): SupplierProductDto => ({
  ...pick(item, 'name', 'mapped_to', 'is_new', 'gone_at'),
  supplier_sku: item.sku,
  group: item.group_name,
  cost: !seesCosts || item.cost_micros === null ? null : formatMicros(item.cost_micros),
  currency: seesCosts ? item.cost_currency : null,
  available: item.sellable,
});

export function toSettings(code: string, given: SetSupplierDto): SupplierSettings {
  const { adapter, base_url: baseUrl, credentials, options, low_balance: low } = given;
  return {
    code,
    adapter,
    baseUrl,
    credentials,
    options,
    timeoutMs: given.timeout_ms,
    maxInFlight: given.max_in_flight,
    lowBalanceMicros: typeof low === 'string' ? (parseMicros(low) ?? undefined) : low,
    newCallbackUrl: given.new_callback_url,
  };
}

export const toAdapterDto = (description: DescribedAdapter): AdapterDto => ({
  ...toSettingsDto(description),
  ...pick(description, 'currency'),
  capabilities: [...description.capabilities],
});

/** The settings that an adapter of suppliers, or an adapter of channels, reads. */
export const toSettingsDto = (
  description: Pick<DescribedAdapter, 'adapter' | 'name' | 'baseUrl' | 'credentials' | 'options'>,
): Omit<AdapterDto, 'currency' | 'capabilities'> => ({
  ...pick(description, 'adapter', 'name'),
  base_url: description.baseUrl,
  credentials: description.credentials.map((each) => pick(each, 'name', 'secret', 'required', 'help')),
  options: description.options.map(({ values, ...option }) => ({
    ...pick(option, 'name', 'help'),
    values: values === null ? null : [...values],
  })),
});
