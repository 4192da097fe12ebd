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
import { DepositChannel } from './src/deposits/deposit-channel.entity.js';
import { ChannelCallback } from './src/deposits/callbacks/channel-callback.entity.js';
import { Deposit } from './src/deposits/deposit.entity.js';
import { IncomingPayment } from './src/deposits/incoming-payment.entity.js';
import { SlipCheck } from './src/deposits/slips/slip-check.entity.js';
import { StatementImport } from './src/deposits/statements/statement-import.entity.js';
import { StatementLine } from './src/deposits/statements/statement-line.entity.js';
import { FOR_MIGRATIONS } from './src/database/connections.js';
import * as migrations from './src/database/migrations/index.js';
import { Event, EventRetention } from './src/events/event.entity.js';
import { Backup } from './src/monitoring/stats/backup.entity.js';
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
import { SupplierProduct } from './src/suppliers/supplier-product.entity.js';
import { SupplierCallback } from './src/fulfilment/callbacks/supplier-callback.entity.js';
import { Supplier, SupplierBalanceReading, SupplierProductRead } from './src/suppliers/supplier.entity.js';
import { UnitDeliveries } from './src/orders/codes/unit-deliveries.entity.js';
import { Transfer } from './src/wallet/transfer.entity.js';
import { Wallet } from './src/wallet/wallet.entity.js';
import { DeliveryAttempt } from './src/webhooks/delivery-attempt.entity.js';
import { Delivery } from './src/webhooks/delivery.entity.js';
import { Webhook } from './src/webhooks/webhook.entity.js';

/** One class for each table. */
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
  UnitDeliveries,
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
  Backup,
  SupplierState,
  ClosedMonth,
  ClosedWallet,
  MonthClosingTurn,
  ArchivedPartition,
  OrderReference,
  ArchivedPurchase,
  DepositChannel,
  Deposit,
  StatementImport,
  StatementLine,
  IncomingPayment,
  SlipCheck,
  ChannelCallback,
];

/**
 * TypeORM's options for the database. The processes, the command line and the tests all use them.
 * Classes are listed by name, so that the compiler checks the list and TypeORM searches no folders at the start.
 * @param url a `postgres://` connection string.
 * @param pool the driver and the limits of connections. The default is for migrations, whose statements have no timeout.
 */
export function dataSourceOptions(
  url: string,
  // Without `driver`, TypeORM would load a second copy of `pg`. With `pipeline`, TypeORM reads a schema in one round trip.
  pool: { driver: object; extra: object } = { driver: pg, extra: { ...FOR_MIGRATIONS, pipeline: true } },
): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    entities: ENTITIES,
    migrations: Object.values(migrations),
    migrationsTableName: 'schema_migrations',
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
    ...pool,
  };
}

/** For the TypeORM command line: `typeorm -d dist/ormconfig.js migration:show`. */
export default new DataSource(dataSourceOptions(process.env.DATABASE_URL ?? ''));
