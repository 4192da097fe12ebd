import type { DataSource } from 'typeorm';

/**
 * The migrations of earlier versions. The present migrations through {@link LAST_IN_PLACE}, one for each aggregate,
 * replace them.
 */
export const EARLIER_MIGRATIONS: readonly string[] = `
  MerchantsAndKeys1763650000001
  Catalog1763650000002
  Orders1763650000003
  Money1763650000004
  Webhooks1763650000005
  QueueIndexes1763750000006
  WorkerPresence1763750000007
  OperatorLogAndAlerts1763750000008
  UnitsInDoubt1763750000009
  EventRetention1763750000010
  Fencing1763800000011
  DeliveryPages1763800000012
  StaleWaiting1763800000013
  OrderFilters1763800000014
  Attempts1763800000015
  SupplierSettings1763800000016
  LaterAttempts1763800000017
  SupplierPauses1763800000018
  Offers1763800000019
  SupplierCallbacks1763800000020
  CatalogueReads1763800000021
  TermsOfItems1763800000022
  HearsayAndPlayers1763800000023
  ProductReads1763800000024
  Deliveries1763800000025
  SupplierBalances1763800000026
  MetadataAndEventPages1763800000028
  SupplierAccounts1763800000029
  PlayerChecks1763800000030
  SandboxMerchants1763800000034
  SandboxOrders1763800000035
  SandboxSupplier1763800000036
  Operators1763800000040
  OperatorLogSources1763800000041
  ReviewClaims1763800000042
  OperatorLogKeys1763800000043
  ConsoleJobs1763800000045
  ProductHistory1763800000048
  MinuteFigures1763800000050
  SupplierStates1763800000051
  OperatorLogPages1763800000053
  Timelines1763800000055
  JobKeys1763800000056
  SupplierLog1763800000057
  ApiKeyUses1763800000058
  Approvals1763800000059
  InterruptedClaims1763800000062
  ClosedMonths1763800000075
  Undelivered1763800000076
  CompanySignIn1763800000080
  ArchivedOrders1763800000085
  UnknownPurchases1763800000090
  PurchaseLists1763800000091
  PurchaseLimits1763800000092
  ArchivedPurchases1763800000093
  OperatorsAccess1763800000094
  OperatorsMakers1763800000095
  GeneratedColumns1763800000097
  PurchasesNotBought1763800000098
  TurnedWords1763800000099
  StepsAndLateCodes1763800000100
  SupplierQuestions1763800000101
`
  .trim()
  .split(/\s+/);

/** The timestamp of the last present migration whose tables and columns the earlier migrations made too. */
export const LAST_IN_PLACE = 1_763_900_000_012;

/** The database lacks some of the earlier migrations, and this version no longer has them. */
class EarlierMigrationsMissing extends Error {
  constructor(missing: readonly string[]) {
    super(
      `the database lacks ${missing.length} of the ${EARLIER_MIGRATIONS.length} migrations of earlier versions, ` +
        `the first of them ${missing[0]}: run "npm run migrate" once at the last commit that has them ` +
        '(docs/operations.md, "Upgrade"), or create a new database',
    );
  }
}

/**
 * Replaces the rows of the earlier migrations in `schema_migrations` with rows of the present migrations that make the same
 * schema. The caller must hold the migration lock.
 * @returns whether the database had the earlier migrations.
 * @throws EarlierMigrationsMissing if the database has only some of them. Nothing is changed then.
 */
export async function adoptEarlierMigrations(source: DataSource): Promise<boolean> {
  return source.transaction(async (manager) => {
    const rows = await manager.query<{ name: string }[]>('SELECT name FROM schema_migrations');
    const applied = new Set(rows.map(({ name }) => name));
    const missing = EARLIER_MIGRATIONS.filter((name) => !applied.has(name));
    if (missing.length === EARLIER_MIGRATIONS.length) return false;
    if (missing.length > 0) throw new EarlierMigrationsMissing(missing);
    await manager.query('DELETE FROM schema_migrations WHERE name = ANY($1)', [EARLIER_MIGRATIONS]);
    const present = source.migrations
      .map(({ name, constructor }) => name ?? constructor.name)
      .map((name) => ({ name, timestamp: Number(name.slice(-13)) }))
      .filter(({ timestamp }) => timestamp <= LAST_IN_PLACE)
      .sort((one, other) => one.timestamp - other.timestamp);
    await manager.query(
      'INSERT INTO schema_migrations (timestamp, name) SELECT * FROM unnest($1::bigint[], $2::text[])',
      [present.map(({ timestamp }) => timestamp), present.map(({ name }) => name)],
    );
    return true;
  });
}
