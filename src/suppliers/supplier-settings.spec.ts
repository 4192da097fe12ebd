import { describe, expect, it } from '@jest/globals';
import type { DescribedAdapter } from './adapter-description.js';
import { ADAPTERS } from './adapters.js';
import { HttpSupplier } from './http/http-supplier.js';
import { AdapterHttp } from './adapter-http.js';
import { baseUrlOf, changed, missingProblem, settingsProblem, type SupplierSettings } from './supplier-settings.js';

/** An adapter without options, which checks its credential. */
const http: DescribedAdapter = { ...HttpSupplier.description, capabilities: [] };
const vendor: DescribedAdapter = {
  adapter: 'vendor',
  name: 'Vendor',
  credentials: [
    { name: 'username', secret: false, required: true, help: '' },
    { name: 'key', secret: true, required: true, help: '' },
    { name: 'webhook_secret', secret: true, required: false, help: '' },
  ],
  options: [
    { name: 'testing', values: ['true', 'false'], help: '' },
    { name: 'region', values: null, help: '' },
  ],
  capabilities: [],
  references: 'random',
  baseUrl: 'https://api.vendor.example/v1',
  currency: 'IDR',
};

const problemOf = (settings: Partial<SupplierSettings>, description = vendor): string | null =>
  settingsProblem({ code: 'c', adapter: 'vendor', ...settings }, description, 'https://api.vendor.example');

describe('settings of a supplier', () => {
  it('may have only the names of their adapter', () => {
    expect(problemOf({ credentials: { key: 'k' }, options: { testing: 'true', region: 'MY' } })).toBeNull();
    expect(problemOf({ credentials: { token: 'k' } })).toBe(
      'the adapter vendor has no credential token: it has username, key, webhook_secret',
    );
    expect(problemOf({ options: { sandbox: 'true' } })).toBe(
      'the adapter vendor has no option sandbox: it has testing, region',
    );
    expect(problemOf({ options: { testing: 'true' } }, http)).toBe(
      'the adapter http has no option testing: it has none',
    );
    expect(problemOf({ options: { testing: 'yes' } })).toBe('the option testing must be one of true, false');
    expect(problemOf({ credentials: { toString: 'k' } })).toMatch(/no credential toString/);
  });

  it('are refused with a message without secrets', () => {
    const secret = 's3cr3t\nsecond line';
    expect(problemOf({ credentials: { key: secret } })).toBe('the credential key must not contain control characters');
    expect(problemOf({ credentials: { token: 'tö' } }, http)).toBe(
      'the credential token must be visible ASCII characters without spaces',
    );
    expect(problemOf({ credentials: { key: 'k'.repeat(4_097) } })).toMatch(/1 to 4096 characters/);
  });

  it('are refused without values that their adapter requires', () => {
    expect(missingProblem(vendor, [])).toBe('the adapter vendor requires the credentials username, key');
    expect(missingProblem(vendor, ['key', 'webhook_secret'])).toMatch(/requires the credentials username$/);
    expect(missingProblem(vendor, ['username', 'key'])).toBeNull();
    expect(missingProblem(HttpSupplier.description, [])).toBeNull();
  });

  it('have the given base URL, or the stored one, or the adapter’s', () => {
    const before = { base_url: 'https://proxy.example' };
    expect(baseUrlOf(vendor, 'https://other.example/', before)).toBe('https://other.example');
    expect(baseUrlOf(vendor, undefined, before)).toBe('https://proxy.example');
    expect(baseUrlOf(vendor, undefined, undefined)).toBe('https://api.vendor.example/v1');
    expect(() => baseUrlOf(HttpSupplier.description, undefined, before)).toThrow(/a base URL is required/);
  });

  it('change by name, and others stay', () => {
    expect(changed({ testing: 'true', region: 'MY' }, { testing: null, zone: 'a' })).toEqual({
      region: 'MY',
      zone: 'a',
    });
  });
});

describe('an adapter', () => {
  it.each(ADAPTERS.map((known) => [known.description.adapter, known] as const))(
    '%s describes its capabilities',
    (_name, { create, description: { capabilities } }) => {
      const adapter = create(new AdapterHttp());
      expect({
        deduplication: capabilities.includes('deduplication'),
        inquiry: capabilities.includes('inquiry'),
        catalogue: capabilities.includes('catalogue'),
        callbacks: capabilities.includes('callbacks'),
      }).toEqual({
        deduplication: adapter.deduplicates,
        inquiry: adapter.inquiry !== null,
        catalogue: adapter.catalogue !== undefined,
        callbacks: adapter.callbacks !== undefined,
      });
    },
  );
});
