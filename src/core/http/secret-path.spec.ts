import { expect, it } from '@jest/globals';
import { loggablePath } from './secret-path.js';

it.each([
  ['/supplier-callbacks/acme/0123?user=7', '/supplier-callbacks/…'],
  ['/v1/deposit-callbacks/opn/0123/more', '/v1/deposit-callbacks/…'],
  ['/Deposit-Callbacks/opn/0123', '/Deposit-Callbacks/…'],
  ['/v1/deposits/callbacks?x=1', '/v1/deposits/callbacks'],
])('%s is logged as %s', (path, logged) => {
  expect(loggablePath(path)).toBe(logged);
});
