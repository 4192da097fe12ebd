import type { INestApplicationContext } from '@nestjs/common';
import { hashApiKey } from '../../src/auth/api-keys.service.js';
import { apiKeyPrefix, newApiKey } from '../../src/core/identifiers.js';
import { SecretBox } from '../../src/core/secret-box.js';
import { Database, type Transaction } from '../../src/database/database.js';
import { generateSecret, secretHint } from '../../src/webhooks/signature.js';
import { demoCatalogue } from './catalogue.js';
import { demoBooks, OPERATOR } from './demo-books.js';
import { demoDeliveries, toDeliveryAttemptInputs, toDeliveryInput } from './demo-deliveries.js';
import { demoFigures } from './demo-figures.js';
import * as sql from './demo-history.sql.js';
import { demoOrders } from './demo-orders.js';
import {
  toAttemptInputs,
  toCallInputs,
  toItemInputs,
  toOrderInput,
  toUnitInputs,
  toWritten,
  type WrittenOrder,
} from './demo-rows.js';
import { costMicros, demoShops, demoSuppliers, satang } from './demo-shops.js';

const DAY_MS = 86_400_000;
/** The age of the merchants. */
const MERCHANTS_DAYS = 21;

/**
 * Fills a database that has suppliers and products but no merchant: with a merchant without orders, and with shops that have
 * the orders, money and deliveries of the last two weeks. It writes what the service would have written, in one transaction.
 * @param demoMerchant the name of the merchant without orders.
 */
export async function fillWithHistory(context: INestApplicationContext, demoMerchant: string): Promise<void> {
  const now = new Date();
  const demo = demoOrders(now);
  await context.get(Database).transaction(async (tx) => {
    const merchantIds = await addMerchants(tx, demoMerchant, now);
    const orders = demo.map((order) => toWritten(order, merchantIds));
    addOffers(tx);
    addAccess(tx, context.get(SecretBox), merchantIds, now);
    addOrders(tx, orders);
    const { transfers, wallets } = demoBooks(orders, merchantIds);
    tx.write(...sql.INSERT_TRANSFERS.with({ transfers }));
    tx.write(...sql.UPDATE_WALLETS.with({ wallets }));
    const deliveries = demoDeliveries(orders, now);
    tx.write(...sql.INSERT_EVENTS.with({ events: deliveries.map(({ event }) => event) }));
    tx.write(...sql.INSERT_DELIVERIES.with({ deliveries: deliveries.map(toDeliveryInput) }));
    tx.write(...sql.INSERT_DELIVERY_ATTEMPTS.with({ attempts: deliveries.flatMap(toDeliveryAttemptInputs) }));
    tx.write(...sql.INSERT_FIGURES.with({ figures: demoFigures(orders, deliveries) }));
    tx.write(...sql.INSERT_ACTIONS.with({ operator: OPERATOR }));
  });
}

/** @returns the ids of the shops. */
async function addMerchants(tx: Transaction, demoMerchant: string, now: Date): Promise<number[]> {
  const createdAt = new Date(now.getTime() - MERCHANTS_DAYS * DAY_MS);
  const names = [demoMerchant, ...demoShops.map(({ name }) => name)];
  const merchants = names.map((name) => ({ name, created_at: createdAt }));
  const added = await tx.query<{ id: number }>(...sql.INSERT_MERCHANTS.with({ merchants }));
  const ids = added.map(({ id }) => id);
  const prices = demoCatalogue.flatMap(({ sku, merchantPrice }) =>
    merchantPrice === undefined ? [] : [{ sku, price: satang(merchantPrice) }],
  );
  tx.write(...sql.INSERT_PRICES.with({ merchants: ids, prices }));
  return ids.slice(1);
}

function addOffers(tx: Transaction): void {
  const offers = demoCatalogue.flatMap((product) =>
    demoSuppliers.map(({ code }, index) => ({
      sku: product.sku,
      supplier: code,
      priority: index + 1,
      cost_micros: costMicros(product, index),
    })),
  );
  tx.write(...sql.INSERT_OFFERS.with({ offers }));
}

/** Gives each shop a key and a webhook. The secrets are random and not kept. */
function addAccess(tx: Transaction, secrets: SecretBox, merchantIds: readonly number[], now: Date): void {
  const createdAt = new Date(now.getTime() - (MERCHANTS_DAYS - 1) * DAY_MS);
  const keys = merchantIds.map((merchant_id) => {
    const key = newApiKey();
    return {
      merchant_id,
      name: 'Production',
      prefix: apiKeyPrefix(key),
      key_hash: hashApiKey(key),
      created_at: createdAt,
      last_used_at: new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000),
    };
  });
  const webhooks = merchantIds.map((merchant_id, index) => {
    const secret = generateSecret();
    return {
      merchant_id,
      url: demoShops[index]?.webhook ?? '',
      created_at: createdAt,
      secret_sealed: secrets.sealUnbound(secret),
      secret_hint: secretHint(secret),
    };
  });
  tx.write(...sql.INSERT_KEYS.with({ keys }));
  tx.write(...sql.INSERT_WEBHOOKS.with({ webhooks }));
}

function addOrders(tx: Transaction, orders: WrittenOrder[]): void {
  tx.write(...sql.INSERT_ORDERS.with({ orders: orders.map(toOrderInput) }));
  tx.write(...sql.INSERT_ITEMS.with({ items: orders.flatMap(toItemInputs) }));
  tx.write(...sql.INSERT_UNITS.with({ units: orders.flatMap(toUnitInputs) }));
  tx.write(...sql.INSERT_ATTEMPTS.with({ attempts: orders.flatMap(toAttemptInputs) }));
  tx.write(...sql.INSERT_CALLS.with({ calls: orders.flatMap(toCallInputs) }));
}
