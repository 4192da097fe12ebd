import { describe, expect, it } from '@jest/globals';
import type { Unavailable } from '../suppliers/supplier-adapter.js';
import { unavailableInWords } from './supplier.view.js';

const acme = { code: 'acme', adapter: 'seagm', base_url: 'https://acme.example', timeout_ms: 5_000 };

describe('the advice about a supplier that does not answer as it should', () => {
  it('is to wait if it bans us, because each call prolongs the ban', () => {
    const banned: Unavailable = {
      known: false,
      detail: 'our address is banned (418)',
      offersNone: false,
      fault: 'ban',
    };
    expect(unavailableInWords(banned, acme, 'balance')).toBe(
      'it bans us (our address is banned (418)): wait, because each call prolongs the ban',
    );
  });
});
