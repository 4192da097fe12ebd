import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Approval } from './src/operators/approvals/approval.entity.js';
import { AuditLogEntry } from './src/audit-log/audit-log-entry.entity.js';
import { ArchivedPartition } from './src/accounting/audit/archived-partition.entity.js';
import { ClosedMonth, MonthClosingTurn } from './src/accounting/audit/closed-month.entity.js';
import { ClosedWallet } from './src/accounting/audit/closed-wallet.entity.js';
import { ApiKey } from './src/auth/api-key.entity.js';
import { FxRate } from './src/catalog/fx-rate.entity.js';
import { MerchantPrice } from './src/catalog/merchant-price.entity.js';
import { Product } from './src/catalog/product.entity.js';
import { SupplierOffer } from './src/catalog/supplier-offer.entity.js';
import { FOR_MIGRATIONS } from './src/database/connections.js';
import { MerchantsAndKeys1763650000001 } from './src/database/migrations/1763650000001-merchants-and-keys.js';
import { Catalog1763650000002 } from './src/database/migrations/1763650000002-catalog.js';
import { Orders1763650000003 } from './src/database/migrations/1763650000003-orders.js';
import { Money1763650000004 } from './src/database/migrations/1763650000004-money.js';
import { Webhooks1763650000005 } from './src/database/migrations/1763650000005-webhooks.js';
import { QueueIndexes1763750000006 } from './src/database/migrations/1763750000006-queue-indexes.js';
import { WorkerPresence1763750000007 } from './src/database/migrations/1763750000007-worker-presence.js';
import { OperatorLogAndAlerts1763750000008 } from './src/database/migrations/1763750000008-operator-log-and-alerts.js';
import { UnitsInDoubt1763750000009 } from './src/database/migrations/1763750000009-units-in-doubt.js';
import { EventRetention1763750000010 } from './src/database/migrations/1763750000010-event-retention.js';
import { Fencing1763800000011 } from './src/database/migrations/1763800000011-fencing.js';
import { DeliveryPages1763800000012 } from './src/database/migrations/1763800000012-delivery-pages.js';
import { StaleWaiting1763800000013 } from './src/database/migrations/1763800000013-stale-waiting.js';
import { OrderFilters1763800000014 } from './src/database/migrations/1763800000014-order-filters.js';
import { Attempts1763800000015 } from './src/database/migrations/1763800000015-attempts.js';
import { SupplierSettings1763800000016 } from './src/database/migrations/1763800000016-supplier-settings.js';
import { LaterAttempts1763800000017 } from './src/database/migrations/1763800000017-later-attempts.js';
import { SupplierPauses1763800000018 } from './src/database/migrations/1763800000018-supplier-pauses.js';
import { Offers1763800000019 } from './src/database/migrations/1763800000019-offers.js';
import { SupplierCallbacks1763800000020 } from './src/database/migrations/1763800000020-supplier-callbacks.js';
import { CatalogueReads1763800000021 } from './src/database/migrations/1763800000021-catalogue-reads.js';
import { TermsOfItems1763800000022 } from './src/database/migrations/1763800000022-terms-of-items.js';
import { HearsayAndPlayers1763800000023 } from './src/database/migrations/1763800000023-hearsay-and-players.js';
import { ProductReads1763800000024 } from './src/database/migrations/1763800000024-product-reads.js';
import { Deliveries1763800000025 } from './src/database/migrations/1763800000025-deliveries.js';
import { SupplierBalances1763800000026 } from './src/database/migrations/1763800000026-supplier-balances.js';
import { MetadataAndEventPages1763800000028 } from './src/database/migrations/1763800000028-metadata-and-event-pages.js';
import { SupplierAccounts1763800000029 } from './src/database/migrations/1763800000029-supplier-accounts.js';
import { PlayerChecks1763800000030 } from './src/database/migrations/1763800000030-player-checks.js';
import { SandboxMerchants1763800000034 } from './src/database/migrations/1763800000034-sandbox-merchants.js';
import { SandboxOrders1763800000035 } from './src/database/migrations/1763800000035-sandbox-orders.js';
import { SandboxSupplier1763800000036 } from './src/database/migrations/1763800000036-sandbox-supplier.js';
import { Operators1763800000040 } from './src/database/migrations/1763800000040-operators.js';
import { OperatorLogSources1763800000041 } from './src/database/migrations/1763800000041-operator-log-sources.js';
import { ReviewClaims1763800000042 } from './src/database/migrations/1763800000042-review-claims.js';
import { OperatorLogKeys1763800000043 } from './src/database/migrations/1763800000043-operator-log-keys.js';
import { ConsoleJobs1763800000045 } from './src/database/migrations/1763800000045-console-jobs.js';
import { ProductHistory1763800000048 } from './src/database/migrations/1763800000048-product-history.js';
import { MinuteFigures1763800000050 } from './src/database/migrations/1763800000050-minute-figures.js';
import { SupplierStates1763800000051 } from './src/database/migrations/1763800000051-supplier-states.js';
import { OperatorLogPages1763800000053 } from './src/database/migrations/1763800000053-operator-log-pages.js';
import { Timelines1763800000055 } from './src/database/migrations/1763800000055-timelines.js';
import { JobKeys1763800000056 } from './src/database/migrations/1763800000056-job-keys.js';
import { SupplierLog1763800000057 } from './src/database/migrations/1763800000057-supplier-log.js';
import { ApiKeyUses1763800000058 } from './src/database/migrations/1763800000058-api-key-uses.js';
import { Approvals1763800000059 } from './src/database/migrations/1763800000059-approvals.js';
import { InterruptedClaims1763800000062 } from './src/database/migrations/1763800000062-interrupted-claims.js';
import { ClosedMonths1763800000075 } from './src/database/migrations/1763800000075-closed-months.js';
import { Undelivered1763800000076 } from './src/database/migrations/1763800000076-undelivered.js';
import { CompanySignIn1763800000080 } from './src/database/migrations/1763800000080-company-sign-in.js';
import { ArchivedOrders1763800000085 } from './src/database/migrations/1763800000085-archived-orders.js';
import { UnknownPurchases1763800000090 } from './src/database/migrations/1763800000090-unknown-purchases.js';
import { PurchaseLists1763800000091 } from './src/database/migrations/1763800000091-purchase-lists.js';
import { PurchaseLimits1763800000092 } from './src/database/migrations/1763800000092-purchase-limits.js';
import { ArchivedPurchases1763800000093 } from './src/database/migrations/1763800000093-archived-purchases.js';
import { OperatorsAccess1763800000094 } from './src/database/migrations/1763800000094-operators-access.js';
import { OperatorsMakers1763800000095 } from './src/database/migrations/1763800000095-operators-makers.js';
import { GeneratedColumns1763800000097 } from './src/database/migrations/1763800000097-generated-columns.js';
import { PurchasesNotBought1763800000098 } from './src/database/migrations/1763800000098-purchases-not-bought.js';
import { TurnedWords1763800000099 } from './src/database/migrations/1763800000099-turned-words.js';
import { StepsAndLateCodes1763800000100 } from './src/database/migrations/1763800000100-steps-and-late-codes.js';
import { SupplierQuestions1763800000101 } from './src/database/migrations/1763800000101-supplier-questions.js';
import { EventRetention } from './src/events/event-retention.entity.js';
import { Event } from './src/events/event.entity.js';
import { MinuteFigure } from './src/monitoring/stats/minute-figure.entity.js';
import { SupplierState } from './src/monitoring/stats/supplier-state.entity.js';
import { Merchant } from './src/merchants/merchant.entity.js';
import { CompanySignIn, Operator, RecoveryCode } from './src/operators/operator.entity.js';
import { OperatorSession } from './src/operators/operator-session.entity.js';
import { ArchivedPurchase } from './src/orders/archived-purchase.entity.js';
import { AttemptCheck } from './src/orders/attempt-check.entity.js';
import { OrderItem } from './src/orders/order-item.entity.js';
import { OrderReference } from './src/orders/order-reference.entity.js';
import { OrderUnit } from './src/orders/order-unit.entity.js';
import { Order } from './src/orders/order.entity.js';
import { SupplierCall } from './src/orders/supplier-call.entity.js';
import { SupplierReversal } from './src/orders/supplier-reversal.entity.js';
import { UnitAttempt } from './src/orders/unit-attempt.entity.js';
import { Job } from './src/operators/jobs/job.entity.js';
import { WorkerProcess } from './src/queues/worker-process.entity.js';
import { ReviewClaim } from './src/support/review-claim.entity.js';
import { SupplierProductRead } from './src/suppliers/supplier-product-read.entity.js';
import { SupplierBalanceReading } from './src/suppliers/supplier-balance-reading.entity.js';
import { SupplierProduct } from './src/suppliers/supplier-product.entity.js';
import { SupplierCallback } from './src/fulfilment/callbacks/supplier-callback.entity.js';
import { Supplier } from './src/suppliers/supplier.entity.js';
import { UnitDelivery } from './src/orders/codes/unit-delivery.entity.js';
import { Transfer } from './src/wallet/transfer.entity.js';
import { Wallet } from './src/wallet/wallet.entity.js';
import { DeliveryAttempt } from './src/webhooks/delivery-attempt.entity.js';
import { Delivery } from './src/webhooks/delivery.entity.js';
import { Webhook } from './src/webhooks/webhook.entity.js';

/** Each table's row. */
const ENTITIES = [
  Merchant,
  ApiKey,
  Supplier,
  SupplierProduct,
  Product,
  MerchantPrice,
  SupplierOffer,
  FxRate,
  Wallet,
  Transfer,
  Order,
  OrderItem,
  OrderUnit,
  UnitAttempt,
  SupplierCall,
  SupplierReversal,
  SupplierCallback,
  SupplierBalanceReading,
  SupplierProductRead,
  AttemptCheck,
  UnitDelivery,
  Event,
  EventRetention,
  Webhook,
  Delivery,
  DeliveryAttempt,
  AuditLogEntry,
  WorkerProcess,
  Operator,
  OperatorSession,
  RecoveryCode,
  ReviewClaim,
  Approval,
  CompanySignIn,
  Job,
  MinuteFigure,
  SupplierState,
  ClosedMonth,
  ClosedWallet,
  MonthClosingTurn,
  ArchivedPartition,
  OrderReference,
  ArchivedPurchase,
];

/** In the order in which they are applied. */
const MIGRATIONS = [
  MerchantsAndKeys1763650000001,
  Catalog1763650000002,
  Orders1763650000003,
  Money1763650000004,
  Webhooks1763650000005,
  QueueIndexes1763750000006,
  WorkerPresence1763750000007,
  OperatorLogAndAlerts1763750000008,
  UnitsInDoubt1763750000009,
  EventRetention1763750000010,
  Fencing1763800000011,
  DeliveryPages1763800000012,
  StaleWaiting1763800000013,
  OrderFilters1763800000014,
  Attempts1763800000015,
  SupplierSettings1763800000016,
  LaterAttempts1763800000017,
  SupplierPauses1763800000018,
  Offers1763800000019,
  SupplierCallbacks1763800000020,
  CatalogueReads1763800000021,
  TermsOfItems1763800000022,
  HearsayAndPlayers1763800000023,
  ProductReads1763800000024,
  Deliveries1763800000025,
  SupplierBalances1763800000026,
  MetadataAndEventPages1763800000028,
  SupplierAccounts1763800000029,
  PlayerChecks1763800000030,
  SandboxMerchants1763800000034,
  SandboxOrders1763800000035,
  SandboxSupplier1763800000036,
  Operators1763800000040,
  OperatorLogSources1763800000041,
  ReviewClaims1763800000042,
  OperatorLogKeys1763800000043,
  ConsoleJobs1763800000045,
  ProductHistory1763800000048,
  MinuteFigures1763800000050,
  SupplierStates1763800000051,
  OperatorLogPages1763800000053,
  Timelines1763800000055,
  JobKeys1763800000056,
  SupplierLog1763800000057,
  ApiKeyUses1763800000058,
  Approvals1763800000059,
  InterruptedClaims1763800000062,
  ClosedMonths1763800000075,
  Undelivered1763800000076,
  CompanySignIn1763800000080,
  ArchivedOrders1763800000085,
  UnknownPurchases1763800000090,
  PurchaseLists1763800000091,
  PurchaseLimits1763800000092,
  ArchivedPurchases1763800000093,
  OperatorsAccess1763800000094,
  OperatorsMakers1763800000095,
  GeneratedColumns1763800000097,
  PurchasesNotBought1763800000098,
  TurnedWords1763800000099,
  StepsAndLateCodes1763800000100,
  SupplierQuestions1763800000101,
];

/**
 * The one place that says how TypeORM reaches the database: the processes, the command line and the tests use it.
 * Classes are named one by one: TypeORM loads files that match a pattern in a way that jest allows only once for each
 * of its workers.
 * @param url a `postgres://` connection string.
 * @param pool the connections' limits; by default those of a migration, which takes as long as it takes.
 */
export function dataSourceOptions(
  url: string,
  // Left to find the driver by itself, TypeORM would load another copy of it; asked for a schema, it sends its questions at once.
  pool: { driver: object; extra: object } = { driver: pg, extra: { ...FOR_MIGRATIONS, pipeline: true } },
): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTableName: 'schema_migrations',
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
    ...pool,
  };
}

/** For the TypeORM command line: `typeorm -d dist/ormconfig.js migration:show`. */
export default new DataSource(dataSourceOptions(process.env.DATABASE_URL ?? ''));
