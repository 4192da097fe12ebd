import { collectDefaultMetrics, Gauge } from 'prom-client';
import { DepositMetrics } from './deposit-metrics.js';
import { gaugeOfFirstRow, gaugeOfEachRow, ORDER_SECONDS, type DatabaseGauge } from './instruments.js';
import { HTTP_FAILURES } from './safe-http/http-failure.js';

/** The result of a webhook attempt: the class of its HTTP status, or why there was no answer (contract, section 4). */
export const ATTEMPT_RESULTS = ['2xx', '3xx', '4xx', '5xx', ...HTTP_FAILURES, 'interrupted'] as const;
export type AttemptResult = (typeof ATTEMPT_RESULTS)[number];

/**
 * The result of reading a supplier's list of sales.
 * - `read`: all of it.
 * - `incomplete`: some entries are unreadable.
 * - `unread`: the reading did not reach the end of the list.
 * - `none`: the supplier has no list.
 */
export type PurchaseListResult = 'read' | 'incomplete' | 'unread' | 'none';

interface PoolConnections {
  total: number;
  idle: number;
  /** Requests waiting for a connection. */
  waiting: number;
}

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
export const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60];
const WAIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 500];

/**
 * All metrics of the service; `docs/metrics.md` explains them. Each application has its own registry. Labels must have few
 * values, and callers must not choose them.
 */
export class Metrics extends DepositMetrics {
  private readonly requests = this.histogram(
    'http_request_duration_seconds',
    'From the arrival of a request to the end of its answer',
    ['method', 'route', 'status'],
    REQUEST_SECONDS,
  );

  private readonly refusedRequests = this.counter(
    'topup_refused_requests_total',
    'Requests answered 503 that did not fail: the wallet has too little, or the amount of the deposit is taken',
    [],
  );

  private readonly orders = this.counter('topup_orders_total', 'Orders placed, completed and failed', ['transition']);
  private readonly orderDuration = this.histogram(
    'topup_order_duration_seconds',
    'From the creation of an order to its end',
    ['status'],
    ORDER_SECONDS,
  );
  private readonly placed = this.orders.labels('placed');
  private readonly ended = {
    completed: { count: this.orders.labels('completed'), duration: this.orderDuration.labels('completed') },
    failed: { count: this.orders.labels('failed'), duration: this.orderDuration.labels('failed') },
  };
  private readonly walletRefusals = this.counter(
    'topup_wallet_refusals_total',
    'Orders refused for an insufficient balance',
    [],
  );

  /** @param source `pattern` (of offers), a validator's name, `cache`, or `nobody` if the product has no validator. */
  readonly playerChecked = this.counting<[source: string, verdict: string]>(
    'topup_player_checks_total',
    'Checks of players, by the source of the verdict and the verdict',
    ['source', 'verdict'],
  );

  readonly unitSettled = this.counting<[supplier: string, outcome: 'succeeded' | 'failed']>(
    'topup_units_total',
    'Units settled by the answer of their supplier',
    ['supplier', 'outcome'],
  );
  private readonly supplierCalls = this.counter('topup_supplier_calls_total', 'Requests to suppliers', [
    'supplier',
    'kind',
    'outcome',
  ]);
  private readonly supplierCallDuration = this.histogram(
    'topup_supplier_call_duration_seconds',
    'From the start of a request to a supplier to its answer, or to giving up',
    ['supplier', 'kind'],
    CALL_SECONDS,
  );

  readonly attemptBegun = this.counting<[from: string, to: string]>(
    'topup_later_attempts_total',
    'Further attempts to buy a unit, by the supplier of the attempt that bought nothing and of the next one',
    ['from', 'to'],
  );
  readonly invariantBroken = this.counting<[]>(
    'topup_broken_invariants_total',
    'Transactions that were rolled back because an invariant was broken',
  );

  private readonly contradictions = this.counter(
    'topup_supplier_contradictions_total',
    'Answers of suppliers that contradict how a unit was settled',
    ['supplier'],
  );

  /** @param verdict the result of a callback, or `limited` if it was refused for its rate. */
  readonly supplierCalledBack = this.counting<[supplier: string, verdict: string]>(
    'topup_supplier_callbacks_total',
    'Callbacks from suppliers, by result',
    ['supplier', 'verdict'],
  );

  readonly unknownPurchaseWithheld = this.counting<[supplier: string]>(
    'topup_unknown_purchases_withheld_total',
    'Unknown purchases for which no discrepancy was opened, because too many unproven callbacks reported such purchases',
    ['supplier'],
  );
  readonly purchaseListRead = this.counting<[supplier: string, result: PurchaseListResult]>(
    'topup_supplier_purchase_lists_total',
    'Reads of suppliers’ lists of our purchases, by result',
    ['supplier', 'result'],
  );

  private readonly pausedSuppliers = this.gauge(
    'topup_supplier_paused',
    'Whether this worker briefly does not call the supplier, because it accepted none of the last calls: 1 or 0',
    ['supplier'],
  );
  private readonly attempts = this.counter('topup_webhook_attempts_total', 'Attempts to deliver a webhook', ['result']);
  private readonly attemptDuration = this.histogram(
    'topup_webhook_attempt_duration_seconds',
    'From the start of an attempt to its answer, or to giving up',
    [],
    CALL_SECONDS,
  );

  private readonly batchSize = this.histogram(
    'topup_group_commit_batch_size',
    'Commands that share a transaction',
    ['writer'],
    BATCH_SIZES,
  );
  private readonly batchWait = this.histogram(
    'topup_group_commit_wait_seconds',
    'How long a command waits for its transaction to begin',
    ['writer'],
    WAIT_SECONDS,
  );

  /** A group commit reports each batch here, with the waiting time of each command. */
  readonly batches = {
    placement: this.batchesOf('placement'),
    settlement: this.batchesOf('settlement'),
    postponement: this.batchesOf('postponement'),
    reattempt: this.batchesOf('reattempt'),
    attempts: this.batchesOf('attempts'),
  };

  private readonly taskRuns = this.counter('topup_task_runs_total', 'Runs of recurring tasks, by how they ended', [
    'task',
    'result',
  ]);
  private readonly taskSeconds = this.counter(
    'topup_task_seconds_total',
    'Total duration of the runs of a recurring task',
    ['task'],
  );

  readonly databaseUp = this.gauge('topup_database_up', 'Whether PostgreSQL answered the last query: 1 or 0');

  /** With the name of the statement that reads some of {@link databaseGauges}. */
  readonly databaseMetricsAge = this.gauge(
    'topup_database_metrics_age_seconds',
    'Time since this process last read these metrics from PostgreSQL',
    ['statement'],
  );

  private readonly replicaLag = this.gauge(
    'topup_read_replica_lag_seconds',
    'How far the server of DATABASE_READ_URL is behind the primary; infinite until that is known',
  );
  private readonly replicaUsable = this.gauge(
    'topup_read_replica_usable',
    'Whether lists and reports are read from the replica: 1 or 0',
  );
  readonly readFrom = this.counting<[server: 'replica' | 'primary']>(
    'topup_replica_reads_total',
    'Reads that the replica may answer, by the server that answered: replica or primary',
    ['server'],
  );

  /** Metrics of the whole service, read from PostgreSQL. They are absent while PostgreSQL does not answer. */
  readonly databaseGauges = this.createDatabaseGauges();

  constructor() {
    super();
    // Starts counters at 0, so that Prometheus sees the first increment.
    for (const transition of ['placed', 'completed', 'failed']) this.orders.inc({ transition }, 0);
    for (const result of ATTEMPT_RESULTS) this.attempts.inc({ result }, 0);
    this.databaseUp.set(0);
    // prom-client starts gauges without labels at 0, which would be wrong without a replica.
    this.replicaLag.remove();
    this.replicaUsable.remove();
  }

  /** @param route the pattern that the request matched, never the path itself. */
  request(method: string, route: string, status: string, seconds: number): void {
    this.requests.observe({ method, route, status }, seconds);
  }

  requestRefused(): void {
    this.refusedRequests.inc();
  }

  ordersPlaced(count: number): void {
    this.placed.inc(count);
  }

  walletRefused(count: number): void {
    this.walletRefusals.inc(count);
  }

  orderEnded(status: 'completed' | 'failed', seconds: number): void {
    const { count, duration } = this.ended[status];
    count.inc();
    duration.observe(seconds);
  }

  supplierCalled(supplier: string, kind: 'send' | 'inquiry', outcome: string, seconds: number): void {
    this.supplierCalls.inc({ supplier, kind, outcome });
    this.supplierCallDuration.observe({ supplier, kind }, seconds);
  }

  /** @param seconds null if the process died before it could measure. */
  webhookAttempted(result: AttemptResult, seconds: number | null): void {
    this.attempts.inc({ result });
    if (seconds !== null) this.attemptDuration.observe(seconds);
  }

  replicaMeasured(lagSeconds: number, isUsable: boolean): void {
    this.replicaLag.set(lagSeconds);
    this.replicaUsable.set(isUsable ? 1 : 0);
  }

  /** Exports the counters of a task from 0. */
  taskKnown(task: string): void {
    for (const result of ['done', 'failed']) this.taskRuns.inc({ task, result }, 0);
  }

  taskRan(task: string, result: 'done' | 'failed', seconds: number): void {
    this.taskRuns.inc({ task, result });
    this.taskSeconds.inc({ task }, seconds);
  }

  supplierContradicted(supplier: string, times = 1): void {
    this.contradictions.inc({ supplier }, times);
  }

  supplierPaused(supplier: string, paused: boolean): void {
    this.pausedSuppliers.set({ supplier }, paused ? 1 : 0);
  }

  private batchesOf(writer: string): (waitedMs: readonly number[]) => void {
    const size = this.batchSize.labels(writer);
    const wait = this.batchWait.labels(writer);
    return (waitedMs) => {
      size.observe(waitedMs.length);
      for (const ms of waitedMs) wait.observe(ms / 1000);
    };
  }

  /** Exports the connections of the main pool, read at each scrape. */
  watchPool(read: () => PoolConnections): void {
    new Gauge({
      name: 'topup_database_pool_connections',
      help: 'Connections to PostgreSQL: total, idle, and requests waiting for one',
      labelNames: ['state'],
      registers: [this.registry],
      collect(): void {
        for (const [state, count] of Object.entries(read())) this.set({ state }, count as number);
      },
    });
  }

  /** Adds metrics of the process: memory, event loop, garbage collection, and its version. */
  describeProcess(version: string): void {
    collectDefaultMetrics({ register: this.registry });
    this.gauge('topup_build_info', 'The version that runs; always 1', ['version', 'node_version']).set(
      { version, node_version: process.version },
      1,
    );
  }

  private createDatabaseGauges() {
    const due = this.gauge('topup_queue_due', 'Due work that no worker has claimed', ['queue']);
    const oldestDue = this.gauge(
      'topup_queue_oldest_due_seconds',
      'How long the oldest due work of a queue has been due',
      ['queue'],
    );
    return {
      orders_open: this.databaseGauge('topup_orders_open', 'Orders that have not ended'),
      orders_oldest_open_seconds: this.databaseGauge(
        'topup_orders_oldest_open_seconds',
        'Age of the oldest order that has not ended',
      ),
      units_unknown: this.databaseGauge(
        'topup_units_unknown',
        'Units in doubt: the supplier may or may not have sold them',
      ),
      units_unknown_oldest_seconds: this.databaseGauge(
        'topup_units_unknown_oldest_seconds',
        'How long the oldest unit in doubt has been in doubt',
      ),
      units_review: this.databaseGauge('topup_units_review', 'Units that wait for an operator'),
      units_review_oldest_seconds: this.databaseGauge(
        'topup_units_review_oldest_seconds',
        'How long the oldest unit in review has waited for an operator',
      ),
      supplier_reversals_open: this.databaseGauge(
        'topup_supplier_reversals_open',
        'Open discrepancies between a supplier and the books',
      ),
      unknown_purchases_open: this.databaseGauge(
        'topup_unknown_purchases_open',
        'Open discrepancies about purchases that no order knows',
      ),
      ...this.createLabelledGauges(),
      fulfilment_due: gaugeOfFirstRow(due, 'fulfilment_due', 'fulfilment'),
      fulfilment_oldest_due_seconds: gaugeOfFirstRow(oldestDue, 'fulfilment_oldest_due_seconds', 'fulfilment'),
      webhooks_due: gaugeOfFirstRow(due, 'webhooks_due', 'webhooks'),
      webhooks_oldest_due_seconds: gaugeOfFirstRow(oldestDue, 'webhooks_oldest_due_seconds', 'webhooks'),
      wallet_held_mismatch_baht: this.databaseGauge(
        'topup_wallet_held_mismatch_baht',
        'Difference between all held balances and the prices of all open orders; anything but 0 is wrong',
      ),
      wallets_below_alert: this.databaseGauge(
        'topup_wallets_below_alert',
        'Merchants whose available balance is below their alert',
      ),
      database_size_bytes: this.databaseGauge('topup_database_size_bytes', 'Size of the database on disk'),
      backup_age_seconds: this.databaseGauge(
        'topup_backup_age_seconds',
        'Time since the last backup was completed; without one, since the first attempt',
      ),
    } satisfies Record<string, DatabaseGauge>;
  }

  private createLabelledGauges() {
    const each = (name: string, help: string, labels: string[] = ['supplier']): DatabaseGauge =>
      gaugeOfEachRow(this.gauge(`topup_${name}`, help, labels), name, labels);
    return {
      supplier_balance: each('supplier_balance', 'Our balance at a supplier as it last reported it, in its currency', [
        'supplier',
        'currency',
      ]),
      supplier_balance_age_seconds: each('supplier_balance_age_seconds', 'Age of the supplier’s last balance report'),
      supplier_balance_low: each(
        'supplier_balance_low',
        'Whether our balance at the supplier is below its threshold: 1 or 0',
      ),
      supplier_balance_lasts_seconds: each(
        'supplier_balance_lasts_seconds',
        'How long our balance at the supplier lasts at the pace of the last day',
      ),
      supplier_pause: each(
        'supplier_pause',
        'Why nothing is sent to the supplier; always 1, absent while it is not paused',
        ['supplier', 'reason'],
      ),
      incoming_waiting: each('incoming_waiting', 'Incoming payments that wait for an operator', ['channel']),
      incoming_oldest_seconds: each('incoming_oldest_seconds', 'How long the oldest incoming payment has waited', [
        'channel',
      ]),
      incoming_cases: each('incoming_cases', 'Booked payments about which an operator must decide again', ['channel']),
      deposits_held: each(
        'deposits_held',
        'Deposits whose amounts are reserved, or that wait for a payment with their reference',
        ['channel'],
      ),
      statement_age_seconds: each(
        'statement_age_seconds',
        'Time since a bank statement was last imported, or since the channel was added',
        ['channel'],
      ),
      statement_refused: each(
        'statement_refused',
        'Whether the last bank statement of the channel was refused: 1 or 0',
        ['channel'],
      ),
      channel_paused: each(
        'channel_paused',
        'Whether the channel is paused, because its vendor refuses our credentials: 1 or 0',
        ['channel'],
      ),
      slips_paused: each(
        'slips_paused',
        'Whether the slip service of the channel refuses us, or slips have waited for a check for 5 minutes: 1 or 0',
        ['channel'],
      ),
      partition_ids_left: each(
        'partition_ids_left',
        'Ids left in the partitions of a table; after them, inserts fail',
        ['table'],
      ),
      partition_ids: each('partition_ids', 'Number of ids that the newest partition of a table spans', ['table']),
    };
  }

  private databaseGauge(name: string, help: string): DatabaseGauge {
    const gauge = this.gauge(name, help);
    // prom-client starts gauges without labels at 0, which was not measured.
    gauge.remove();
    return gaugeOfFirstRow(gauge, name.replace(/^topup_/, ''));
  }
}

export type DatabaseMetricName = keyof Metrics['databaseGauges'];
