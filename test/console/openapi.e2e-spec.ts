import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleStack } from './console-stack.js';

let console: ConsoleStack;
beforeAll(async () => {
  console = await ConsoleStack.start();
});
afterAll(() => console.close());

interface Document {
  paths: Record<string, Record<string, { operationId: string; summary?: string; responses: object }>>;
}

describe('the document of the console’s API', () => {
  it('equals the committed console/openapi.json, which npm run openapi writes', async () => {
    const committed = JSON.parse(
      readFileSync(new URL('../../console/openapi.json', import.meta.url), 'utf8'),
    ) as Document;
    const served = (await (await fetch(`${console.url}/api/docs-json`)).json()) as Document;
    expect(served).toEqual(committed);
    const operations = Object.values(served.paths).flatMap((path) => Object.values(path));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { summary, responses } of operations) {
      expect(summary).toBeTruthy();
      expect(responses).toHaveProperty('default');
    }
  });

  it('is not served in production', async () => {
    const production = await ConsoleStack.start({ NODE_ENV: 'production' });
    try {
      for (const path of ['/api/docs', '/api/docs-json']) expect((await fetch(production.url + path)).status).toBe(404);
    } finally {
      await production.close();
    }
  });
});
