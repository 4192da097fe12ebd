import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { BankAccount, COLUMNS, newPromptPayId, satang, type BankLine, type DepositView } from '../../deposits/scene.js';
import type { Answer } from '../../support/http.js';
import { unique, type TestMerchant } from '../../support/stack.js';
import type { Browser, ConsoleStack, TestOperator } from '../console-stack.js';
import type { Scene } from '../scene.js';

export interface PaymentBody {
  id: string;
  channel: string;
  amount: string;
  state: string;
  reason: string | null;
  booked_by: string | null;
  merchant: { id: number; name: string } | null;
  deposit_number: string | null;
  is_open_case: boolean;
  version: string;
  taken_back_amount: string | null;
  to_take_back: string | null;
  text: string | null;
  seen_at: string;
  witnesses: { kind: string; reference: string; seen_at: string }[];
  imported_by: string | null;
  suggestions: { deposit_number: string | null; merchant: { id: number; name: string }; status: string | null }[];
  decision: { decision: string; operator: string; reason: string; reference?: string } | null;
  missing: string;
}

export interface ChannelBody {
  code: string;
  options: Record<string, string>;
  min: string;
  status: string;
  has_statements: boolean;
  can_sync: boolean;
  covered_until: string | null;
  imported_at: string | null;
  refused: string | null;
  updated_at: string;
}

export interface ImportBody {
  new: number;
  repeated: number;
  booked: number;
  waiting: number;
  in_amount: string;
  refused: string | null;
  problems: string[];
  changed_texts_of: string | null;
}

export async function addChannel({ browser }: TestOperator): Promise<string> {
  const code = unique('bank').toLowerCase();
  const options = { promptpay_id: newPromptPayId(), columns: COLUMNS };
  const { status, body } = await browser.send('PUT', `/api/channels/${code}`, { adapter: 'promptpay', options });
  if (status !== 200) throw new Error(`no channel: ${JSON.stringify(body)}`);
  return code;
}

export async function addDeposit(merchant: TestMerchant, channel: string, amount = '1000.00'): Promise<DepositView> {
  const request = { reference_id: unique('deposit'), amount, channel };
  const { status, body } = await merchant.client.post<DepositView>('/v1/deposits', request);
  if (status !== 200) throw new Error(`no deposit: ${JSON.stringify(body)}`);
  return body;
}

export const sendStatement = (
  browser: Browser,
  what: 'preview' | 'import',
  channel: string,
  file: string,
  more = '',
): Promise<Answer<ImportBody>> =>
  browser.send<ImportBody>('POST', `/api/statements/${what}?channel=${channel}${more}`, undefined, {
    raw: file,
    headers: { 'content-type': 'text/csv' },
  });

/** Imports a statement with these lines, which come in now. */
export async function arrive(
  { browser }: TestOperator,
  channel: string,
  ...lines: Partial<BankLine>[]
): Promise<ImportBody> {
  const whole = lines.map((line) => ({ at: new Date(), amount: 0n, ...line }));
  return (await sendStatement(browser, 'import', channel, new BankAccount().add(...whole).statement())).body;
}

/** A payment of 1.00 less than its deposit, which waits, as more lines do. */
export async function waitingPayment(
  scene: Pick<Scene, 'merchant'>,
  operator: TestOperator,
  amount = '1000.00',
  more: Partial<BankLine>[] = [],
): Promise<{ channel: string; deposit: string; payment: string }> {
  const channel = await addChannel(operator);
  const { deposit_number: deposit, amount_to_pay: dealt } = await addDeposit(scene.merchant, channel, amount);
  await arrive(operator, channel, { amount: satang(dealt) - 100n, text: 'From X1234 SOMCHAI' }, ...more);
  const { body } = await operator.browser.get<{ data: PaymentBody[] }>(`/api/payments?channel=${channel}`);
  return { channel, deposit, payment: body.data.at(-1)?.id ?? 'none' };
}

/** Records that the slip service decided about a slip of a deposit. @param code why it refused the slip. */
export async function presentSlip(
  console: Pick<ConsoleStack, 'sql'>,
  deposit: string,
  reference: string,
  code: string | null = null,
): Promise<void> {
  await console.sql(
    `INSERT INTO slip_checks (deposit_id, channel_id, slip_ref, state, code)
     SELECT id, channel_id, $2, CASE WHEN $3::text IS NULL THEN 'confirmed' ELSE 'refused' END, $3
     FROM deposits WHERE deposit_number = $1`,
    [deposit, reference, code],
  );
}

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  items?: Schema;
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
}
const { components } = JSON.parse(readFileSync(new URL('../../../console/openapi.json', import.meta.url), 'utf8')) as {
  components: { schemas: Record<string, Schema> };
};

const resolved = (schema: Schema | undefined): Schema | undefined => {
  const named = schema?.$ref ?? schema?.allOf?.[0]?.$ref;
  return named === undefined ? schema : components.schemas[named.split('/').at(-1) ?? ''];
};

/** Expects that an answer, and the objects in it, have the members and values of the document and no others. */
export function expectDocumented(answer: unknown, of: string | Schema): void {
  const schema = typeof of === 'string' ? components.schemas[of] : resolved(of);
  if (Array.isArray(answer)) {
    for (const each of answer) expectDocumented(each, schema?.items ?? {});
  } else if (typeof answer === 'object' && answer !== null && schema?.properties) {
    const [found, known] = [Object.keys(answer), Object.keys(schema.properties)];
    expect(found.filter((name) => !known.includes(name))).toEqual([]);
    expect((schema.required ?? []).filter((name) => !found.includes(name))).toEqual([]);
    for (const [name, value] of Object.entries(answer)) expectDocumented(value, schema.properties[name] ?? {});
  } else if (schema?.enum) {
    expect(schema.enum).toContain(answer);
  }
}
