import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { demoCatalogue } from '../../tools/local-stack/catalogue.js';
import { keptPort } from '../support/kept-port.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { answersShownIn, allSnippets, MERCHANT_DOCUMENTS, readDocument, type Language } from './blocks.js';
import { SECRET } from './deliveries.js';
import { missingFor, Workshop, type Outcome } from './workshop.js';

const snippets = allSnippets();
let workshop: Workshop;
let stack: TestStack;
let receiver: WebhookReceiver;

beforeAll(async () => {
  workshop = await Workshop.open();
  stack = await TestStack.start();
  receiver = await new WebhookReceiver().listen();
  for (const { sku, name, price, requiresServer, requiresCharacter, maxQuantity } of demoCatalogue)
    await stack.product(price, {
      sku,
      name,
      supplier: undefined,
      ...(requiresServer === undefined ? {} : { requiresServer }),
      ...(requiresCharacter === undefined ? {} : { requiresCharacter }),
      ...(maxQuantity === undefined ? {} : { maxQuantity }),
    });
});

afterAll(async () => {
  await closeWithBalancedBooks(stack, receiver);
  workshop.close();
});

/** A person who follows a page in one language: with a key, the results of earlier steps, and a shop on this machine. */
interface Reader {
  merchant: TestMerchant;
  env: Record<string, string>;
  /** Replaces addresses and keys of an example by those of this machine. */
  localize(code: string): string;
}

const readers = new Map<string, Promise<Reader>>();

function readerOf(file: string, language: Language): Promise<Reader> {
  const name = `${file} ${language}`;
  const known = readers.get(name) ?? newReader();
  readers.set(name, known);
  return known;
}

async function newReader(): Promise<Reader> {
  const merchant = await stack.sandboxMerchant('100000.00');
  const { order_number } = await stack.order(merchant, [{ sku: 'PUBGM-60' }]);
  const ask = async (): Promise<{ id: string }[]> =>
    (await merchant.client.get<{ data: { id: string }[] }>('/v1/events')).body.data;
  const [event] = await eventually(ask, ({ length }) => length > 0);
  const url = receiver.url('/before');
  const webhook = await merchant.client.post<{ id: number }>('/v1/merchant-webhooks', { url });
  const own = `127.0.0.1:${await keptPort()}`;
  const local: [from: RegExp, to: string][] = [
    [/https:\/\/topup\.example|(https?:\/\/)?(localhost|127\.0\.0\.1):3000/g, stack.url],
    [/https:\/\/shop\.example/g, receiver.url('')],
    [/(localhost|127\.0\.0\.1):8080/g, own],
    [/listen\(8080\)/g, `listen(${own.split(':')[1]})`],
    [/topup_test_(…|\.\.\.)/g, merchant.key],
    [/whsec_(…|\.\.\.)/g, SECRET],
  ];
  return {
    merchant,
    env: {
      TOPUP_URL: stack.url,
      TOPUP_API_KEY: merchant.key,
      WEBHOOK_SECRET: SECRET,
      WEBHOOK_ID: String(webhook.body.id),
      EVENT_ID: event?.id ?? '',
      ORDER_NUMBER: order_number,
    },
    localize: (code) => local.reduce((text, [from, to]) => text.replace(from, to), code),
  };
}

/** Shown members must be in the answer, with the same type. Texts may differ, and lists may be longer or shorter. */
function expectLike(answer: unknown, shown: unknown, where: string): void {
  expect([where, kindOf(answer)]).toEqual([where, kindOf(shown)]);
  if (Array.isArray(shown)) {
    if (shown.length > 0) expectLike((answer as unknown[])[0], shown[0], `${where}[0]`);
  } else if (typeof shown === 'object' && shown !== null) {
    for (const [name, value] of Object.entries(shown))
      if (value !== null) expectLike((answer as Record<string, unknown>)[name], value, `${where}.${name}`);
  }
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

const pages = MERCHANT_DOCUMENTS.filter((file) =>
  snippets.some((each) => each.file === file && ['run', 'refused'].includes(each.use)),
);

describe.each(pages)('what %s tells a merchant to run', (file) => {
  const shown = answersShownIn(readDocument(file), file);

  for (const { line, language, use, code } of snippets.filter((each) => each.file === file)) {
    if (use !== 'run' && use !== 'refused') continue;
    it(`works: line ${line}, in ${language}`, async () => {
      const missing = await missingFor(language);
      if (missing !== null) {
        console.warn(`SKIPPED: ${file}:${line}: there is no ${missing} on this machine`);
        return;
      }
      const reader = await readerOf(file, language);
      const state = `${file}.${language}`.replace(/\W/g, '-');
      const exitCode = use === 'refused' ? 22 : 0;
      // Repeated while the service is busy, as merchants do.
      const outcome = await eventually(
        () => workshop.run(language, reader.localize(code), reader.env, state),
        (ended) => ended.exitCode === exitCode || !/503|SERVICE_UNAVAILABLE/.test(ended.output),
      );
      expectEnd(outcome, exitCode);
      if (shown.has(line)) expectLike(JSON.parse(outcome.answer), shown.get(line), 'the answer');
    });
  }
});

/** curl ends with 22 if the API refuses the request. */
function expectEnd(outcome: Outcome, exitCode: number): void {
  if (outcome.exitCode !== exitCode)
    throw new Error(`It ended with ${String(outcome.exitCode)}, not ${exitCode}:\n${outcome.output}`);
}

it('code in TypeScript compiles strictly', () =>
  workshop.typeCheck(snippets.filter(({ language, use }) => language === 'ts' && use !== 'not-run')));
