import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { FakeSupplier } from '../support/fake-supplier.js';
import { CommandLine } from './command-line.js';

export const SECRET = 'a-secret-that-nobody-prints';

/** Commands about suppliers with their own database, and a reachable supplier, acme. */
export class SupplierScene {
  readonly secretsKey = randomBytes(32);
  readonly directory = mkdtempSync(path.join(tmpdir(), 'topup-cli-'));
  readonly commandLine: CommandLine;
  readonly client: pg.Client;
  private supplier: FakeSupplier | undefined;

  private constructor(readonly database: TestDatabase) {
    const secrets = { SECRETS_KEY: this.secretsKey.toString('base64') };
    this.commandLine = new CommandLine({ DATABASE_URL: database.url, ...secrets });
    this.client = new pg.Client({ connectionString: database.url });
  }

  static async open(): Promise<SupplierScene> {
    const scene = new SupplierScene(await createTestDatabase());
    await scene.client.connect();
    return scene;
  }

  /** Removes all suppliers. @returns a new fake supplier. */
  async begin(): Promise<FakeSupplier> {
    await this.client.query('DELETE FROM suppliers');
    this.supplier = await new FakeSupplier().listen();
    return this.supplier;
  }

  async end(): Promise<void> {
    await this.supplier?.close();
  }

  async close(): Promise<void> {
    await this.client.end();
    await this.database.drop();
    rmSync(this.directory, { recursive: true });
  }

  /** The command that sets the supplier. */
  set(...options: string[]): string[] {
    const at = ['--base-url', this.supplier?.url ?? ''];
    return ['supplier', 'set', '--code', 'acme', '--adapter', 'http', ...at, ...options];
  }

  show<SupplierJson>(): Promise<SupplierJson> {
    return this.commandLine.json<SupplierJson>('supplier', 'show', 'acme');
  }
}
