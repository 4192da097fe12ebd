import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { CommandLine } from '../cli/command-line.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { TestStack, type TestMerchant } from '../support/stack.js';

export interface Case {
  id: number;
  order_number: string | null;
  kind: string;
  supplier: string;
  reference: string | null;
  supplier_reference: string | null;
  detail: string | null;
}

/** The report of `report supplier` on one supplier. */
export interface Line {
  ok: boolean;
  listed: number | null;
  unreadable: number;
  unknown: number;
  surplus: number;
  given_up: number;
  agreed: number;
  open_cases: number;
  unaskable: number;
  problem: string | null;
  differences: { reference: string; ours: string; theirs: string }[];
}

/**
 * Starts the service, whose workers read no lists, and its command line. They last for all tests of a file. The supplier's list
 * and the discrepancies are removed after each test.
 */
export function purchasesScene(): PurchasesScene {
  const scene = new PurchasesScene();
  beforeAll(() => scene.open());
  afterEach(() => scene.forget());
  afterAll(() => scene.close());
  return scene;
}

class PurchasesScene {
  stack!: TestStack;
  commandLine!: CommandLine;
  merchant!: TestMerchant;
  private readonly directory = mkdtempSync(path.join(tmpdir(), 'statement-'));

  async open(): Promise<void> {
    this.stack = await TestStack.start({ SUPPLIER_PURCHASES_INTERVAL_MS: '0' });
    const { DATABASE_URL, secretsKey } = this.stack.config;
    this.commandLine = new CommandLine({ DATABASE_URL, SECRETS_KEY: secretsKey?.toString('base64') ?? '' });
    this.merchant = await this.stack.merchant('10000.00');
  }

  async forget(): Promise<void> {
    this.stack.supplier.purchases = () => ({ status: 404 });
    for (const { id } of await this.openDiscrepancies())
      await this.commandLine.json('reversal', 'close', `${id}`, '--reason', 'end of the test');
  }

  async close(): Promise<void> {
    await closeWithBalancedBooks(this.stack);
    rmSync(this.directory, { recursive: true });
  }

  openDiscrepancies(): Promise<Case[]> {
    return this.commandLine.json<Case[]>('reversal', 'list', '--open');
  }

  async report(...options: string[]): Promise<Line> {
    const command = ['report', 'supplier', '--supplier', 'fake', '--json'];
    const { stdout } = await this.commandLine.run(...command, ...options);
    return (JSON.parse(stdout) as { suppliers: [Line] }).suppliers[0];
  }

  /** Writes a statement file with these lines. */
  statement(...lines: string[]): string {
    const file = path.join(this.directory, 'statement.csv');
    writeFileSync(file, lines.join('\n'));
    return file;
  }
}
