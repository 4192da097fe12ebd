import { setTimeout as sleep } from 'node:timers/promises';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { ApiKeysService, hashApiKey } from '../../src/auth/api-keys.service.js';
import { AuthModule } from '../../src/auth/auth.module.js';
import { CatalogModule } from '../../src/catalog/catalog.module.js';
import { ProductsService } from '../../src/catalog/products.service.js';
import { LEASE_MARGIN_MS } from '../../src/suppliers/supplier-timing.js';
import { DEFAULT_TIMEOUT_MS } from '../../src/suppliers/supplier-settings.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { CONFIG, loadConfig, type Config } from '../../src/core/config.js';
import { CoreModule } from '../../src/core/core.module.js';
import { createLogger } from '../../src/core/logger.js';
import { DatabaseModule } from '../../src/database/database.module.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { OperatorsModule } from '../../src/operators/operators.module.js';
import { MerchantsModule } from '../../src/merchants/merchants.module.js';
import { MerchantsService } from '../../src/merchants/merchants.service.js';
import { WalletModule } from '../../src/wallet/wallet.module.js';
import { WalletService } from '../../src/wallet/wallet.service.js';
import { demoOperator, type DemoOperator } from './demo-operator.js';
import { demoCatalogue } from './catalogue.js';
import { fillWithHistory } from './demo-history.js';
import { demoSuppliers, satang } from './demo-shops.js';
import { LocalError } from '../../src/cli/local-stack/errors.js';
import { demoApiKeyFile, readApiKey, sandboxApiKeyFile, writeApiKey } from './state.js';

/** The address of the supplier simulator, and the token that it demands. */
export interface SimulatorAccess {
  url: string;
  token: string;
}

/** The keys for a newcomer's orders: one buys from the simulated supplier, the other uses the sandbox. */
export interface ApiKeys {
  demo: string;
  sandbox: string;
}

const merchantName = 'Demo Merchant';
const sandboxMerchantName = 'Sandbox Merchant';
const openingBalance = '100000.00';
/** The suppliers that are the simulator, that of earlier versions included. */
const simulated: readonly string[] = [...demoSuppliers.map(({ code }) => code), 'simulator'];
const migrationTimeoutMs = 60_000;

@Module({})
class SeedModule {
  static register(config: Config): DynamicModule {
    return {
      module: SeedModule,
      imports: [
        CoreModule.register(config, createLogger({ ...config, LOG_LEVEL: 'warn' }, 'local')),
        DatabaseModule,
        MerchantsModule,
        AuthModule,
        WalletModule,
        CatalogModule,
        OperatorsModule,
      ],
    };
  }
}

/**
 * Migrates the database, fills an empty one with a demo merchant, its money, a catalogue and shops with two weeks of orders,
 * and sets the suppliers' base URL to the simulator.
 * @returns the keys of the demo merchant and of the sandbox merchant; null when the database has merchants but not the demo merchant.
 * @param hasOperator whether the console gets a demo administrator; null without one, and whenever the keys are null.
 * @throws LocalError when the schema cannot be migrated.
 */
export async function prepareDatabase(
  env: NodeJS.ProcessEnv,
  dataDir: string,
  simulator: SimulatorAccess,
  { hasOperator = false } = {},
): Promise<{ apiKeys: ApiKeys | null; operator: DemoOperator | null }> {
  const module = SeedModule.register(loadConfig(env));
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  try {
    await migrate(context);
    await seedIfEmpty(context, simulator);
    await pointToSimulator(context, simulator);
    const keys = await apiKeys(context, dataDir);
    return { apiKeys: keys, operator: keys && hasOperator ? await demoOperator(context) : null };
  } finally {
    await context.close();
  }
}

async function migrate(context: INestApplicationContext): Promise<void> {
  const ready = await Promise.race([
    context.get(SchemaService).whenReady(),
    sleep(migrationTimeoutMs, false, { ref: false }),
  ]);
  if (!ready) {
    throw new LocalError(
      `The database schema could not be brought up to date within ${migrationTimeoutMs / 1000} s. ` +
        'Use an empty database, or one of an earlier version of this service.',
    );
  }
}

/** A database without merchants counts as empty. Merchants are written last, in one transaction, so that a start repeats half a seed. */
async function seedIfEmpty(context: INestApplicationContext, simulator: SimulatorAccess): Promise<void> {
  if ((await context.get(MerchantsService).list()).length > 0) return;
  for (const { code } of demoSuppliers)
    await context.get(SuppliersService).set({
      code,
      adapter: 'http',
      baseUrl: simulator.url,
      credentials: { token: simulator.token },
      timeoutMs: Math.min(DEFAULT_TIMEOUT_MS, maxTimeoutMs(context)),
    });
  await context.get(ProductsService).setAll(
    demoCatalogue.map(({ price, ...product }) => ({
      ...product,
      price: satang(price),
      supplier: demoSuppliers[0].code,
    })),
  );
  await fillWithHistory(context, merchantName);
}

/** The supplier timeout must fit into the quiet period, which a trial may shorten. */
const maxTimeoutMs = (context: INestApplicationContext): number =>
  Math.max(1_000, context.get<Config>(CONFIG).SUPPLIER_QUIET_PERIOD_MS - LEASE_MARGIN_MS);

/** The simulator's port and token may change at each start. A supplier with a base URL elsewhere is left alone. */
async function pointToSimulator(context: INestApplicationContext, simulator: SimulatorAccess): Promise<void> {
  const suppliers = context.get(SuppliersService);
  const { url: baseUrl, token } = simulator;
  for (const { code, adapter, base_url, timeout_ms } of await suppliers.list()) {
    const isThere = base_url.startsWith('http://127.0.0.1:') || base_url === baseUrl;
    if (!simulated.includes(code) || !isThere) continue;
    const timeoutMs = Math.min(timeout_ms, maxTimeoutMs(context));
    await suppliers.set({ code, adapter, timeoutMs, baseUrl, credentials: { token }, hasMoved: true });
  }
}

async function apiKeys(context: INestApplicationContext, dataDir: string): Promise<ApiKeys | null> {
  const merchants = context.get(MerchantsService);
  const all = await merchants.list();
  const demo = all.find(({ name, sandbox }) => name === merchantName && !sandbox);
  if (demo === undefined) return null;
  // A database that an earlier version seeded lacks this merchant.
  const trial =
    all.find(({ name, sandbox }) => name === sandboxMerchantName && sandbox) ??
    (await merchants.create(sandboxMerchantName, undefined, { sandbox: true }));
  return {
    demo: await apiKeyOf(context, demo.id, demoApiKeyFile(dataDir)),
    sandbox: await apiKeyOf(context, trial.id, sandboxApiKeyFile(dataDir)),
  };
}

/** The key that an earlier start printed, or a new one if that key does not work in this database. */
async function apiKeyOf(context: INestApplicationContext, merchantId: number, file: string): Promise<string> {
  await context.get(WalletService).credit({
    merchantId,
    amount: satang(openingBalance),
    // A repeated credit with the same reference changes nothing.
    reference: 'demo-opening-balance',
    operator: 'npm start',
  });
  const earlier = readApiKey(file);
  if (earlier !== null && (await isUsable(context, earlier))) return earlier;
  const { key } = await context.get(ApiKeysService).issue(merchantId, { name: 'npm start' });
  writeApiKey(file, key);
  return key;
}

async function isUsable(context: INestApplicationContext, key: string): Promise<boolean> {
  const rows: unknown[] = await context.get(DataSource).query(
    `SELECT FROM api_keys
     WHERE key_hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
    [hashApiKey(key)],
  );
  return rows.length > 0;
}
