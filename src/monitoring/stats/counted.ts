import type { Registry } from 'prom-client';

/** The kinds of stats that are stored by the minute, each with the meaning of its `label`. */
export const STAT_KINDS = {
  orders: 'placed, completed or failed',
  order_duration: 'completed or failed',
  supplier_sends: 'the outcome',
  supplier_inquiries: 'the outcome',
  supplier_send_duration: '',
  supplier_inquiry_duration: '',
  webhook_attempts: 'the result',
  /** A level that PostgreSQL reports at one moment of the minute, not a count. */
  levels: 'the name of the level',
} as const;
export type StatKind = keyof typeof STAT_KINDS;

/** Stands for the upper bound of the last bucket of durations, which has none. */
export const UNBOUNDED_MS = 2_147_483_647;

/** A count with its key. */
export interface Counted {
  figure: StatKind;
  subject: string;
  label: string;
  up_to_ms: number;
  value: bigint;
}

type Labels = Partial<Record<string, string | number>>;
type CountKey = Omit<Counted, 'up_to_ms' | 'value'>;

/** The metrics that are stored, each with a function that makes the key of a row from the metric's labels. */
const SOURCES: readonly { metric: string; nameOf: (labels: Labels) => CountKey }[] = [
  {
    metric: 'topup_orders_total',
    nameOf: ({ transition }) => ({ figure: 'orders', subject: '', label: String(transition) }),
  },
  {
    metric: 'topup_order_duration_seconds',
    nameOf: ({ status }) => ({ figure: 'order_duration', subject: '', label: String(status) }),
  },
  {
    metric: 'topup_supplier_calls_total',
    nameOf: ({ supplier, kind, outcome }) => ({
      figure: kind === 'send' ? 'supplier_sends' : 'supplier_inquiries',
      subject: String(supplier),
      label: String(outcome),
    }),
  },
  {
    metric: 'topup_supplier_call_duration_seconds',
    nameOf: ({ supplier, kind }) => ({
      figure: kind === 'send' ? 'supplier_send_duration' : 'supplier_inquiry_duration',
      subject: String(supplier),
      label: '',
    }),
  },
  {
    metric: 'topup_webhook_attempts_total',
    nameOf: ({ result }) => ({ figure: 'webhook_attempts', subject: '', label: String(result) }),
  },
];

/** Reads the counts of this process from its Prometheus metrics, so that the code needs no second counters. */
export async function readCounted(registry: Registry): Promise<Counted[]> {
  const all = await Promise.all(
    SOURCES.map(async ({ metric, nameOf }) => {
      const read = await registry.getSingleMetric(metric)?.get();
      const samples = (read?.values ?? []) as { labels: Labels; value: number; metricName?: string }[];
      const hasBuckets = samples.some(({ metricName }) => metricName !== undefined);
      return hasBuckets ? bucketsOf(samples, nameOf) : samples.map(toCounted(nameOf));
    }),
  );
  return all.flat();
}

const toCounted =
  (nameOf: (labels: Labels) => CountKey) =>
  ({ labels, value }: { labels: Labels; value: number }): Counted => ({
    ...nameOf(labels),
    up_to_ms: 0,
    value: BigInt(value),
  });

/** In Prometheus, the count of a bucket includes all smaller buckets. A stored bucket counts only its own durations. */
function bucketsOf(
  samples: { labels: Labels; value: number; metricName?: string }[],
  nameOf: (labels: Labels) => CountKey,
): Counted[] {
  const below = new Map<string, number>();
  return samples
    .filter(({ metricName }) => metricName?.endsWith('_bucket'))
    .map(({ labels, value }) => {
      const named = nameOf(labels);
      const key = keyOf(named);
      const own = value - (below.get(key) ?? 0);
      below.set(key, value);
      const isLast = labels.le === '+Inf';
      const upToMs = isLast ? UNBOUNDED_MS : Math.round(Number(labels.le) * 1000);
      return { ...named, up_to_ms: upToMs, value: BigInt(own) };
    });
}

const keyOf = ({ figure, subject, label }: CountKey): string => JSON.stringify([figure, subject, label]);

/** The counts that a process added between two readings. */
export function since(before: readonly Counted[], now: readonly Counted[]): Counted[] {
  const nameOf = (each: Counted): string => `${each.up_to_ms} ${keyOf(each)}`;
  const was = new Map(before.map((each) => [nameOf(each), each.value]));
  return now
    .map((each) => ({ ...each, value: each.value - (was.get(nameOf(each)) ?? 0n) }))
    .filter(({ value }) => value > 0n);
}
