import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { postmanCollection, type ApiDocument, type PostmanCollection, type PostmanRequest } from '../tools/postman.js';
import { closeWithBalancedBooks } from './support/books.js';
import { eventually } from './support/eventually.js';
import { checkAnswer } from './support/openapi-check.js';
import { TestStack } from './support/stack.js';
import { untilServed } from './support/until-served.js';
import { WebhookReceiver } from './support/webhook-receiver.js';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const document = JSON.parse(read('openapi.json')) as ApiDocument;
const committed = read('docs/merchants/order-topup.postman_collection.json');
const collection = JSON.parse(committed) as PostmanCollection;
const requests = collection.item.flatMap(({ item }) => item);

let stack: TestStack;
let receiver: WebhookReceiver;
/** The current variables of the collection. */
const variables = new Map(collection.variable.map(({ key, value }) => [key, value]));

beforeAll(async () => {
  stack = await TestStack.start();
  receiver = await new WebhookReceiver().listen();
  for (const sku of ['MLBB-86', 'MLBB-172']) await stack.product('35.00', { sku, requiresServer: true });
  const { key } = await stack.sandboxMerchant();
  variables.set('base_url', stack.url).set('api_key', key).set('webhook_url', receiver.url('/hook'));
});

afterAll(() => closeWithBalancedBooks(stack, receiver));

const fill = (text: string): string =>
  text.replaceAll(/\{\{(.+?)\}\}/g, (_all, name: string) => {
    const value = name === '$guid' ? crypto.randomUUID() : variables.get(name);
    if (!value) throw new Error(`the collection has nothing in ${name} when it is needed`);
    return value;
  });

interface Sent {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Sends a request like Postman. */
async function send({ request }: PostmanRequest): Promise<Sent> {
  const { method, url, header, body } = request;
  const setting = (name: string): string => fill(collection.auth.apikey.find(({ key }) => key === name)?.value ?? '');
  expect(setting('in')).toBe('header');
  expect(url.raw).toBe(`${url.host.join('')}/${url.path.join('/')}`);
  const path = fill(url.raw).slice(stack.url.length);
  const headers = Object.fromEntries(header.map(({ key, value }) => [key, fill(value)]));
  const response = await fetch(fill(url.raw), {
    method,
    headers: { ...headers, [setting('key')]: setting('value') },
    ...(body === undefined ? {} : { body: fill(body.raw) }),
  });
  const answer = { status: response.status, headers: response.headers, body: await response.json() };
  checkAnswer(method, path, answer);
  return answer;
}

/** Runs a request's script on its answer. @returns the names of its tests. */
function runScript({ event }: PostmanRequest, { status, body }: Sent): string[] {
  const names: string[] = [];
  const pm = {
    test: (name: string, check: () => void) => {
      names.push(name);
      check();
    },
    response: {
      code: status,
      json: () => body,
      to: { have: { status: (expected: number) => expect(status).toBe(expected) } },
    },
    collectionVariables: {
      set: (name: string, value: string | number) => variables.set(name, String(value)),
    },
  };
  const context = createContext({ pm });
  for (const { script } of event) runInContext(script.exec.join('\n'), context);
  return names;
}

describe('the collection for Postman', () => {
  it('matches openapi.json; npm run openapi writes it', () => {
    expect(committed).toBe(`${JSON.stringify(postmanCollection(document), null, 2)}\n`);
  });

  it('has every request of the document', () => {
    expect(requests).toHaveLength(Object.values(document.paths).flatMap((each) => Object.keys(each)).length);
  });

  it.each(requests.map((each): [string, PostmanRequest] => [each.name, each]))(
    'works from top to bottom: %s',
    async (_name, request) => {
      // A delivery in flight gets 409 until it has ended, and events appear a moment after orders.
      const ready = ({ status, body }: Sent): boolean =>
        status !== 409 && (body as { data?: unknown[] }).data?.length !== 0;
      expect(runScript(request, await eventually(() => untilServed(() => send(request)), ready))).toHaveLength(1);
    },
  );
});
