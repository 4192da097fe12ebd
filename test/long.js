/**
 * The suites that only `npm run test:all` runs, as patterns of paths, by the reason why they are long. All others are quick, and
 * `npm test` runs them.
 */
export const LONG = {
  'loads and faults': [
    'concurrency/model',
    'cost',
    'deposits/faults',
    'fulfilment/(crashed-database|full-disk|lost-claims|recovery)',
    'ops/(redis-failover|retention)',
    'supplier-callbacks/forged-many',
    'webhooks/slots',
  ],
  'many rows': [
    'cli/months-in-batches',
    'console/(merchant|order)-plans',
    'contract/order-filter-plans',
    'ops/(archive|archive-steps|event-partitions|old-partitions|order-partitions|plans|transfer-partitions)',
    'webhooks/delivery-plans',
  ],
  'other runtimes and builds': [
    'build',
    'first-start',
    'generate',
    'npm-start',
    'sdk/(package|php.*|runtimes)',
    'snippets/(receivers|running)',
  ],
  'other servers': [
    'backup',
    'cells',
    'console/oidc-provider',
    'deploy',
    'edge/(alertmanager|caddy)',
    'ha-settings',
    'kubernetes',
    'nginx',
    'ops/(pooler|read-replica|tls)',
  ],
  browsers: ['console/browser/(?!orders)[^/]+', 'site/browser'],
};

/** One regular expression for all of them. */
export const LONG_SUITES = Object.values(LONG)
  .flat()
  .map((pattern) => `/test/${pattern}\\.(e2e-)?spec\\.ts$`);
