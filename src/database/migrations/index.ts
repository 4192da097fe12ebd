// Every migration, one line each. TypeORM applies them in the order of the numbers in their names.
export { Foundations1763900000001 } from './1763900000001-foundations.js';
export { Merchants1763900000002 } from './1763900000002-merchants.js';
export { Suppliers1763900000003 } from './1763900000003-suppliers.js';
export { Catalog1763900000004 } from './1763900000004-catalog.js';
export { Operators1763900000005 } from './1763900000005-operators.js';
export { Orders1763900000006 } from './1763900000006-orders.js';
export { Purchases1763900000007 } from './1763900000007-purchases.js';
export { Money1763900000008 } from './1763900000008-money.js';
export { Webhooks1763900000009 } from './1763900000009-webhooks.js';
export { AuditLog1763900000010 } from './1763900000010-audit-log.js';
export { Accounting1763900000011 } from './1763900000011-accounting.js';
export { Workers1763900000012 } from './1763900000012-workers.js';
export { Deposits1763900000013 } from './1763900000013-deposits.js';
export { FairShares1763900000014 } from './1763900000014-fair-shares.js';
export { FewerRows1763900000015 } from './1763900000015-fewer-rows.js';
export { DepositEvents1763900000017 } from './1763900000017-deposit-events.js';
export { MerchantsDeposits1763900000018 } from './1763900000018-merchants-deposits.js';
