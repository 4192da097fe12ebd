/**
 * The suites that only `npm run test:all` runs, as patterns of paths, by the reason why they are long. All others are quick, and
 * `npm test` runs them.
 */
export const LONG = {
  'loads and faults': [
    'concurrency/model',
    'contract/(rate-limit-shared|silent-database)',
    'cost',
    'deposits/faults',
    'fulfilment/(clock-set-back|clock-set-forward|crashed-database|full-disk|lost-claims|recovery)',
    'ops/(redis-failover|retention)',
    'supplier-callbacks/forged-many',
    'webhooks/(misbehaving|slots)',
  ],
  'many rows': [
    'cli/months-in-batches',
    'console/(merchant|order)-plans',
    'contract/order-filter-plans',
    'deposits/generated-statements',
    'ops/(archive|archive-steps|event-partitions|migrate|migrations|old-partitions|order-partitions|plans|transfer-partitions)',
    'webhooks/delivery-plans',
  ],
  'other runtimes and builds': [
    'build',
    'compose',
    'first-start',
    'generate',
    'local-stack.*',
    'npm-start',
    'openapi-types',
    'runner/runner',
    'sdk/(listen|package|php.*|runtimes)',
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
  // Quick suites of the same folder hold the rules. These take the rare turns one by one, and often wait.
  'rare turns': [
    'cli/(order-cancel|supplier-report|supplier-report-.*|terminal|usage)',
    'console/(jobs|oidc-.*|second-factor|webhooks)',
    'console/deposits/(approvals|channels)',
    'deposits/(events|sandbox)',
    'deposits/opn/(callbacks|offers)',
    'deposits/slips/(billers|slip-service|witnesses)',
    'fulfilment/(shares|shares-model)',
    'ops/metrics',
    'routing/(late-answers|seagm-twice|seagm-units|wepay-account)',
    'simulator',
    'supplier-callbacks/(after-failure|unknown|while-sending)',
    'suppliers/(purchase-lists-by-workers|purchases-known-later|sold-after-all)',
    'webhooks/(changes|dispatching)',
  ],
  browsers: ['console/browser/(?!orders)[^/]+', 'site/browser'],
};

/** One regular expression for all of them. */
export const LONG_SUITES = Object.values(LONG)
  .flat()
  .map((pattern) => `/test/${pattern}\\.(e2e-)?spec\\.ts$`);
